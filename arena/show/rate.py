"""Speeds and durations, and their texts."""

from __future__ import annotations

from time import monotonic

SETTLED = 60.0  # seconds after which a speed counts as settled


class Rate:
    """The speed of work, in units per second since the first call of `of`."""

    def __init__(self) -> None:
        self.start: tuple[float, int] | None = None

    def of(self, done: int) -> float:
        """Return the speed after `done` units; 0 while it is unknown."""
        if self.start is None:
            self.start = (monotonic(), done)
        seconds = monotonic() - self.start[0]
        return (done - self.start[1]) / seconds if seconds > 0 else 0.0

    def settled(self, done: int, all: int) -> bool:
        """Return whether the speed allows an estimate of the remaining time.

        The start may be slow because code is compiled, so 1 % must be done or `SETTLED` seconds must have
        passed.
        """
        if self.start is None or done == self.start[1]:
            return False
        return 100 * (done - self.start[1]) >= all or monotonic() - self.start[0] > SETTLED


def pace(speed: float, unit: str) -> str:
    """Return a speed as text, such as `12,345 matches/s` or `0.31 matches/s`."""
    return f"{speed:,.0f} {unit}/s" if speed >= 10 else f"{speed:.2g} {unit}/s"


def duration(seconds: float) -> str:
    """Return a duration as text, such as `42 s`, `3 min 20 s` or `2 h 05 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def short_duration(seconds: float) -> str:
    """Return a duration as text, such as `350 µs`, `1.25 ms` or `12 s`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            break
    return f"{seconds / size:.3g} {unit}"


def clock(seconds: float) -> str:
    """Return a duration as text, such as `0:42`, `3:20` or `2:05:00`."""
    whole = int(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02}"
    return f"{whole // 3600}:{whole % 3600 // 60:02}:{whole % 60:02}"
