"""Measure how long the one process that records takes for a match, and so how many it could record a second.

    python benchmarks/writer.py [--quick] [--write]

Each tournament is a command of its own, with two workers. The first process uses its processor for recording,
and for sending and receiving blocks of matches. `--write` puts the table into docs/explanation/one-writer.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from page import show

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "one-writer.md"
PLAY = """
import sys, time, arena
db, game, matches, *entries = sys.argv[1:]
arena.tournament(entries, game=game, rounds=1, seed=1, db=db + ".first", workers=2)  # compiles
begun, used = time.perf_counter(), time.process_time()
found = arena.tournament(entries, game=game, rounds=int(matches) // 2, seed=1, db=db, workers=2)
print(found.played, time.perf_counter() - begun, time.process_time() - used)
"""


class Row(NamedTuple):
    """A tournament of two entries to measure."""

    game: str
    first: str
    second: str
    matches: int


ROWS = [
    Row("tic-tac-toe", "random", "first", 1_000_000),
    Row("connect-four", "random", "greedy", 400_000),
    Row("checkers", "random", "greedy", 100_000),
    Row("checkers", "alpha-beta:depth=4", "alpha-beta:depth=3", 4_000),
]


def lines(quick: bool) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| game | entries | matches | a second | writer, µs | it could record | from workers | bytes |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for row in ROWS:
        with TemporaryDirectory() as folder:
            db = Path(folder) / "arena.db"
            matches = row.matches // 100 if quick else row.matches
            command = [sys.executable, "-c", PLAY, str(db), row.game, str(matches), row.first, row.second]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            played, seconds, used = map(float, done.stdout.split())
            size = db.stat().st_size / played
        yield (
            f"| {row.game} | {row.first}, {row.second} | {played:,.0f} | {played / seconds:,.0f} "
            f"| {1e6 * used / played:.1f} | {played / used:,.0f} | {2 * seconds / used:,.0f} | {size:.0f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the matches")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    show(lines(args.quick), PAGE, "writer.py", args.write)


if __name__ == "__main__":
    main()
