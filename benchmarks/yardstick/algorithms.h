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

/* UCT (Kocsis & Szepesvári 2006), as in arena_mcts/tree.py. A node is a move, node 0 the one that led to the
 * root; the children of a node lie side by side, those first that were visited. */
typedef struct {
    GAME(Move) move;
    long visits, score; /* half points */
    int first, children;
} GAME(Node);

INLINE int GAME(expand)(GAME(Node) *tree, int *used, int node, GAME(State) s)
{
    GAME(Move) moves[GAME(MAX_MOVES)];
    const int n = GAME(moves)(s, moves);
    for (int i = 0; i < n; i++)
        tree[*used + i] = (GAME(Node)){moves[i], 0, 0, 0, 0};
    tree[node].first = *used;
    tree[node].children = n;
    *used += n;
    return n;
}

INLINE int GAME(select)(GAME(Node) *tree, int node, double width, Stream *stream)
{
    const int first = tree[node].first, n = tree[node].children, last = first + n - 1;
    if (tree[last].visits == 0) {
        int child = first;
        while (tree[child].visits > 0)
            child++;
        if (child < last) {
            const int other = child + below(stream, last - child + 1);
            const GAME(Move) move = tree[child].move;
            tree[child].move = tree[other].move;
            tree[other].move = move;
        }
        return child;
    }
    const double logarithm = log(tree[node].visits);
    double most = -1;
    int best = first;
    for (int child = first; child <= last; child++) {
        const double seen = tree[child].visits;
        const double bound = (tree[child].score + width * sqrt(logarithm * seen)) / seen;
        if (bound > most) {
            most = bound;
            best = child;
        }
    }
    return best;
}

/* The root's visits, by move in their order: their number. */
static int GAME(uct)(GAME(State) root, long playouts, uint64_t seed, long *visits)
{
    enum { LONGEST = 10000 };
    static int path[LONGEST + 1];
    GAME(Move) moves[GAME(MAX_MOVES)];
    GAME(Node) *tree = malloc(((playouts + 1) * GAME(MAX_MOVES) + 1) * sizeof *tree);
    const double width = 2 * sqrt(2);
    Stream stream = {seed, 0};
    int used = 1;
    tree[0] = (GAME(Node)){0, 0, 0, 0, 0};
    GAME(expand)(tree, &used, 0, root);
    for (long i = 0; i < playouts; i++) {
        GAME(State) s = root;
        int node = 0, ply = 0, new = 0, n, plies = 0;
        while (ply < LONGEST) {
            if (tree[node].children == 0 && (new || GAME(expand)(tree, &used, node, s) == 0))
                break;
            node = GAME(select)(tree, node, width, &stream);
            new = tree[node].visits == 0;
            s = GAME(play)(s, tree[node].move);
            path[++ply] = node;
        }
        while ((n = GAME(moves)(s, moves)) > 0 && plies < LONGEST) {
            s = GAME(play)(s, moves[below(&stream, n)]);
            plies++;
        }
        int value = n == 0 ? GAME(value)(s) : 0;
        if (plies % 2)
            value = -value;
        for (; ply > 0; ply--) {
            value = -value;
            tree[path[ply]].visits++;
            tree[path[ply]].score += 1 + value;
        }
        tree[0].visits++;
    }
    const int n = GAME(moves)(root, moves);
    for (int i = 0; i < n; i++)
        for (int child = tree[0].first; child < tree[0].first + n; child++)
            if (tree[child].move == moves[i])
                visits[i] = tree[child].visits;
    free(tree);
    return n;
}
