"""What agents print while they play: the last of it is kept, to be shown with their faults."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arena.results.story import LONGEST

KEPT = int(LONGEST.printed)


class Tail:
    """The last that was printed, `KEPT` characters."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0

    def add(self, text: str) -> None:
        self.parts.append(text[-KEPT:])
        self.size += len(self.parts[-1])
        if self.size > 4 * KEPT or len(self.parts) > KEPT:
            self.parts = [self.text()]
            self.size = len(self.parts[0])

    def text(self) -> str:
        return "".join(self.parts)[-KEPT:]

    def clear(self) -> None:
        self.parts, self.size = [], 0


class Hearing(threading.local):
    """Whose turn it is in this thread, by the tail that what it prints goes to; None for nobody's."""

    tail: Tail | None = None


hearing = Hearing()


class Printed:
    """Stands for a standard stream while agents play. aloud: whether what they print goes there, too."""

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

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def close(self) -> None:
        """Nothing: it is not the agent's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class Listening:
    """Has both standard streams heard while matches are played, in whatever threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0  # how many are within it
        self.before: tuple[Any, Any] = (None, None)

    @contextmanager
    def __call__(self, aloud: bool) -> Iterator[None]:
        """aloud: whether what agents print is seen as well, where somebody may debug them."""
        with self.lock:
            if self.depth == 0:
                self.before = sys.stdout, sys.stderr
                sys.stdout, sys.stderr = (Printed(stream, aloud) for stream in self.before)
            self.depth += 1
        try:
            yield
        finally:
            hearing.tail = None
            with self.lock:
                self.depth -= 1
                if self.depth == 0:
                    sys.stdout, sys.stderr = self.before


listening = Listening()
