"""The switch between compiled code and plain Python, and the messages of the compiler."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path

from arena.api.component import within_plainly
from arena.texts import NOTE, on_one_line


class Host:
    """The receiver of the compiler's messages; a worker process has its own.

    Attributes:
        keeps: Whether to store machine code on disk.
    """

    keeps = True

    def __init__(self) -> None:
        self.told: set[str] = set()

    def say(self, text: str) -> None:
        """Print a line on stderr, unless it was printed before."""
        if text not in self.told:
            self.told.add(text)
            print(on_one_line(text), file=sys.stderr)

    def waiting(self) -> AbstractContextManager[object]:
        """Return a context for work whose time does not count against an agent's time budget."""
        return nullcontext()

    def comparing(self) -> AbstractContextManager[object]:
        """Return a context, within `waiting`, for a comparison, which is short unless the code hangs."""
        return nullcontext()


host: ContextVar[Host] = ContextVar("host", default=Host())  # noqa: B039 # one for all threads


def with_name(name: str, text: str) -> str:
    """Return a message prefixed with an agent's name; `NOTE` stays in front if the message starts with it."""
    note = NOTE if text.startswith(NOTE) else ""
    return f"{note}{name}: {text[len(note) :]}"


def wanted() -> bool:
    """Return whether compilation is enabled; ARENA_COMPILED=0 and the context `plainly` disable it."""
    return not within_plainly.get() and os.environ.get("ARENA_COMPILED") != "0"  # the faster one first


def cache() -> Path:
    """Return the cache folder: ARENA_CACHE if set, otherwise the user's cache folder."""
    import platformdirs

    return Path(os.environ.get("ARENA_CACHE") or platformdirs.user_cache_path("arena"))


@contextmanager
def plainly() -> Iterator[None]:
    """Return a context in which all methods run as plain Python, in this thread."""
    before = within_plainly.set(True)
    try:
        yield
    finally:
        within_plainly.reset(before)
