"""How far a long command has got: a live bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from arena.show.display import Task, at_terminal, display
from arena.show.rate import Rate, duration, pace
from arena.texts import on_one_line

EVERY = 10.0  # seconds between lines


class ProgressCallback(Protocol):
    def __call__(self, done: int, all: int, note: str = "") -> None: ...


@contextmanager
def shown(what: str, unit: str) -> Iterator[ProgressCallback]:
    """Gives a function of (done, all, how it goes), called at will, which shows it on standard error.

    all: 0 where nobody knows.
    """
    if at_terminal():
        with display.showing(Task(what, unit)) as task:
            yield task.tell
    else:
        yield lines(what, unit, closing=not in_notebook())


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Shows at a terminal that something is being done meanwhile of which nobody knows how much there is."""
    if not at_terminal():
        yield
        return
    with display.showing(Task(what)):
        yield


def lines(what: str, unit: str, closing: bool = True) -> ProgressCallback:
    """Lines now and then; one at the end, unless that is only wanted after others."""
    rate = Rate()
    last = monotonic()
    due = closing  # the line at the end

    def tell(done: int, all: int, note: str = "") -> None:
        nonlocal last, due
        speed = rate.of(done)
        at_end = done == all > 0 and due
        if not at_end and monotonic() - last < EVERY:
            return
        last = monotonic()
        due = not at_end
        left = all > 0 and not at_end and rate.settled(done, all)
        rest = f", {duration((all - done) / speed)} left" if left else ""
        seen = f", {note}" if note else ""
        known = f" of {all:,}" if all else ""  # 0 where nobody knows
        text = f"{what}: {done:,}{known} {unit}, {pace(speed, unit)}{seen}{rest}"
        print(on_one_line(text), file=sys.stderr, flush=True)

    return tell


@contextmanager
def silent() -> Iterator[ProgressCallback]:
    """The same, and shows nothing."""
    yield untold


@contextmanager
def aside() -> Iterator[ProgressCallback]:
    """The same where the terminal is somebody else's meanwhile, of whoever is asked for a move, say."""
    with display.aside():
        yield untold


def untold(done: int, all: int, note: str = "") -> None:
    """Tells nobody."""


def progress_shown() -> bool:
    """Whether there is somebody before a screen: a terminal, or a notebook."""
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """Whether this is a notebook's process, where lines stay that a terminal would scroll away."""
    return "ipykernel" in sys.modules
