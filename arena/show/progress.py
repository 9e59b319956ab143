"""The progress of a long command: a bar at a terminal or in a notebook, otherwise occasional lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from arena.show.display import Task, at_terminal, display
from arena.show.notebook_bar import new_output, notebook_bar
from arena.show.rate import Rate, duration, pace
from arena.texts import on_one_line

EVERY = 10.0  # seconds between lines


class ProgressCallback(Protocol):
    def __call__(self, done: int, all: int, note: str = "") -> None: ...


@contextmanager
def shown(what: str, unit: str) -> Iterator[ProgressCallback]:
    """Show progress in this context, on standard error or in a notebook.

    Args:
        what: Description of the work.
        unit: Unit of the amounts, in the plural.

    Yields:
        A callback that takes the amount done, the total (0 if unknown) and an optional note.
    """
    if at_terminal():
        with display.showing(Task(what, unit)) as task:
            yield task.tell
    elif in_notebook():
        with notebook_bar(Task(what, unit), new_output()) as bar:
            yield bar.tell
    else:
        yield lines(what, unit)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show at a terminal or in a notebook that work of unknown duration is in progress."""
    if not at_terminal() and in_notebook():
        with notebook_bar(Task(what), new_output()):
            yield
        return
    if not at_terminal():
        yield
        return
    with display.showing(Task(what)):
        yield


def lines(what: str, unit: str) -> ProgressCallback:
    """Return a callback that prints a line at most every `EVERY` seconds, and one at the end.

    Args:
        what: Description of the work.
        unit: Unit of the amounts, in the plural.
    """
    rate = Rate()
    last = monotonic()
    due = True  # whether the final line must still be printed

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
        known = f" of {all:,}" if all else ""  # 0 if unknown
        text = f"{what}: {done:,}{known} {unit}, {pace(speed, unit)}{seen}{rest}"
        print(on_one_line(text), file=sys.stderr, flush=True)

    return tell


def progress_shown() -> bool:
    """Return whether progress should be shown: on a terminal or in a notebook."""
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """Return whether this process runs a notebook."""
    return "ipykernel" in sys.modules
