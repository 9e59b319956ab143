"""Solves all positions of connect four after eight plies, and writes the book of its solver.

    python leaderboards/connect-four/book.py             writes the book: half an hour on two cores
    python leaderboards/connect-four/book.py --check 50  solves 50 of its positions again, without it

Both print how many positions are won, drawn and lost for the first player after each ply up to there. With
--table FILE what was found out is kept, so that it can be stopped and called again.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from arena.analysis.solving import Searched
from arena.analysis.table_file import Head, mapped, read_head
from arena.api.game import State
from arena_games import connect_four_book
from arena_games.connect_four import ConnectFour
from arena_games.connect_four_solver import ConnectFourSolver

MEMORY = 3 << 30  # bytes
GAME = ConnectFour()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", type=int, metavar="N")
    parser.add_argument("--table", type=Path, metavar="FILE")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    asked = parser.parse_args()
    plies = levels(connect_four_book.PLIES)
    if asked.check is None:
        write(plies[-1], asked.table, asked.threads)
    else:
        check(plies[-1], asked.check)
    for ply, counts in enumerate(counted(plies)):
        print(ply, *counts)


def levels(plies: int) -> list[dict[State, int]]:
    """After each ply the positions, and how many each stands for: itself, and its mirror image if another.

    In an order in which neighbours have much in common.
    """
    found: list[dict[State, int]] = [{} for _ in range(plies + 1)]

    def walk(state: State, ply: int) -> None:
        image = GAME.image(state, 1)
        copies = 1 + (state != image)
        state = min(state, image)
        if state not in found[ply]:
            found[ply][state] = copies
            for move in GAME.moves(state) if ply < plies else ():
                walk(GAME.play(state, move), ply + 1)

    walk(GAME.initial(), 0)
    return found


def write(positions: dict[State, int], table: Path | None, threads: int) -> None:
    """Solve positions, and write them down."""
    solver = ConnectFourSolver(game=GAME, places=MEMORY // 16 * 2, book=False)
    if table is not None:
        head = read_head(table, "connect four") or Head("connect four", MEMORY)
        solver.table = mapped(table, head, solver.table)
    solvers = [solver, *(solver.helper() for _ in range(1, threads))]
    for one in solvers:
        one.together = False  # each has positions of its own
    left = enumerate(positions)
    values = np.zeros(len(positions), np.int8)

    def solve(some: Iterator[tuple[int, State]], own: ConnectFourSolver) -> None:
        search = Searched(own, distance=False)
        for i, state in some:
            values[i] = search.worth(state).value
            if i % 1000 == 0:
                print(f"{i:,} of {len(values):,}", flush=True)

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(solve, left, one) for one in solvers]:
            done.result()
    keys = np.array([key_of(solver, state) for state in positions])
    order = np.argsort(keys)
    connect_four_book.write(keys[order], values[order])


def check(positions: dict[State, int], n: int) -> None:
    """Solve some positions again, and compare."""
    book = dict(zip(*map(np.ndarray.tolist, connect_four_book.read()), strict=True))
    solver = ConnectFourSolver(game=GAME, book=False)
    search = Searched(solver, distance=False)
    for state in random.sample(list(positions), n):
        assert search.worth(state).value == book[key_of(solver, state)], GAME.position_text(state)
    print(f"{n} positions are worth what the book says")


def counted(plies: list[dict[State, int]]) -> list[tuple[int, int, int]]:
    """How many positions are won, drawn and lost for the first player after each ply, by the book."""
    solver = ConnectFourSolver(game=GAME, places=1 << 20)
    search = Searched(solver, distance=False)
    found = []
    for ply, positions in enumerate(plies):
        counts = Counter[int]()
        for state, copies in positions.items():
            counts[search.worth(state).value or 0] += copies
        sign = 1 if ply % 2 == 0 else -1
        found.append((counts[sign], counts[0], counts[-sign]))
    return found


def key_of(solver: ConnectFourSolver, state: State) -> int:
    own, coins = state
    return solver.key_of(own, coins, connect_four_book.PLIES)


if __name__ == "__main__":
    main()
