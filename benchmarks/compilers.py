"""Compare arena's compiler with numba on the same functions: speed, time to compile, and results.

python benchmarks/compilers.py             # --quick: few iterations, to see that it runs
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial

import numba
import numpy as np

from arena import Component, Game, compiled
from arena_games.tic_tac_toe import TicTacToe

TIMES = 9  # each function, by turns
COUNT = 2_000_000  # iterations of its loop
MASK = (1 << 31) - 1


def bits(count: int) -> int:
    """Shift and count bits, as the rules of games with bitboards do."""
    board, found = 12345, 0
    for i in range(count):
        board = (board * 48271 + i) & MASK
        rest = board & 0xFFFF
        while rest:
            rest &= rest - 1
            found += 1
    return found


def sums(weights: np.ndarray, count: int) -> float:
    """Add products of floats, as linear evaluations do."""
    total = 0.0
    for i in range(count):
        total += weights[i & 1023] * weights[(i * 7) & 1023]
    return total


def lists(count: int) -> int:
    """Make short lists of moves, as `moves` does."""
    total = 0
    for i in range(count // 8):
        moves = []
        for column in range(8):
            if (i >> column) & 1 == 0:
                moves.append(column)
        for move in moves:
            total += move
    return total


class Kernels(Component):
    """The same functions as compiled methods."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.weights = np.linspace(-1.0, 1.0, 1024)

    @compiled
    def same(self, count: int) -> int:
        return count

    @compiled
    def bits(self, count: int) -> int:
        return bits(count)

    @compiled
    def sums(self, count: int) -> float:
        return sums(self.weights, count)

    @compiled
    def lists(self, count: int) -> int:
        return lists(count)


def seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def rows(count: int) -> Iterator[tuple[str, float, float, float, bool]]:
    """Yield each function's speed relative to numba's, the CPU seconds to compile it, and equality."""
    kernels = Kernels(TicTacToe())
    weights = kernels.weights.view(np.ndarray)
    cases: list[tuple[Callable[..., object], tuple[object, ...]]] = [
        (bits, ()),
        (sums, (weights,)),
        (lists, ()),
    ]
    for plain, given in cases:
        ours, theirs = getattr(kernels, plain.__name__), partial(numba.njit(plain), *given)
        compiling = seconds(partial(ours, 8)), seconds(partial(theirs, 8))
        ratios = []
        for _ in range(TIMES):
            own = seconds(partial(ours, count))
            ratios.append(seconds(partial(theirs, count)) / own)
        equal = ours(count) == plain(*given, count) == theirs(count)
        yield plain.__name__, statistics.median(ratios), *compiling, equal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few iterations")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ARENA_CACHE"] = folder  # so that nothing is compiled before
        numba.njit(lambda n: n)(1)  # what a compiler does once in a process
        Kernels(TicTacToe()).same(1)
        heads = (
            "function",
            "speed, numba = 1",
            "compiling, arena",
            "compiling, numba",
            "equal to plain Python",
        )
        print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
        for name, ratio, own, other, equal in rows(COUNT // 1000 if quick else COUNT):
            print(f"| {name} | {ratio:.2f} | {own:.2f} s | {other:.2f} s | {'yes' if equal else 'no'} |")


if __name__ == "__main__":
    main()
