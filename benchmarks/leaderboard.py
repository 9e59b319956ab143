"""Measure whether `arena leaderboard` takes longer for a million matches than for a thousand.

Plays both tournaments, then times the command on each in turn and prints the ratio. Also prints how long its
page takes for the larger one, and the size of the page.

    python benchmarks/leaderboard.py [--quick] [FOLDER]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENTRIES = ("random", "first", "greedy", "minimax")  # 12 matches a round
FEW, MANY = 1_000, 1_000_000  # matches, about
RUNS = 15


def arena(*args: str) -> float:
    """Run a command and return the seconds it took."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "arena", *args], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main(folder: Path, many: int, runs: int) -> None:
    databases = {}
    for matches in (FEW, many):
        rounds = -(-matches // 12)
        databases[matches] = folder / f"{matches}.db"
        if not databases[matches].exists():
            entries = [word for name in ENTRIES for word in ("--entry", name)]
            place = ("--rounds", str(rounds), "--seed", "1", "--db", str(databases[matches]))
            seconds = arena("tournament", *entries, *place)
            size = databases[matches].stat().st_size
            rate = rounds * 12 / seconds
            print(f"{rounds * 12:,} matches played in {seconds:.1f} s ({rate:,.0f}/s), {size / 1e6:.1f} MB")
    times: dict[int, list[float]] = {matches: [] for matches in databases}
    for _ in range(runs):
        for matches, database in databases.items():
            times[matches].append(arena("leaderboard", "--db", str(database)))
    page = folder / "page.html"
    seconds = arena("leaderboard", "--db", str(databases[many]), "--html", str(page))
    few, more = (statistics.median(seconds) for seconds in times.values())
    print(f"on {FEW:,} matches {few:.3f} s, on {many:,} {more:.3f} s: ratio {more / few:.2f}")
    print(f"its page in {seconds:.1f} s, {page.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="keeps the databases, for another run")
    parser.add_argument("--quick", action="store_true", help="20,000 matches in place of a million, twice")
    options = parser.parse_args()
    size = (20_000, 2) if options.quick else (MANY, RUNS)
    with tempfile.TemporaryDirectory() as name:
        place = options.folder or Path(name)
        place.mkdir(parents=True, exist_ok=True)
        main(place, *size)
