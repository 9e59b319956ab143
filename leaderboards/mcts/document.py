"""The table of results of a tree that is made once: writes document.csv and samples.csv.

    python leaderboards/mcts/document.py

In document.csv, exactly, a row for each entry, seat and opponent, in per cent of matches. `itself` is the
same entry across the board. In samples.csv, what came of as many matches against random moves as the
document has, a row for each seat and seed.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import arena

HERE = Path(__file__).parent
COLUMNS = ("entry", "seat", "opponent", "won", "drawn", "lost")
SAMPLE_COLUMNS = ("seat", "seed", "wins", "draws", "losses")
MATCHES = 1000  # the document's, from either seat
HOW: dict[str, Any] = {"executor": "serial", "workers": 1, "progress": False}
OPPONENTS = ("random", "minimax", "minimax:ties=first", "itself")


def rows(entry: str) -> Iterator[tuple[str, ...]]:
    """How an entry does, from either seat."""
    for opponent in OPPONENTS:
        found = arena.exact(entry, entry if opponent == "itself" else opponent, game="tic-tac-toe", **HOW)
        as_first, as_second = found.pairings[0], found.pairings[-1]
        yield entry, "first", opponent, *map(shown, (as_first.wins, as_first.draws, as_first.losses))
        yield entry, "second", opponent, *map(shown, (as_second.losses, as_second.draws, as_second.wins))


def samples(seeds: int) -> Iterator[tuple[str | int, ...]]:
    """What a number of matches against random moves come to, as far as chance decides it."""
    for seed in range(seeds):
        found = arena.match(
            "mcts-table", "random", game="tic-tac-toe", matches=2 * MATCHES, seed=seed, streams=1, **HOW
        )
        as_first, as_second = found.pairings
        yield "first", seed, as_first.wins, as_first.draws, as_first.losses
        yield "second", seed, as_second.losses, as_second.draws, as_second.wins


def shown(probability: float) -> str:
    return f"{100 * probability:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10, help="trees with ties broken at random, and samples")
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of this folder")
    args = parser.parse_args()
    entries = ["mcts-table", *(f"mcts-table:ties=random,seed={seed}" for seed in range(args.seeds))]
    write(args.to / "document.csv", COLUMNS, (row for entry in entries for row in rows(entry)))
    write(args.to / "samples.csv", SAMPLE_COLUMNS, samples(args.seeds))


def write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str | int]]) -> None:
    """A table as a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
