"""The table of results of a tree that is made once, exactly: writes document.csv.

    python leaderboards/mcts/document.py

A row for each entry, seat and opponent, in per cent of matches. `itself` is the same entry across the board.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import arena

HERE = Path(__file__).parent
COLUMNS = ("entry", "seat", "opponent", "won", "drawn", "lost")
OPPONENTS = ("random", "minimax", "minimax:ties=first", "itself")


def rows(entry: str) -> Iterator[tuple[str, ...]]:
    """How an entry does, from either seat."""
    for opponent in OPPONENTS:
        found = arena.exact(
            entry, entry if opponent == "itself" else opponent, game="tic-tac-toe", progress=False
        )
        as_first, as_second = found.pairings[0], found.pairings[-1]
        yield entry, "first", opponent, *map(shown, (as_first.wins, as_first.draws, as_first.losses))
        yield entry, "second", opponent, *map(shown, (as_second.losses, as_second.draws, as_second.wins))


def shown(probability: float) -> str:
    return f"{100 * probability:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10, help="trees with ties broken at random")
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of this folder")
    args = parser.parse_args()
    entries = ["mcts-table", *(f"mcts-table:ties=random,seed={seed}" for seed in range(args.seeds))]
    with (args.to / "document.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for entry in entries:
            writer.writerows(rows(entry))


if __name__ == "__main__":
    main()
