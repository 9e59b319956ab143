"""Whether anything is compiled here and now, and who is told of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path

from arena.texts import on_one_line

within_plainly: ContextVar[bool] = ContextVar("within_plainly", default=False)


class Host:
    """How the compiler tells whoever runs it what it does; a worker process has its own.

    keeps: whether machine code that it has made is kept for others.
    """

    keeps = True

    def __init__(self) -> None:
        self.told: set[str] = set()

    def say(self, text: str) -> None:
        """A line for the user, said once."""
        if text not in self.told:
            self.told.add(text)
            print(on_one_line(text), file=sys.stderr)

    def waiting(self) -> AbstractContextManager[object]:
        """Around what takes long and is nobody's fault."""
        return nullcontext()

    def comparing(self) -> AbstractContextManager[object]:
        """Around a comparison within that: it is soon over, unless what is compared never comes back."""
        return nullcontext()


host: ContextVar[Host] = ContextVar("host", default=Host())  # noqa: B039 # one for all threads


def wanted() -> bool:
    """Whether anything is to be compiled; not with ARENA_COMPILED=0, or within `plainly`."""
    return os.environ.get("ARENA_COMPILED") != "0" and not within_plainly.get()


def cache() -> Path:
    """The folder of what can be made again: the environment's ARENA_CACHE, or the user's own."""
    import platformdirs

    return Path(os.environ.get("ARENA_CACHE") or platformdirs.user_cache_path("arena"))


@contextmanager
def plainly() -> Iterator[None]:
    """Within it every method runs as plain Python, in this thread."""
    before = within_plainly.set(True)
    try:
        yield
    finally:
        within_plainly.reset(before)
