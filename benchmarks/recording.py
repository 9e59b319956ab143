"""Measure how many compiled matches a second a tournament records, and how fast SQLite inserts the same rows.

A tournament is `arena.tournament` in a process of its own with two workers, from the call to its leaderboard.
Afterwards all rows of its matches are read back, and inserted into a new database of the same schema, indexes
and pragmas, by one `executemany` per block. Ratios are within a round. Memory is the peak of each process.

    python benchmarks/recording.py                        # a million matches, three rounds
    python benchmarks/recording.py --matches 10000000 --rounds 0    # memory, of a tenth, three tenths and all
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from timing import per_second, ratio

from arena.matches.driver import LARGEST
from arena.storage.database import Store

CASES = (("random", "first"), ("random", "first", "greedy"), ("first", "minimax:depth=1,ties=first"))
WORKERS = 2
TICK = 0.2  # seconds between looks at memory
PLAY = """
import sys, time, arena
db, matches, workers, *entries = sys.argv[1:]
rounds = int(matches) // (len(entries) * (len(entries) - 1))
start = time.perf_counter()
found = arena.tournament(entries, game="tic-tac-toe", rounds=rounds, seed=1, db=db, workers=int(workers))
print(found.played, time.perf_counter() - start)
"""


class Run(NamedTuple):
    """The matches per second, and the peak memory of the first process and of its largest worker, in MB."""

    rate: float
    own: float
    worker: float


def tournament(db: Path, entries: Sequence[str], matches: int) -> Run:
    """Play and record about this number of matches."""
    command = [sys.executable, "-c", PLAY, str(db), str(matches), str(WORKERS), *entries]
    own = workers = 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        while running.poll() is None:
            own = max(own, megabytes(running.pid))
            workers = max(workers, 0, *(megabytes(pid) for pid in below(running.pid)))
            time.sleep(TICK)
        said = running.stdout.read()
    if running.returncode:
        raise SystemExit(f"{entries} failed with status {running.returncode}")
    played, seconds = said.split()
    return Run(int(played) / float(seconds), own, workers)


def below(pid: int) -> list[int]:
    """Return all descendants of a process."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, path.read_text().split()):
                found += [child, *below(child)]
    return found


def megabytes(pid: int) -> float:
    """Return the current memory of a process in megabytes."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0


def inserted(recorded: Path, db: Path) -> float:
    """Return how many of the recorded rows SQLite inserts per second, all in memory beforehand."""
    with closing(Store(recorded)) as store:
        rows = store.rows("SELECT * FROM matches")
        others = {table: store.rows(f"SELECT * FROM {table}") for table in ("tournaments", "entries")}
    with closing(Store(db, write=True)) as store:
        with store.transaction():
            for table, found in others.items():
                insert(store, table, found)
        start = perf_counter()
        for i in range(0, len(rows), LARGEST):
            with store.transaction():
                insert(store, "matches", rows[i : i + LARGEST])
        return len(rows) / (perf_counter() - start)


def insert(store: Store, table: str, rows: list[tuple[object, ...]]) -> None:
    """Insert all of these by one `executemany`."""
    places = ", ".join("?" * len(rows[0]))
    store.db.conn.executemany(f"INSERT INTO {table} VALUES ({places})", rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, default=1_000_000, help="of a tournament  [default: 1000000]")
    parser.add_argument("--rounds", type=int, default=3, help="of which medians are shown  [default: 3]")
    asked = parser.parse_args()
    show = per_second("matches")
    with tempfile.TemporaryDirectory() as folder:
        recorded, again = Path(folder, "recorded.db"), Path(folder, "again.db")

        def recording(entries: Sequence[str], matches: int) -> Run:
            recorded.unlink(missing_ok=True)
            return tournament(recorded, entries, matches)

        def inserting() -> float:
            again.unlink(missing_ok=True)
            return inserted(recorded, again)

        for entries in CASES:
            recording(entries, 2_000)  # which may have to compile
            print(" v ".join(entries))
            for matches in (
                () if asked.rounds else (asked.matches // 10, asked.matches // 10 * 3, asked.matches)
            ):
                print(f"  {matches:,}:", told(recording(entries, matches)))
            found = [(recording(entries, asked.matches), inserting()) for _ in range(asked.rounds)]
            if found:
                middle = Run(*map(median, zip(*(run for run, _ in found), strict=True)))
                rate = median(rate for _, rate in found)
                share = median(run.rate / rate for run, rate in found)
                print(f"  {told(middle)}; {show(rate)} inserted, ratio {ratio(share)}")


def told(run: Run) -> str:
    """Return a run's speed and memory on one line."""
    rate = per_second("matches")(run.rate)
    return f"{rate} recorded, first process {run.own:.0f} MB, worker {run.worker:.0f} MB"


if __name__ == "__main__":
    main()
