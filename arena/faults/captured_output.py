"""Standard streams while agents play: the end of the output is stored, and standard input is disabled."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from arena.errors import AsksTerminal
from arena.results.fault_story import LONGEST

KEPT = int(LONGEST.printed)
ASKS = "it {}; an agent cannot use the terminal: choose must return a move"
DEBUGGER = {"pdb.py", "cmd.py", "bdb.py"}  # files of Python's debugger


class Tail:
    """The last `KEPT` characters of printed output."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0

    def add(self, text: str) -> None:
        """Append a text."""
        self.parts.append(text[-KEPT:])
        self.size += len(self.parts[-1])
        if self.size > 4 * KEPT or len(self.parts) > KEPT:
            self.parts = [self.text()]
            self.size = len(self.parts[0])

    def text(self) -> str:
        """Return the last `KEPT` characters."""
        return "".join(self.parts)[-KEPT:]

    def clear(self) -> None:
        """Discard all stored output."""
        self.parts, self.size = [], 0


class Hearing(threading.local):
    """The `Tail` that receives the output of the current thread while an agent runs; None otherwise."""

    tail: Tail | None = None


hearing = Hearing()


class Printed:
    """Replacement for a standard output stream while agents play.

    Args:
        stream: The original stream.
        aloud: Whether to write the agents' output to the original stream, too.
    """

    def __init__(self, stream: Any, aloud: bool) -> None:
        self.stream, self.aloud = stream, aloud

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if hearing.tail is not None:
            hearing.tail.add(text)
        if self.aloud or hearing.tail is None:
            self.stream.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def close(self) -> None:
        """Do nothing, since the stream does not belong to the agent."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class NoTerminal(io.StringIO):
    """Replacement for standard input that raises AsksTerminal when it is read."""

    def read(self, *asked: object) -> NoReturn:
        raise asks(sys._getframe(1))

    def readline(self, *asked: object) -> NoReturn:
        raise asks(sys._getframe(1))

    def readlines(self, *asked: object) -> NoReturn:
        raise asks(sys._getframe(1))

    def __next__(self) -> NoReturn:
        raise asks(sys._getframe(1))

    @property
    def buffer(self) -> NoReturn:
        raise asks(sys._getframe(1))

    def fileno(self) -> int:
        raise asks(sys._getframe(1))


def asks(frame: FrameType) -> AsksTerminal:
    """Return the error for a frame that reads standard input; the message depends on the called function."""
    if os.path.basename(frame.f_code.co_filename) in DEBUGGER:
        return AsksTerminal("it calls breakpoint(), but there is no terminal; use 'arena debug'")
    reads = "stdin" in frame.f_code.co_names
    what = "reads sys.stdin" if reads else "calls input()"
    return AsksTerminal(ASKS.format(what))


class Listening:
    """Replaces the standard streams of the process, for all threads, while matches are played."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0  # number of active blocks
        self.before: tuple[object, object, object] = (None, None, None)

    @contextmanager
    def __call__(self, aloud: bool) -> Iterator[None]:
        """Replace the standard streams within the block; blocks may nest and overlap.

        Args:
            aloud: Whether agents may use the terminal: their output is shown, and standard input is
                unchanged.
        """
        with self.lock:
            if self.depth == 0:
                self.before = sys.stdout, sys.stderr, sys.stdin
                sys.stdout, sys.stderr = (Printed(stream, aloud) for stream in self.before[:2])
                sys.stdin = sys.stdin if aloud else NoTerminal()
            self.depth += 1
        try:
            yield
        finally:
            hearing.tail = None
            with self.lock:
                self.depth -= 1
                if self.depth == 0:
                    sys.stdout, sys.stderr, sys.stdin = self.before


listening = Listening()
