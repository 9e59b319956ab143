/* The yardstick: what a C programmer gets on this machine for the work that arena's compiled code does.
 *
 *     gcc -O3 -march=native -ffp-contract=off -o yardstick yardstick.c -lm
 *     yardstick perft GAME DEPTH
 *     yardstick alpha-beta GAME DEPTH [POSITION]
 *     yardstick playouts GAME MATCHES SEED
 *     yardstick uct GAME PLAYOUTS SEED [POSITION]
 *
 * GAME is connect-four or checkers; a POSITION is the integers of its state, by default the start. Prints
 * the results, which are arena's, and the seconds of CPU time it took:
 *
 *     perft       lines
 *     alpha-beta  value nodes
 *     playouts    plies results
 *     uct         playouts, then those through each move of the root
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INLINE static inline __attribute__((always_inline))

#include "yardstick/random.h"

#include "yardstick/connect_four.h"
#define GAME(name) connect_four_##name
#include "yardstick/algorithms.h"
#undef GAME

#include "yardstick/checkers.h"
#define GAME(name) checkers_##name
#include "yardstick/algorithms.h"
#undef GAME

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

static int usage(void)
{
    fprintf(stderr, "usage: yardstick perft|alpha-beta|playouts|uct connect-four|checkers "
                    "DEPTH|MATCHES|PLAYOUTS [SEED] [POSITION]\n");
    return 2;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return usage();
    const char *mode = argv[1], *game = argv[2];
    const int checkers = !strcmp(game, "checkers");
    if (!checkers && strcmp(game, "connect-four"))
        return usage();
    const long amount = strtol(argv[3], NULL, 10);
    const int given = argc - 4;
    uint64_t numbers[5] = {0};
    for (int i = 0; i < given && i < 5; i++)
        numbers[i] = strtoull(argv[4 + i], NULL, 10);

    long first = 0, second = 0, visits[checkers_MAX_MOVES];
    const int words = checkers ? 4 : 2;
    int moves = 0;
    const double start = seconds();
    if (!strcmp(mode, "playouts") && given == 1) {
        if (checkers)
            checkers_playouts(amount, numbers[0], &first, &second);
        else
            connect_four_playouts(amount, numbers[0], &first, &second);
    } else if (!strcmp(mode, "perft") && given == 0 && amount > 0) {
        first = checkers ? checkers_perft(checkers_initial(), amount)
                         : connect_four_perft(connect_four_initial(), amount);
    } else if (!strcmp(mode, "alpha-beta") && (given == 0 || given == words)) {
        if (checkers)
            first = checkers_alpha_beta(given ? checkers_state(numbers) : checkers_initial(), amount, &second);
        else
            first = connect_four_alpha_beta(given ? connect_four_state(numbers) : connect_four_initial(),
                                            amount, &second);
    } else if (!strcmp(mode, "uct") && (given == 1 || given == 1 + words)) {
        first = amount;
        if (checkers)
            moves = checkers_uct(given > 1 ? checkers_state(numbers + 1) : checkers_initial(), amount,
                                 numbers[0], visits);
        else
            moves = connect_four_uct(given > 1 ? connect_four_state(numbers + 1) : connect_four_initial(),
                                     amount, numbers[0], visits);
    } else {
        return usage();
    }
    const double taken = seconds() - start;
    printf("%ld ", first);
    if (!strcmp(mode, "alpha-beta") || !strcmp(mode, "playouts"))
        printf("%ld ", second);
    for (int i = 0; i < moves; i++)
        printf("%ld ", visits[i]);
    printf("%.9f\n", taken);
    return 0;
}
