"""Time contestants in turn, so that other load on the machine affects all alike, and format the results."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import NamedTuple

DOUBLINGS = 8  # maximum doublings of a command's matches, until they take longer than its start

Contestant = Callable[[], float]  # one measurement: units of work per second


class Row(NamedTuple):
    """A line of a table.

    Attributes:
        work: What was measured.
        arena: The rate of arena.
        other: Name of the other contestant.
        theirs: Its rate.
        ratio: The rate of arena divided by that of the other.
    """

    work: str
    arena: str
    other: str = ""
    theirs: str = ""
    ratio: str = ""


def compare(
    work: str, show: Callable[[float], str], rounds: int, arena: Contestant, others: Mapping[str, Contestant]
) -> list[Row]:
    """Return a row for each other contestant: median rates, and the median of the ratios within a round."""
    ours: list[float] = []
    theirs: dict[str, list[float]] = {name: [] for name in others}
    for _ in range(rounds):
        ours.append(arena())
        for name, other in others.items():
            theirs[name].append(other())
    shown = show(statistics.median(ours))
    return [
        Row(
            work,
            shown,
            name,
            show(statistics.median(rates)),
            ratio(statistics.median(a / b for a, b in zip(ours, rates, strict=True))),
        )
        for name, rates in theirs.items()
    ] or [Row(work, shown)]


def ratio(x: float) -> str:
    """Return a ratio as text with about two digits."""
    return f"{x:,.0f}" if x >= 10 else f"{x:.1f}" if x >= 2 else f"{x:.2f}".removeprefix("0")


def per_second(unit: str) -> Callable[[float], str]:
    """Return a function that formats a rate with three digits."""

    def show(rate: float) -> str:
        for size, name in ((1e6, "M "), (1e3, "k "), (1.0, "")):
            if rate >= size:
                return f"{digits(rate / size)} {name}{unit}/s"
        return f"{rate:.2g} {unit}/s"

    return show


def milliseconds(rate: float) -> str:
    """Return a rate as the time of one unit in milliseconds."""
    return f"{digits(1000 / rate)} ms"


def each(rate: float) -> str:
    """Return a rate as the time of one unit, in seconds or fractions of a second."""
    seconds = 1 / rate
    for size, name in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{digits(seconds / size)} {name}"
    return f"{digits(seconds * 1e6)} µs"


def digits(x: float) -> str:
    """Return a number with three digits, at most two of them after the point."""
    return f"{x:.{0 if x >= 100 else 1 if x >= 10 else 2}f}"


class Command:
    """The command `arena match random random`, timed from outside by the clock, with its worker processes.

    Args:
        game: The game.
        workers: Number of workers.
        seconds: Minimum difference in time between the longer and the shorter of two runs.
    """

    def __init__(self, game: str, workers: int = 1, seconds: float = 1.0) -> None:
        self.game, self.workers = game, workers
        self.few = self.many = 20
        self.run(self.few)  # which may have to compile
        start = min(self.run(self.few) for _ in range(3))
        while min(self.run(self.many), self.run(self.many)) - start < seconds:
            self.many *= 4

    def run(self, matches: int) -> float:
        """Return the seconds that a number of matches take, and keep the command's JSON in `said`."""
        options = ("--game", self.game, "--matches", str(matches), "--workers", str(self.workers))
        command = [
            sys.executable,
            "-m",
            "arena",
            "match",
            "random",
            "random",
            "--seed",
            "1",
            "--json",
            *options,
        ]
        start = perf_counter()
        self.said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return perf_counter() - start

    def rate(self) -> float:
        """Return the matches per second without start-up, from the difference between two numbers of matches.

        The larger number is doubled as long as its time is not clearly longer, as on a busy machine.
        """
        for _ in range(DOUBLINGS):
            before, seconds, after = self.run(self.few), self.run(self.many), self.run(self.few)
            if seconds > 2 * max(before, after):
                return (self.many - self.few) / (seconds - (before + after) / 2)
            self.many *= 2
        raise SystemExit(
            f"{self.game}: start-up takes as long as {self.many:,} matches; is the machine busy?"
        )
