"""What it costs to play behind walls: plies a second of the same matches, in turns, with and without.

python benchmarks/isolation.py           # a table; --write puts it into docs/explanation/isolation.md
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from time import perf_counter

import arena

PAGE = Path(__file__).parents[1] / "docs/explanation/isolation.md"
BEGIN, END = "<!-- written by benchmarks/isolation.py -->\n", "<!-- end -->\n"
ROUNDS = 3
CASES = (  # game, two entries, matches with and without walls
    ("tic-tac-toe", "random", "first", 2_000, 200_000),
    ("connect-four", "random", "greedy", 600, 60_000),
    ("checkers", "random", "alpha-beta:depth=4", 40, 1_000),
)


def plies_a_second(game: str, first: str, second: str, matches: int, isolate: bool) -> float:
    """Of matches in one worker process, recorded to know their plies; what it takes to begin is left out."""
    took = []
    for played in (2, matches):
        start = perf_counter()
        arena.match(
            first, second, game=game, matches=played, seed=1, workers=1, isolate=isolate, progress=False
        )
        took.append(perf_counter() - start)
    return (matches - 2) * mean_plies(game, first, second) / (took[1] - took[0])


def mean_plies(game: str, first: str, second: str) -> float:
    """Of some of the same matches."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        db = Path(folder) / "plies.db"
        arena.match(first, second, game=game, matches=100, seed=1, db=db, progress=False)
        from arena.storage.sqlite import Database

        (mean,) = Database(str(db)).execute("SELECT avg(plies) FROM matches").fetchone()
    return float(mean)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    write = parser.parse_args().write
    lines = ["| match | without | with walls | a move more |", "|---|---:|---:|---:|"]
    for game, first, second, walled, free in CASES:
        rates: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(ROUNDS):
            rates[False].append(plies_a_second(game, first, second, free, False))
            rates[True].append(plies_a_second(game, first, second, walled, True))
        without, within = median(rates[False]), median(rates[True])
        more = 1e6 * (1 / within - 1 / without)
        rates_said = f"{without:,.0f} plies/s | {within:,.0f} plies/s"
        lines.append(f"| {game}, `{first}` v `{second}` | {rates_said} | {more:,.0f} µs |")
        print(lines[-1])
    if write:
        page = PAGE.read_text(encoding="utf-8")
        before, _, rest = page.partition(BEGIN)
        table = "\n".join(lines) + "\n"
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
