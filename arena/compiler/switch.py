"""The switch between compiled code and plain Python, and the messages of the compiler."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path

from arena.texts import NOTE, on_one_line

within_plainly: ContextVar[bool] = ContextVar("within_plainly", default=False)


class Host:
    """The receiver of the compiler's messages; a worker process has its own.

    Attributes:
        keeps: Whether to store machine code on disk.
    """

    keeps = True

    def __init__(self) -> None:
        self.told: set[str] = set()

    def say(self, text: str) -> None:
        """Print a line for the user, once."""
        if text not in self.told:
            self.told.add(text)
            print(on_one_line(text), file=sys.stderr)

    def waiting(self) -> AbstractContextManager[object]:
        """Return a context for long work that is not counted as an agent's time."""
        return nullcontext()

    def comparing(self) -> AbstractContextManager[object]:
        """Return a context for a comparison within `waiting`, which is short unless the code hangs."""
        return nullcontext()


host: ContextVar[Host] = ContextVar("host", default=Host())  # noqa: B039 # one for all threads


def with_name(name: str, text: str) -> str:
    """Return a message from the process of an agent with the agent's name, after `NOTE` if it is advice."""
    note = NOTE if text.startswith(NOTE) else ""
    return f"{note}{name}: {text[len(note) :]}"


def wanted() -> bool:
    """Return whether compilation is enabled: not if ARENA_COMPILED=0, nor within `plainly`."""
    return os.environ.get("ARENA_COMPILED") != "0" and not within_plainly.get()


def cache() -> Path:
    """Return the cache folder: ARENA_CACHE, or the user's own."""
    import platformdirs

    return Path(os.environ.get("ARENA_CACHE") or platformdirs.user_cache_path("arena"))


@contextmanager
def plainly() -> Iterator[None]:
    """Run every method as plain Python in this context, in this thread."""
    before = within_plainly.set(True)
    try:
        yield
    finally:
        within_plainly.reset(before)
