"""A progress bar in the output of a notebook's cell, updated while work is in progress."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from time import monotonic
from typing import Protocol

from arena.show.display import PATIENCE, Task
from arena.show.rate import pace, short_duration
from arena.texts import on_one_line

EVERY = 0.2  # seconds between updates
WIDTH = 10**4  # number of columns at which a line is never shortened
STYLE = "display:flex;gap:10px;align-items:center;font-family:monospace;font-size:13px"


class Handle(Protocol):
    """An output that can be replaced, such as `IPython.display.DisplayHandle`."""

    def display(self, obj: object, *, raw: bool) -> None: ...
    def update(self, obj: object, *, raw: bool) -> None: ...


class NotebookBar:
    """A progress bar of a task, shown once it has taken `PATIENCE` seconds.

    Args:
        task: The task.
        handle: The output in which to show it.
    """

    def __init__(self, task: Task, handle: Handle) -> None:
        self.task, self.handle = task, handle
        self.begun, self.last = monotonic(), 0.0
        self.visible = False
        self.lock = threading.Lock()

    def tell(self, done: int, all: int, note: str = "") -> None:
        """Set the progress, and redraw the bar if `EVERY` seconds have passed."""
        self.task.tell(done, all, note)
        if monotonic() - self.begun >= PATIENCE and monotonic() - self.last >= EVERY:
            self.draw()

    def draw(self) -> None:
        """Draw the bar in its current state."""
        line, _ = self.task.line(WIDTH)
        at, all = self.task.done, self.task.all
        amount = f' value="{at}" max="{all}"' if all else ""
        words = re.sub(" {2,}", ", ", line.strip())
        bar = f'<progress{amount} style="width:220px"></progress>'
        self.put(words, f'<div style="{STYLE}">{bar}<span>{escape(words)}</span></div>')

    def close(self) -> None:
        """Replace the bar, if it is visible, with a line about the amount of work and the time taken."""
        if not self.visible:
            return
        task, seconds = self.task, monotonic() - self.begun
        took = short_duration(seconds)
        words = f"{task.what}: {took}"
        if task.all is not None:
            of = f" of {task.all:,}" if task.done != task.all and task.all else ""
            speed = pace(task.done / seconds, task.unit)
            words = f"{task.what}: {task.done:,}{of} {task.unit} in {took}, {speed}"
        self.put(words, f'<div style="{STYLE}">{escape(on_one_line(words))}</div>')

    def put(self, words: str, html: str) -> None:
        """Replace the content of the output."""
        with self.lock:
            self.last = monotonic()
            show = self.handle.update if self.visible else self.handle.display
            self.visible = True
            show({"text/plain": on_one_line(words), "text/html": html}, raw=True)


@contextmanager
def notebook_bar(task: Task, handle: Handle) -> Iterator[NotebookBar]:
    """Show a bar in this context; without calls of `tell` it is indeterminate."""
    bar = NotebookBar(task, handle)
    timer = threading.Timer(PATIENCE, bar.draw)
    timer.daemon = True
    timer.start()
    try:
        yield bar
    finally:
        timer.cancel()
        timer.join()
        bar.close()


def new_output() -> Handle:
    """Return a new output below the cell that is running."""
    from IPython.display import DisplayHandle

    found: Handle = DisplayHandle()
    return found
