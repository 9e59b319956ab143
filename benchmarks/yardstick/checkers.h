/* English draughts, as in arena_games/checkers/game_8x8.py: bit n is cell n, black moves up, and first.
 *
 *     7    31  30  29  28
 *     6  27  26  25  24           directions: 0 up left, 1 up right,
 *     ...                                     2 down left, 3 down right
 *     1     7   6   5   4
 *     0   3   2   1   0
 */

typedef struct {
    uint32_t own, other, kings; /* of the player to move, of the opponent, of both */
    uint32_t side;              /* 0 black to move, 1 white */
} checkers_State;

typedef uint64_t checkers_Move; /* path << 42 | captured << 10 | from << 5 | to */

enum { checkers_MAX_MOVES = 128 };

INLINE checkers_State checkers_state(const uint64_t *numbers)
{
    return (checkers_State){numbers[0], numbers[1], numbers[2], numbers[3]};
}

INLINE checkers_State checkers_initial(void)
{
    return (checkers_State){0x00000FFF, 0xFFF00000, 0, 0};
}

/* All pieces moved one cell; those at the edge vanish. */
INLINE uint32_t step(uint32_t pieces, int direction)
{
    const uint32_t even = pieces & 0x0F0F0F0F, odd = pieces & 0xF0F0F0F0; /* rows */
    const uint32_t not_left = 0x77777777, not_right = 0xEEEEEEEE;
    switch (direction) {
    case 0:
        return (even & not_left) << 5 | odd << 4;
    case 1:
        return even << 4 | (odd & not_right) << 3;
    case 2:
        return (even & not_left) >> 3 | odd >> 4;
    default:
        return even >> 4 | (odd & not_right) >> 5;
    }
}

/* The captures of a piece at `at` to their ends, depth first; what it took stays on the board. */
static int jumps(uint32_t at, uint64_t path, int depth, uint32_t captured, int from, int directions,
                 uint32_t other, uint32_t empty, checkers_Move *moves)
{
    int n = 0;
#pragma GCC unroll 4
    for (int d = 0; d < 4; d++) {
        if (!(directions >> d & 1))
            continue;
        const uint32_t over = step(at, d) & other & ~captured;
        const uint32_t to = step(over, d) & empty;
        if (to)
            n += jumps(to, path | (uint64_t)d << 2 * depth, depth + 1, captured | over, from, directions,
                       other, empty, moves + n);
    }
    if (n == 0 && depth > 0) {
        moves[0] = path << 42 | (uint64_t)captured << 10 | from << 5 | __builtin_ctz(at);
        n = 1;
    }
    return n;
}

/* From a cell of an even row, of an odd one, to the next in each direction. */
static const int offsets[2][4] = {{5, 4, -3, -4}, {4, 3, -4, -5}};

INLINE int moves_of_side(checkers_State s, int side, checkers_Move *moves)
{
    const uint32_t empty = ~(s.own | s.other);
    uint32_t steps[4], movers = 0, jumpers = 0;
#pragma GCC unroll 4
    for (int d = 0; d < 4; d++) {
        const uint32_t able = d >> 1 == side ? s.own : s.own & s.kings;
        steps[d] = 0;
        if (able) {
            const uint32_t beside = step(empty, 3 - d);
            steps[d] = able & beside;
            movers |= steps[d];
            jumpers |= able & step(beside & s.other, 3 - d);
        }
    }
    int n = 0;
    if (jumpers) {
        for (; jumpers; jumpers &= jumpers - 1) {
            const uint32_t piece = jumpers & -jumpers;
            const int directions = s.kings & piece ? 15 : side ? 12 : 3;
            n += jumps(piece, 0, 0, 0, __builtin_ctz(piece), directions, s.other, empty | piece, moves + n);
        }
        return n;
    }
    for (; movers; movers &= movers - 1) {
        const uint32_t piece = movers & -movers;
        const int from = __builtin_ctz(piece);
        const int *offset = offsets[from >> 2 & 1];
#pragma GCC unroll 4
        for (int d = 0; d < 4; d++)
            if (d >> 1 == side || s.kings & piece) {
                moves[n] = (uint64_t)d << 42 | from << 5 | (from + offset[d]);
                n += (steps[d] & piece) != 0;
            }
    }
    return n;
}

/* By cell, then by direction; captures alone if there is one, each with its whole path. */
INLINE int checkers_moves(checkers_State s, checkers_Move *moves)
{
    return s.side ? moves_of_side(s, 1, moves) : moves_of_side(s, 0, moves);
}

INLINE checkers_State checkers_play(checkers_State s, checkers_Move move)
{
    const uint32_t origin = (uint32_t)1 << (move >> 5 & 31), target = (uint32_t)1 << (move & 31);
    const uint32_t captured = move >> 10;
    const uint32_t crowning = s.side ? 0x0000000F : 0xF0000000;
    const uint32_t crowned = s.kings & origin || target & crowning ? target : 0;
    return (checkers_State){s.other & ~captured, (s.own & ~origin) | target,
                            (s.kings & ~(origin | captured)) | crowned, !s.side};
}

/* Whoever cannot move loses. */
INLINE int checkers_value(checkers_State s)
{
    (void)s;
    return -1;
}

/* Men count 1, kings 2. */
INLINE int checkers_evaluate(checkers_State s)
{
    return __builtin_popcount(s.own) - __builtin_popcount(s.other) + __builtin_popcount(s.own & s.kings)
         - __builtin_popcount(s.other & s.kings);
}
