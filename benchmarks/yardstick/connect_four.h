/* Connect four, as in arena_games/connect_four.py: a column has 7 bits, of which the top one stays empty.
 *
 *     5 12 19 26 33 40 47
 *     ...
 *     0  7 14 21 28 35 42
 */

typedef struct {
    uint64_t own, coins; /* of the player to move, of both */
} connect_four_State;

typedef uint64_t connect_four_Move; /* the bottom bit of the column */

enum { connect_four_MAX_MOVES = 7 };

static const uint64_t ROW = 0x3F; /* all six cells of column 0 */

INLINE connect_four_State connect_four_state(const uint64_t *numbers)
{
    return (connect_four_State){numbers[0], numbers[1]};
}

INLINE connect_four_State connect_four_initial(void)
{
    return (connect_four_State){0, 0};
}

INLINE int has_four(uint64_t coins)
{
    const uint64_t level = coins & coins >> 7, falling = coins & coins >> 6;
    const uint64_t rising = coins & coins >> 8, upright = coins & coins >> 1;
    return ((level & level >> 14) | (falling & falling >> 12) | (rising & rising >> 16)
            | (upright & upright >> 2)) != 0;
}

/* From the middle outwards. */
INLINE int connect_four_moves(connect_four_State s, connect_four_Move *moves)
{
    static const int order[7] = {3, 2, 4, 1, 5, 0, 6};
    if (has_four(s.own ^ s.coins))
        return 0;
    int n = 0;
    for (int i = 0; i < 7; i++) {
        const int bottom = 7 * order[i];
        if (!(s.coins >> (bottom + 5) & 1))
            moves[n++] = (uint64_t)1 << bottom;
    }
    return n;
}

INLINE connect_four_State connect_four_play(connect_four_State s, connect_four_Move move)
{
    return (connect_four_State){s.own ^ s.coins, s.coins | (s.coins + move)};
}

INLINE int connect_four_value(connect_four_State s)
{
    return has_four(s.own ^ s.coins) ? -1 : 0;
}

/* Coins count 3, 2, 1, 0 from the middle column outwards. */
INLINE int connect_four_evaluate(connect_four_State s)
{
    const uint64_t centre = ROW << 21, inner = ROW << 14 | ROW << 28, outer = ROW << 7 | ROW << 35;
    const uint64_t other = s.own ^ s.coins;
    return 3 * (__builtin_popcountll(s.own & centre) - __builtin_popcountll(other & centre))
         + 2 * (__builtin_popcountll(s.own & inner) - __builtin_popcountll(other & inner))
         + __builtin_popcountll(s.own & outer) - __builtin_popcountll(other & outer);
}
