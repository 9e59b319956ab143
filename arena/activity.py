"""The code that is currently being compiled, for progress bars.

A worker process reports it to its parent process, which stores one text per worker.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

# the entry or game that is being compiled, as text: `alpha-beta:depth=6 (2 of 5)`
subject: ContextVar[str] = ContextVar("subject", default="")


class Activity:
    """The current activities of the threads of this process and of its worker processes.

    Attributes:
        compiling: Seconds that this process has spent compiling, or waiting for another process to compile
            the same code.
        texts: Activities by thread or worker.
        pass_on: Called with each new activity, to report it to the parent process; None if there is no
            parent.
    """

    def __init__(self) -> None:
        self.compiling = 0.0
        self.texts: dict[Hashable, str] = {}
        self.pass_on: Callable[[str], object] | None = None

    @property
    def text(self) -> str:
        """Return the most recent activity that is still running; empty if there is none."""
        return next(reversed([*self.texts.values()]), "")

    def tell(self, who: Hashable, text: str) -> None:
        """Set the activity of a thread or worker; an empty text ends it."""
        self.texts.pop(who, None)
        if text:
            self.texts[who] = text

    @contextmanager
    def during(self, text: str) -> Iterator[None]:
        """Set the activity of this thread for the duration of the context."""
        who = threading.get_ident()
        before = self.texts.get(who, "")
        self.say(who, text)
        try:
            yield
        finally:
            self.say(who, before)

    def say(self, who: int, text: str) -> None:
        self.tell(who, text)
        if self.pass_on:
            self.pass_on(text)


activity = Activity()


@contextmanager
def concerning(whom: str) -> Iterator[None]:
    """Name the entry or game whose code is compiled in this context."""
    before = subject.set(whom)
    try:
        yield
    finally:
        subject.reset(before)


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """Show that code is being compiled: that of the entry or game named by `concerning`, otherwise `what`."""
    begun, before = perf_counter(), activity.compiling
    try:
        with activity.during(f"Compiling {subject.get() or what}"):
            yield
    finally:
        activity.compiling = before + perf_counter() - begun  # time of nested compilations is included
