"""Does `arena leaderboard` take longer on a million matches than on a thousand?

Plays both tournaments for real, then times the command on each in turn and prints the ratio.

    python benchmarks/leaderboard.py [FOLDER]     keeps the databases in FOLDER, for another run
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENTRIES = ("random", "first", "greedy", "minimax")  # 12 matches a round
SIZES = {1_000: 84, 1_000_000: 83_334}  # matches, about: rounds
RUNS = 15


def arena(*args: str) -> float:
    """Run a command; the seconds it took."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "arena", *args], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main(folder: Path) -> None:
    databases = {}
    for matches, rounds in SIZES.items():
        databases[matches] = folder / f"{matches}.db"
        if not databases[matches].exists():
            entries = [word for name in ENTRIES for word in ("--entry", name)]
            place = ("--rounds", str(rounds), "--seed", "1", "--db", str(databases[matches]))
            seconds = arena("tournament", *entries, *place)
            size = databases[matches].stat().st_size
            rate = rounds * 12 / seconds
            print(f"{rounds * 12:,} matches played in {seconds:.1f} s ({rate:,.0f}/s), {size / 1e6:.1f} MB")
    times: dict[int, list[float]] = {matches: [] for matches in SIZES}
    for _ in range(RUNS):
        for matches, database in databases.items():
            times[matches].append(arena("leaderboard", "--db", str(database)))
    few, many = (statistics.median(times[matches]) for matches in SIZES)
    print(f"on 1,000 matches {few:.3f} s, on 1,000,000 {many:.3f} s: ratio {many / few:.2f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as name:
            main(Path(name))
