"""Measure the CPU time of the solver of connect four, beside BitBully if installed: pip install bitbully.

    python benchmarks/solver.py [--positions N] [--plies P…] [--empty] [--memory MB] [--threads N]

Positions are random, after several numbers of plies, each solved with the number of plies left. Both programs
keep what they have found from one position to the next. `--empty` also solves the empty board, first without
distances, then with them, which BitBully always computes, and then by several threads of arena. Values are
compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from time import perf_counter, process_time
from typing import Any

from arena import Rng
from arena.analysis.solving import Searched
from arena.rng import derive
from arena_games.connect_four import ConnectFour
from arena_games.connect_four_solver import ConnectFourSolver

GAME = ConnectFour()

Solved = Callable[[list[int]], tuple[int | None, int | None]]  # gives value and plies left after a line


def random_lines(count: int, plies: int) -> list[list[int]]:
    """Return moves to positions in which nobody has won or can win at once."""
    found: list[list[int]] = []
    number = 0
    while len(found) < count:
        rng, state, line = Rng(derive(7, plies, number)), GAME.initial(), list[int]()
        number += 1
        while len(line) < plies and (moves := GAME.moves(state)):
            line.append(rng.choice(list(moves)))
            state = GAME.play(state, line[-1])
        after = [GAME.play(state, move) for move in GAME.moves(state)]
        if len(line) == plies and after and not any(GAME.value(one) for one in after):
            found.append(line)
    return found


def searched(memory: int, distance: bool, threads: int = 1) -> Solved:
    """Return a function that solves the position after a line by arena's compiled solver.

    It returns the value and the number of plies left.
    """
    solver = ConnectFourSolver(game=GAME, places=(memory << 20) // 16 * 2, book=False)
    solver.attempt(GAME.initial(), solver.cells, 1)
    solver.table.fill(0)  # or the system, which gives memory when it is written, is timed with the first
    by = Searched(solver, distance, lambda visited: None, threads)
    for helper in by.helpers:
        helper.attempt(GAME.initial(), solver.cells, 1)

    def worth(line: list[int]) -> tuple[int | None, int | None]:
        state = GAME.initial()
        for move in line:
            state = GAME.play(state, move)
        value, plies = by.worth(state)
        return value, plies

    return worth


def by_bitbully() -> Solved:
    """Return a function that solves the position after a line by BitBully, as in `searched`."""
    from bitbully import bitbully_core as core  # type: ignore[import-not-found, unused-ignore] # an option

    other: Any = core.BitBullyCore()
    solver = ConnectFourSolver.of(GAME, 1 << 20)

    def worth(line: list[int]) -> tuple[int | None, int | None]:
        board, state = core.BoardCore(), GAME.initial()
        for move in line:
            board.play(move)
            state = GAME.play(state, move)
        score = other.mtdf(board, 0)
        return (score > 0) - (score < 0), solver.plies(state, score) if score else None

    return worth


Measured = tuple[float, list[tuple[int | None, int | None]]]  # CPU seconds, and what was told


def timed(worth: Solved, lines: list[list[int]]) -> Measured:
    begun = process_time()
    told = [worth(line) for line in lines]
    return process_time() - begun, told


def row_of(what: str, ours: Measured, other: Measured | None, distance: bool = True) -> str:
    """Return a row of the table."""
    seconds, values = ours
    if other is None:
        return f"{what:32} {seconds:8.2f}"
    known = 1 + distance
    equal = all(a[:known] == b[:known] for a, b in zip(values, other[1], strict=True))
    ratio = seconds / other[0]
    return f"{what:32} {seconds:8.2f} {other[0]:8.2f} {ratio:6.3f}  {'equal' if equal else 'UNEQUAL'}"


def row_of_threads(memory: int, threads: int) -> str:
    """Return how much faster several threads solve the empty board than one."""
    taken = []
    for count in (1, threads):
        worth = searched(memory, False, count)
        begun = perf_counter()
        worth([])
        taken.append(perf_counter() - begun)
    return (
        f"who wins, by one thread {taken[0]:.2f} s, by {threads} {taken[1]:.2f} s: {taken[0] / taken[1]:.2f}x"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--plies", type=int, nargs="+", default=[12, 8])
    parser.add_argument("--empty", action="store_true", help="the empty board, too, which takes minutes")
    parser.add_argument("--memory", type=int, default=1024, help="megabytes of the table")
    parser.add_argument("--threads", type=int, default=2, help="of the last row with --empty")
    options = parser.parse_args()

    def peer(lines: list[list[int]]) -> Measured | None:
        return timed(by_bitbully(), lines) if find_spec("bitbully") else None

    def ours(lines: list[list[int]], distance: bool = True) -> Measured:
        return timed(searched(options.memory, distance), lines)

    print(f"{'CPU seconds':32} {'arena':>8} {'BitBully':>8} {'ratio':>6}")
    for plies in options.plies:
        lines = random_lines(options.positions, plies)
        print(row_of(f"{len(lines):,} after {plies} plies", ours(lines), peer(lines)), flush=True)
    if options.empty:
        other = peer([[]])
        print(row_of("empty board, who wins", ours([[]], False), other, False), flush=True)
        print(row_of("empty board, with distance", ours([[]]), other), flush=True)
        print(row_of_threads(options.memory, options.threads), flush=True)


if __name__ == "__main__":
    main()
