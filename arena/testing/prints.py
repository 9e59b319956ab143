"""Hide, count and summarise the output of games, agents and learners during a check."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from arena.faults.captured_output import NoTerminal
from arena.texts import on_one_line

Found = TypeVar("Found")

FIRST = 60  # maximum number of characters shown of the first line
PIECE = 1 << 16
STREAMS = (1, 2)  # descriptors of standard output and error
PATIENCE = 1.0  # seconds to wait for the rest of the output


@dataclass
class Heard:
    """The output of a function.

    Attributes:
        lines: Number of lines.
        first: First line that is not empty.
    """

    lines: int = 0
    first: str = ""

    def __iadd__(self, more: Heard) -> Heard:
        self.first = self.first or more.first
        self.lines += more.lines
        return self

    def __str__(self) -> str:
        """Return `printed 530,000 lines (first: 'thinking ...')`."""
        lines = f"{self.lines:,} line{'s' * (self.lines > 1)}"
        return f"printed {lines} (first: {self.first!r})"


def swallowed(function: Callable[..., Found], *args: object) -> tuple[Found, Heard]:
    """Call a function, and return its result and its output, including that of C code."""
    heard = Heard()
    with swallowing(heard):
        found = function(*args)
    return found, heard


@contextmanager
def swallowing(heard: Heard) -> Iterator[None]:
    """Count and hide output to standard output and error in this context, and disable standard input."""
    kept = [os.dup(stream) for stream in STREAMS]
    source, sink = os.pipe()
    flush()
    for stream in STREAMS:
        os.dup2(sink, stream)
    os.close(sink)
    reader = threading.Thread(target=count, args=(source, heard), daemon=True)
    reader.start()
    stdin, sys.stdin = sys.stdin, NoTerminal()
    try:
        yield
    finally:
        sys.stdin = stdin
        flush()
        for stream, before in zip(STREAMS, kept, strict=True):
            os.dup2(before, stream)
            os.close(before)
        reader.join(PATIENCE)  # a child process may keep the pipe open


def flush() -> None:
    """Flush Python's standard output and error."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()


def count(source: int, heard: Heard) -> None:
    """Read a descriptor to its end, and count its lines."""
    begun, last = b"", b"\n"
    while piece := os.read(source, PIECE):
        if not heard.first and len(begun) < PIECE:
            begun += piece
            heard.first = first_line(begun, whole=False)
        heard.lines += piece.count(b"\n")
        last = piece[-1:]
    os.close(source)
    heard.lines += last != b"\n"
    heard.first = heard.first or first_line(begun, whole=True)


def first_line(begun: bytes, whole: bool) -> str:
    """Return the first line that is not blank, shortened; "" if there is none.

    Args:
        begun: Beginning of the output.
        whole: Whether the last line may be used even without a newline.
    """
    lines = begun.splitlines(keepends=True)
    ended = lines if whole else [line for line in lines if line.endswith(b"\n")]
    text = next((line.decode(errors="replace").strip() for line in ended if line.strip()), "")
    text = on_one_line(text)
    return text if len(text) <= FIRST else f"{text[:FIRST]}…"
