"""What is being compiled just now, for whoever shows how far a command has got.

A process says so of itself. A worker process passes it on to its parent, which keeps it of each.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

# for whom something is done, in words: `alpha-beta:depth=6 (2 of 5)`
subject: ContextVar[str] = ContextVar("subject", default="")


class Activity:
    """What is being done, by who does it: threads of this process, and worker processes.

    pass_on: is told what this process does, in place of keeping it. compiling: seconds that this process has
    spent on that, or waited while another compiled the same.
    """

    def __init__(self) -> None:
        self.compiling = 0.0
        self.texts: dict[Hashable, str] = {}
        self.pass_on: Callable[[str], object] | None = None

    @property
    def text(self) -> str:
        """What was begun last and is not over; nothing if there is nothing."""
        return next(reversed([*self.texts.values()]), "")

    def tell(self, who: Hashable, text: str) -> None:
        """That somebody does something now; nothing: that it is over."""
        self.texts.pop(who, None)
        if text:
            self.texts[who] = text

    @contextmanager
    def during(self, text: str) -> Iterator[None]:
        """This thread does something meanwhile."""
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
    """What is compiled meanwhile is for this entry or game."""
    before = subject.set(whom)
    try:
        yield
    finally:
        subject.reset(before)


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """Something is compiled: for whom, if that is known, else this."""
    begun, before = perf_counter(), activity.compiling
    try:
        with activity.during(f"Compiling {subject.get() or what}"):
            yield
    finally:
        activity.compiling = before + perf_counter() - begun  # that of others within it is part of it
