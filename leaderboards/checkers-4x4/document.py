"""What "Math of Turn-Based Strategy Games" has numbers of, as files beside this.

    python leaderboards/checkers-4x4/document.py [--to FOLDER]

states.csv: how many states its search for them comes to, by the order in which cells are gone through, and
how many of these are different. sweeps.csv: the largest change of a value in each sweep of value iteration,
as the published program does it, and as it should be under both rules for who cannot move. values.csv: what
the first moves are worth for BLUE against random play. stored.csv: of the values as published after the
sweeps that its program has stored them after, how many are not 0, the largest, and their sum.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from arena.api.game import Game, Move, State
from arena.registry.plugins import registry
from arena.training.learners import untrained
from arena_games.checkers.game_4x4 import CELLS, origin

HERE = Path(__file__).parent
RULES = {"loses": "checkers-4x4", "draws": "checkers-4x4:capture_to_win=true"}  # who cannot move
PRINTED = 40  # sweeps
STORED = 33  # sweeps after which the program has stored its values
ORDERS = {  # of cells (x, y)
    "x, then y": lambda cell: cell,
    "y, then x": lambda cell: cell[::-1],
    "x falling, then y falling": lambda cell: (-cell[0], -cell[1]),
    "y falling, then x falling": lambda cell: (-cell[1], -cell[0]),
    "x, then y falling": lambda cell: (cell[0], -cell[1]),
    "x falling, then y": lambda cell: (-cell[0], cell[1]),
}


def ordered(game: Game, state: State, cells: Sequence[int]) -> list[Move]:
    """The moves by the cell they start from, each one's by direction: NW, NE, SW, SE."""
    return sorted(game.moves(state), key=lambda move: (cells.index(origin(move)), move >> 14))


def searched(game: Game, cells: Sequence[int]) -> tuple[int, int]:
    """How many boards the program's depth-first search puts into its set, and how many are different.

    The set holds boards by identity. A board is put onto the stack unless one like it has been taken from
    there, so boards that are put there more than once before count as often. Moves go from cell to cell.
    """
    met, boards, stack = set(), 0, [game.initial()]
    while stack:
        board = stack.pop()
        met.add(board)
        boards += 1
        for move in ordered(game, board, cells):
            between = game.play(board, move)
            for reply in ordered(game, between, cells):
                after = game.play(between, reply)
                if after not in met:
                    stack.append(after)
    return boards, len(met)


def states() -> Iterable[Sequence[Any]]:
    """The rows of states.csv."""
    game = registry().spec("game", RULES["loses"]).make()
    yield "cells by", "boards", "different"
    for name, key in ORDERS.items():
        yield name, *searched(game, sorted(range(8), key=lambda n: key(CELLS[n])))


def iterated(entry: str, game: str) -> Any:
    """A learner over all positions that has done its sweeps."""
    learner: Any = untrained(registry().spec("agent", entry), registry().spec("game", game))
    learner.learn_many(range(learner.episodes), [0, 0, 0])
    return learner


def sweeps() -> Iterable[Sequence[Any]]:
    """The rows of sweeps.csv; what is done early has no more changes."""
    columns = {"as published": iterated(f"value-iteration:episodes={PRINTED},published=true", RULES["loses"])}
    columns |= {f"who is stuck {ends}": iterated("value-iteration", game) for ends, game in RULES.items()}
    yield "sweep", *columns
    changes = [learner.findings()["change"] for learner in columns.values()]
    for sweep, found in enumerate(zip_longest(*changes, fillvalue="")):
        yield sweep, *found


def values() -> Iterable[Sequence[Any]]:
    """The rows of values.csv, by two ways to find them."""
    yield "who is stuck", "entry", "move", "value"
    for ends, name in RULES.items():
        for entry in ("value-iteration", "policy-iteration"):
            learner = iterated(entry, name)
            start = learner.game.initial()
            moves = list(learner.game.moves(start))
            for move, view in zip(moves, learner.explain(start, moves), strict=True):
                yield ends, entry, learner.game.move_text(move), f"{view.facts['score']:.4f}"


def stored() -> Iterable[Sequence[Any]]:
    """The row of stored.csv."""
    learner = iterated(f"value-iteration:episodes={STORED},published=true", RULES["loses"])
    model, game = learner.model(), learner.game
    pairs = zip(model["states"].tolist(), model["own"].tolist(), strict=True)
    found = [value for state, value in pairs if game.to_move(tuple(state)) == 0]
    yield "sweeps", "positions", "not 0", "largest", "sum"
    yield STORED, len(found), sum(value != 0 for value in found), max(found), math.fsum(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=HERE, metavar="FOLDER", help="instead of this one")
    asked = parser.parse_args()
    tables = {"states": states(), "sweeps": sweeps(), "values": values(), "stored": stored()}
    for name, rows in tables.items():
        with (asked.to / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        print(name)


if __name__ == "__main__":
    main()
