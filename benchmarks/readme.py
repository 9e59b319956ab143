"""Measure how many times faster the game, agent and learner of the guides are compiled than as plain Python.

    python benchmarks/readme.py [--quick] [--write]     prints the README's table; puts it there

The code is taken from `docs/how-to`; each part is timed in two processes of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

from page import put
from timing import per_second, ratio

from arena.api.format import Stage
from arena.api.limits import Limits
from arena.api.options import read_options
from arena.api.spec import Spec, load_target
from arena.matches.block import play_block
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.registry.plugins import registry
from arena.results.tally import Summary
from arena.rng import Streams
from arena.training.learners import untrained

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
HEAD = "| | plain | compiled | times as fast |\n|---|---:|---:|---:|"
FEW = 20  # matches or games, by which time all has been compiled
SECONDS = 3.0  # of CPU time that a measurement takes at least

Work = Callable[[int], object]  # does so many


def modules() -> dict[str, str]:
    """Return the plugins of the guides, by the names of their modules."""
    pages = (ROOT / "docs" / "how-to" / f"write-a{name}.md" for name in ("n-agent", "-game", "-learner"))
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    return dict(re.findall(r"^`(\w+)\.py`:\n\n```python\n(.*?)```", text, re.DOTALL | re.MULTILINE))


def spec(name: str, target: str) -> Spec:
    """Return the spec of a plugin from these modules, with default options."""
    return Spec(name, target, read_options(load_target(target), {}, name))


def matches(game: Spec) -> Work:
    """Return a function that plays matches of `centre` against a random player."""
    entries = spec("centre", "arena_centre:Centre"), registry().spec("agent", "random")
    limits = Limits(game.cls.max_plies, 0.0, 0.0)
    plan = Plan(
        game, entries, Schedule.of(Stage(((0, 1), (1, 0)), 10**9 // 2)), Streams(1), Openings(), limits
    )
    return lambda n: play_block(plan, range(n), Summary)


def games() -> Work:
    """Return a function that trains a new `monte-carlo` with games of tic-tac-toe."""
    entry = spec("monte-carlo", "arena_monte_carlo:MonteCarlo")
    learner = untrained(entry, registry().spec("game", "tic-tac-toe"))
    return lambda n: learner.learn_many(range(n), [0, 0, 0])


WORK: dict[str, tuple[str, int, Callable[[], Work]]] = {  # its unit, how many of it are timed together
    "`centre` against `random` at `nim`": ("matches", 20_000, lambda: matches(spec("nim", "arena_nim:Nim"))),
    "the same at checkers": ("matches", 4_000, lambda: matches(registry().spec("game", "checkers"))),
    "`monte-carlo` learning tic-tac-toe": ("games", 20_000, games),
}


def rate(amount: int, make: Callable[[], Work], least: float) -> float:
    """Return the amount of work per second of CPU time, each time with a new instance, compiled beforehand.

    Args:
        amount: Work in a measurement.
        make: Creates an instance.
        least: Minimum seconds in total.
    """
    make()(FEW)
    done, seconds = 0, 0.0
    while seconds <= least:
        run = make()
        start = process_time()
        run(amount)
        seconds += process_time() - start
        done += amount
    return done / seconds


def measured(work: str, folder: str, compiled: str, quick: bool) -> float:
    """Return the rate of some work in a process of its own.

    Args:
        work: Name of the work.
        folder: Where the process finds its modules.
        compiled: `1` or `0`.
        quick: Whether to measure for a short time only.
    """
    env = {**os.environ, "PYTHONPATH": folder, "ARENA_COMPILED": compiled}
    command = [sys.executable, __file__, work, *["--quick"] * quick]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout)


def table(quick: bool) -> str:
    """Return the README's table."""
    lines = [HEAD]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in modules().items():
            Path(folder, f"{name}.py").write_text(text, encoding="utf-8")
        for work, (unit, _, _) in WORK.items():
            plain, fast = (measured(work, folder, compiled, quick) for compiled in "01")
            lines.append(line(work, unit, plain, fast))
    return "\n".join(lines)


def line(work: str, unit: str, plain: float, fast: float) -> str:
    show = per_second(unit)
    return f"| {work} | {show(plain)} | {show(fast)} | {ratio(fast / plain)} |"


def main() -> None:
    quick = "--quick" in sys.argv
    if sys.argv[1:] and sys.argv[1] in WORK:
        _, amount, make = WORK[sys.argv[1]]
        print(rate(FEW if quick else amount, make, 0.0 if quick else SECONDS))
        return
    shown = table(quick)
    print(shown)
    if "--write" in sys.argv:
        put(README, "readme.py", [shown])


if __name__ == "__main__":
    main()
