"""How far a long command has got: a live bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from arena.texts import on_one_line

EVERY = 10.0  # seconds between lines
SETTLED = 60.0  # seconds after which a rate is believed however little has been done


class Tell(Protocol):
    def __call__(self, done: int, all: int, note: str = "") -> None: ...


@contextmanager
def shown(what: str, unit: str) -> Iterator[Tell]:
    """Gives a function of (done, all, how it goes), called at will, which shows it on standard error."""
    if sys.stderr.isatty():
        with live(what, unit) as tell:
            yield tell
    else:
        yield lines(what, unit, closing=not in_notebook())


@contextmanager
def live(what: str, unit: str) -> Iterator[Tell]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TextColumn("{task.fields[note]}", markup=False),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(on_one_line(what), total=None, rate="", note="")
        rate = Rate()

        def tell(done: int, all: int, note: str = "") -> None:
            speed = rate.of(done)
            bar.update(task, completed=done, total=all, rate=pace(speed, unit), note=on_one_line(note))

        yield tell


def lines(what: str, unit: str, closing: bool = True) -> Tell:
    """Lines now and then; one at the end, unless that is only wanted after others."""
    rate = Rate()
    last = monotonic()
    due = closing  # the line at the end

    def tell(done: int, all: int, note: str = "") -> None:
        nonlocal last, due
        speed = rate.of(done)
        at_end = done == all and due
        if not at_end and monotonic() - last < EVERY:
            return
        last = monotonic()
        due = not at_end
        rest = f", {duration((all - done) / speed)} left" if not at_end and rate.settled(done, all) else ""
        seen = f", {note}" if note else ""
        text = f"{what}: {done:,} of {all:,} {unit}, {pace(speed, unit)}{seen}{rest}"
        print(on_one_line(text), file=sys.stderr, flush=True)

    return tell


@contextmanager
def silent() -> Iterator[Tell]:
    """The same, and shows nothing."""
    yield lambda done, all, note="": None


def progress_shown() -> bool:
    """Whether there is somebody before a screen: a terminal, or a notebook."""
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """Whether this is a notebook's process, where lines stay that a terminal would scroll away."""
    return "ipykernel" in sys.modules


class Rate:
    """Things a second since the first count."""

    def __init__(self) -> None:
        self.start: tuple[float, int] | None = None

    def of(self, done: int) -> float:
        """The rate so far, 0 while unknown."""
        if self.start is None:
            self.start = (monotonic(), done)
        seconds = monotonic() - self.start[0]
        return (done - self.start[1]) / seconds if seconds > 0 else 0.0

    def settled(self, done: int, all: int) -> bool:
        """Whether it tells how long the rest will take; what comes first may have been compiled meanwhile."""
        if self.start is None or done == self.start[1]:
            return False
        return 100 * (done - self.start[1]) >= all or monotonic() - self.start[0] > SETTLED


def pace(speed: float, unit: str) -> str:
    """`12,345 matches/s`, `0.31 matches/s`."""
    return f"{speed:,.0f} {unit}/s" if speed >= 10 else f"{speed:.2g} {unit}/s"


def duration(seconds: float) -> str:
    """`42 s`, `3 min 20 s`, `2 h 05 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
