/* The algorithms, for the game whose functions GAME names; included once for each game. */

/* Lines of play of a depth of at least 1. */
static long GAME(perft)(GAME(State) s, int depth)
{
    GAME(Move) moves[GAME(MAX_MOVES)];
    const int n = GAME(moves)(s, moves);
    if (depth == 1)
        return n;
    long lines = 0;
    for (int i = 0; i < n; i++)
        lines += GAME(perft)(GAME(play)(s, moves[i]), depth - 1);
    return lines;
}

/* Fail-soft negamax: a position's value for the player to move. A win counts 1,000,000 and more the
 * sooner it comes. */
static int GAME(search)(GAME(State) s, int depth, int alpha, int beta, long *nodes)
{
    ++*nodes;
    GAME(Move) moves[GAME(MAX_MOVES)];
    const int n = GAME(moves)(s, moves);
    if (n == 0)
        return GAME(value)(s) * (1000000 + depth);
    if (depth == 0)
        return GAME(evaluate)(s);
    int best = -2000000;
    for (int i = 0; i < n; i++) {
        const int value = -GAME(search)(GAME(play)(s, moves[i]), depth - 1, -beta, -alpha, nodes);
        if (value > best)
            best = value;
        if (best > alpha)
            alpha = best;
        if (alpha >= beta)
            break;
    }
    return best;
}

static int GAME(alpha_beta)(GAME(State) s, int depth, long *nodes)
{
    return GAME(search)(s, depth, -2000000, 2000000, nodes);
}

/* Matches at random, of at most 10,000 plies: sums of their plies and of their results, from the first
 * player's side. */
static void GAME(playouts)(long matches, uint64_t seed, long *plies, long *results)
{
    GAME(Move) moves[GAME(MAX_MOVES)];
    for (long match = 0; match < matches; match++) {
        Stream stream = {derive(seed, match), 0};
        GAME(State) s = GAME(initial)();
        int ply = 0, n;
        while ((n = GAME(moves)(s, moves)) > 0 && ply < 10000) {
            s = GAME(play)(s, moves[below(&stream, n)]);
            ply++;
        }
        *plies += ply;
        if (n == 0)
            *results += ply % 2 ? -GAME(value)(s) : GAME(value)(s);
    }
}
