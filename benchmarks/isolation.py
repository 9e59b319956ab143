"""Measure the cost of sandboxed play: plies a second of the same matches, with and without, in turn.

Also measures how long a sandboxed process takes to start; each worker starts one for each entry.

    python benchmarks/isolation.py           # a table; --write puts it into docs/explanation/isolation.md
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from time import perf_counter

from page import put

from arena.api.limits import UNLIMITED
from arena.matches.driver import play
from arena.matches.remote_agent import Child, Remote
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.records import Records
from arena.results.settings import settings_of
from arena.workers.pools import Workers
from arena.workers.processes import Processes
from arena.workers.worker import Watch

PAGE = Path(__file__).parents[1] / "docs/explanation/isolation.md"
CASES = (  # game, two entries, matches sandboxed and not
    ("tic-tac-toe", "random", "first", 4_000, 400_000),
    ("connect-four", "random", "greedy", 1_000, 60_000),
    ("checkers", "random", "alpha-beta:depth=6", 100, 1_000),
)


def plies_a_second(game: str, first: str, second: str, matches: int, isolate: bool) -> float:
    """Return the plies per second in one worker process, without the first block, in which it gets ready."""
    known = registry()
    asked = {"game": game, "entries": [first, second], "format": "match", "matches": matches, "seed": 1}
    _, plan = complete(settings_of({**asked, "isolate": isolate}), known)
    began, ended, plies = 0.0, 0.0, 0
    with Workers(Processes, 1).opened() as pool:
        for block in play(plan, [range(matches)], pool, Records):
            ended = perf_counter()
            if began:
                plies += sum(record.plies for record in block)
            began = began or ended
    return plies / (ended - began)


def seconds_to_begin(game: str, entry: str, times: int) -> float:
    """Return the median time in which sandboxed processes start their first match, without the first one."""
    known, found = registry(), []
    for _ in range(times + 1):
        began = perf_counter()
        child = Child(known.spec("agent", entry), known.spec("game", game), UNLIMITED, True)
        try:
            Remote(child, Watch(), (0, 0), 0.0).begin(0)
            found.append(perf_counter() - began)
        finally:
            child.close()
    return median(found[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    parser.add_argument("--rounds", type=int, default=3, help="of which the medians are shown  [default: 3]")
    asked = parser.parse_args()
    lines = ["| match | without | sandboxed | a move more |", "|---|---:|---:|---:|"]
    for game, first, second, walled, free in CASES:
        rates: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(asked.rounds):
            rates[False].append(plies_a_second(game, first, second, free, False))
            rates[True].append(plies_a_second(game, first, second, walled, True))
        without, within = median(rates[False]), median(rates[True])
        more = 1e6 * (1 / within - 1 / without)
        rates_said = f"{without:,.0f} plies/s | {within:,.0f} plies/s"
        lines.append(f"| {game}, `{first}` v `{second}` | {rates_said} | {more:,.0f} µs |")
        print(lines[-1])
    ms = 1e3 * seconds_to_begin("connect-four", "greedy", 10 * asked.rounds)
    lines += [
        "",
        f"A process takes {ms:,.0f} ms to start at connect four. Each entry has one in each worker.",
    ]
    print(lines[-1])
    if asked.write:
        put(PAGE, "isolation.py", lines)


if __name__ == "__main__":
    main()
