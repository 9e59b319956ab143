"""What a learner comes to at tic-tac-toe by seed, evaluated exactly.

    python leaderboards/neural/exact.py ENTRY FILE [--seeds 10]

A row for each seed, opponent and seat: the probabilities that it wins, draws and loses. Seeds that are in the
file already are left as they are.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import arena

OPPONENTS = ("random", "minimax", "minimax:ties=first", "itself")
FIELDS = ("entry", "seed", "opponent", "seat", "won", "drawn", "lost")


def rows(entry: str, seed: int) -> Iterator[tuple[str | int, ...]]:
    """What one learner comes to."""
    player = f"{entry}{',' if ':' in entry else ':'}seed={seed}"
    arena.train(player, game="tic-tac-toe", workers=1)
    for opponent in OPPONENTS:
        met = player if opponent == "itself" else opponent
        pairings = arena.exact(player, met, game="tic-tac-toe", executor="serial").pairings
        for pairing in pairings[: 1 if opponent == "itself" else 2]:
            seat = 2 if pairing.first == opponent else 1
            ended = (pairing.wins, pairing.draws, pairing.losses)[:: 1 if seat == 1 else -1]
            yield (entry, seed, opponent, seat, *(f"{share:.10f}" for share in ended))


def known(path: Path, entry: str) -> set[int]:
    """The seeds that a file has."""
    if not path.exists():
        return set()
    with path.open(encoding="utf-8", newline="") as file:
        return {int(row["seed"]) for row in csv.DictReader(file) if row["entry"] == entry}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("entry")
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", type=int, default=10, help="how many, from 0 on")
    args = parser.parse_args()
    found = known(args.file, args.entry)
    if not args.file.exists():
        args.file.write_text(",".join(FIELDS) + "\n", encoding="utf-8")
    for seed in range(args.seeds):
        if seed not in found:
            lines = list(rows(args.entry, seed))
            with args.file.open("a", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(lines)


if __name__ == "__main__":
    main()
