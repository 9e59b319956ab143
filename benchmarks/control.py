"""Measure how much narrower intervals are with the luck in moves removed, and what that costs.

    python benchmarks/control.py [--quick] [--write]

Each row is a match with seed 1. `--quick` plays a twentieth of the matches. `--write` puts the table into
docs/how-to/take-luck-out.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from page import show

import arena

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "take-luck-out.md"


class Row(NamedTuple):
    """A match to measure.

    Attributes:
        game: The game.
        first: First entry.
        second: Second entry.
        control: Entry that values moves.
        matches: Number of matches.
        plies: Number of random plies at the beginning.
    """

    game: str
    first: str
    second: str
    control: str
    matches: int
    plies: int = 4


LADDER = "perfect:epsilon=0.2", "perfect:epsilon=0.4"
ROWS = [
    Row("tic-tac-toe", "random", "greedy", "minimax", 2000, 1),
    Row("checkers-4x4", "random", "alpha-beta:depth=1", "alpha-beta:depth=3", 2000, 0),
    Row("connect-four", "random", "random", "alpha-beta:depth=2", 2000),
    Row("connect-four", "random", "random", "alpha-beta:depth=6", 2000),
    Row("connect-four", "random", "greedy", "alpha-beta:depth=6", 2000),
    Row("connect-four", *LADDER, "alpha-beta:depth=8", 400, 8),
    Row("connect-four", *LADDER, "perfect", 400, 8),
    Row("checkers", "random", "random", "alpha-beta:depth=2", 2000),
    Row("checkers", "random", "random", "alpha-beta:depth=6", 2000),
    Row(
        "checkers", "alpha-beta:depth=1", "alpha-beta:depth=1,evaluation=material", "alpha-beta:depth=6", 2000
    ),
    Row(
        "checkers", "alpha-beta:depth=4", "alpha-beta:depth=4,evaluation=material", "alpha-beta:depth=4", 1000
    ),
]


def lines(quick: bool) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| game | first | second | control | matches | without | with | as times the matches | as soon |"
    yield "|---|---|---|---|---:|---:|---:|---:|---:|"
    for row in ROWS:
        found = arena.match(
            row.first,
            row.second,
            game=row.game,
            control=row.control,
            matches=row.matches // 20 if quick else row.matches,
            openings=f"random:{row.plies}" if row.plies else "none",
            seed=1,
            progress=False,
        ).controlled
        assert found
        without, less = (50 * (one.high - one.low) for one in (found.plain, found.controlled))
        yield (
            f"| {row.game} | {row.first} | {row.second} | {row.control} | {2 * found.pairs:,} "
            f"| ± {without:.1f} % | ± {less:.1f} % | {found.times or 0:.1f} | {found.sooner or 0:.2f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    show(lines(args.quick), PAGE, "control.py", args.write)


if __name__ == "__main__":
    main()
