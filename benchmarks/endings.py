"""Measure how long endings of checkers take to solve, and what alpha-beta gains from them.

    python benchmarks/endings.py [--pieces N…] [--threads N…] [--matches N] [--depths N…] [--write]

Each build is a command of its own into an empty folder, with code compiled beforehand. In the matches one
alpha-beta uses endings of up to the last number of pieces given and the other does not. Both search to the
same depth, from random openings of six plies, each from either seat. `--write` puts both tables into
docs/how-to/solve-endings.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from page import put

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "solve-endings.md"


def said(*args: str) -> Any:
    """Run a command and return its JSON."""
    done = subprocess.run([sys.executable, "-m", "arena", *args, "--json"], capture_output=True, check=True)
    return json.loads(done.stdout)


def build_rows(pieces: list[int], threads: list[int], folder: str) -> Iterator[str]:
    """Yield a row for each number of pieces and threads; the folder keeps the last build of each number."""
    yield "| pieces | positions | threads | seconds | of the processors | megabytes | bytes per position |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for n in pieces:
        for count in threads:
            to = f"{folder}/{n}-{count}"
            began, before = perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            found = said("endings", "checkers", "--pieces", str(n), "--threads", str(count), "--folder", to)
            seconds, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            each = found["bytes"] / found["positions"]
            yield (
                f"| {n} | {found['positions']:,} | {count} | {seconds:.1f} | {spent:.1f} "
                f"| {after.ru_maxrss / 1000:.0f} | {each:.2f} |"
            )
            os.environ["ARENA_ENDINGS"] = to


def match_rows(pieces: int, depths: list[int], matches: int) -> Iterator[str]:
    """Yield a row for each depth."""
    yield f"| {matches:,} matches | against | won | drawn | lost | Elo | 95 % |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for depth in depths:
        without = f"alpha-beta:depth={depth}"
        with_them = f"{without},endings={pieces}"
        found = said(
            "match", with_them, without, "--game", "checkers", "--matches", str(matches), "--seed", "1",
            "--openings", "random:6",
        )  # fmt: skip
        yield row_of(with_them, without, found)


def row_of(with_them: str, without: str, found: Any) -> str:
    """Return a row from the result of a match."""
    first, second = found["pairings"]
    won, lost = first["wins"] + second["losses"], first["losses"] + second["wins"]
    elo = found["verdict"]
    return (
        f"| {with_them} | {without} | {won} | {first['draws'] + second['draws']} | {lost} "
        f"| {elo['elo']:+.0f} | {elo['elo_low']:+.0f} to {elo['elo_high']:+.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pieces", type=int, nargs="+", default=[4, 5])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 4, 6])
    parser.add_argument("--write", action="store_true", help="into the page")
    options = parser.parse_args()
    lines = []
    with TemporaryDirectory() as folder:
        said("endings", "checkers", "--pieces", "2", "--folder", folder)  # compiles
        for row in build_rows(options.pieces, options.threads, folder):
            print(row, flush=True)
            lines.append(row)
        lines.append("")
        print()
        for row in match_rows(options.pieces[-1], options.depths, options.matches):
            print(row, flush=True)
            lines.append(row)
    if options.write:
        put(PAGE, "endings.py", lines)


if __name__ == "__main__":
    main()
