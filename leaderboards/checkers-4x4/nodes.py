"""Positions that minimax and alpha-beta visit from the first position, by depth: nodes.csv.

    python leaderboards/checkers-4x4/nodes.py [--quick] [--to FILE]

minimax: nodes of the tree. distinct: positions apart at each ply, which is what `minimax` searches, as it
keeps values. minimal: what alpha-beta has to visit if it always comes upon the best move first (Knuth & Moore
1975, theorem 1), were all positions of a ply to have as many moves as they have on average. alpha-beta: in
the order of the game's moves; ordered: those first that captured or cut elsewhere; table: with a
transposition table too. The root counts. Values that differ end it with an error.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from arena.analysis.perft import perft
from arena.api.game import Game
from arena.compiler import with_compiled_rules
from arena.registry.plugins import registry
from arena_agents.search.alpha_beta import Search

FILE = Path(__file__).parent / "nodes.csv"
PLACES = 1 << 20  # of the table
GAMES = {  # evaluation and depth of each
    "checkers-4x4": ("piece-and-board", 14),
    "checkers": ("piece-and-board", 10),
    "tic-tac-toe": ("none", 9),
    "connect-four": ("own", 9),
}
QUICK = 4  # plies
COLUMNS = ("game", "evaluation", "depth", "minimax", "distinct", "minimal", "alpha-beta", "ordered", "table")


def distinct(game: Game, depth: int) -> list[int]:
    """The number of positions after 0, 1, … plies."""
    states, counts = {game.initial()}, [1]
    for _ in range(depth):
        states = {game.play(state, move) for state in states for move in game.moves(state)}
        counts.append(len(states))
    return counts


def minimal(levels: list[int]) -> list[float]:
    """The least nodes of each level that prove the root's value, of so many nodes in all, 1 for the root."""
    odd, even, found = 1.0, 1.0, [1.0]  # products of the branching at odd and at even plies
    for ply in range(1, len(levels)):
        branching = levels[ply] / levels[ply - 1]
        if ply % 2:
            odd *= branching
        else:
            even *= branching
        found.append(odd + even - 1)
    return found


def visited(game: Game, evaluation: str, depth: int, ordering: bool, places: int) -> tuple[float, int]:
    """The first position's value, and the positions that alpha-beta visits for it."""
    judge = registry().spec("evaluation", evaluation).make(game)
    search = Search(game=game, evaluation=judge, deepest=depth, ordering=ordering, places=places)
    return search.value(game.initial(), depth), search.visited


def rows(name: str, evaluation: str, deepest: int) -> Iterator[list[str | int]]:
    """A row for each depth."""
    game = with_compiled_rules(registry().spec("game", name).make())
    levels = [1, *perft(game, game.initial(), deepest)]
    columns = map(accumulate, (levels, distinct(game, deepest), minimal(levels)))
    for depth, (nodes, apart, least) in enumerate(zip(*columns, strict=True)):
        if depth:
            ways = ((False, 0), (True, 0), (True, PLACES))
            values, counts = zip(*(visited(game, evaluation, depth, *way) for way in ways), strict=True)
            if len(set(values)) > 1:
                raise SystemExit(f"{name}, depth {depth}: searches come to {values}")
            yield [name, evaluation, depth, nodes, apart, round(least), *counts]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"to depth {QUICK}")
    parser.add_argument("--to", type=Path, default=FILE, metavar="FILE", help="instead of nodes.csv")
    asked = parser.parse_args()
    found = [COLUMNS]
    for name, (evaluation, deepest) in GAMES.items():
        found += rows(name, evaluation, min(deepest, QUICK) if asked.quick else deepest)
        print(name, flush=True)
    with asked.to.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(found)


if __name__ == "__main__":
    main()
