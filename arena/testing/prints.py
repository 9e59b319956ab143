"""What games, agents and learners print while they are looked at: swallowed, counted, and told in a line."""

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

FIRST = 60  # characters of the first line that are told
PIECE = 1 << 16
STREAMS = (1, 2)  # the descriptors of standard output and error
PATIENCE = 1.0  # seconds for the last of it to come


@dataclass
class Heard:
    """What was printed: how many lines, and the first that is not empty."""

    lines: int = 0
    first: str = ""

    def __iadd__(self, more: Heard) -> Heard:
        self.first = self.first or more.first
        self.lines += more.lines
        return self

    def __str__(self) -> str:
        """`printed 530,000 lines (first: 'thinking ...')`."""
        lines = f"{self.lines:,} line{'s' * (self.lines > 1)}"
        return f"printed {lines} (first: {self.first!r})"


def swallowed(function: Callable[..., Found], *args: object) -> tuple[Found, Heard]:
    """What a function gives in this process, and what was printed there, by C code too."""
    heard = Heard()
    with swallowing(heard):
        found = function(*args)
    return found, heard


@contextmanager
def swallowing(heard: Heard) -> Iterator[None]:
    """Have what is written to standard output and error counted and not shown, and no input read."""
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
        reader.join(PATIENCE)  # what was started there may keep the other end for long


def flush() -> None:
    """Write what Python keeps for its streams."""
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
    """The first line with anything on it, shortened; nothing if none is there. whole: the last may be it."""
    lines = begun.splitlines(keepends=True)
    ended = lines if whole else [line for line in lines if line.endswith(b"\n")]
    text = next((line.decode(errors="replace").strip() for line in ended if line.strip()), "")
    text = on_one_line(text)
    return text if len(text) <= FIRST else f"{text[:FIRST]}…"
