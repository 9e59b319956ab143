"""Answers that are kept in a file, by digests of requests, so that an event is repeated without asking.

A line of JSON an answer. Several processes may write to one: who comes first with an answer to a request has
the others take that. A line that was not finished, since its process was killed, is as if it were not there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from arena import Reported
from arena_agents.llm.answer import Answer

PATIENCE = 60.0  # seconds to wait for others that write


class Kept(msgspec.Struct):
    """A line. request: its digest."""

    request: str
    text: str
    cut_off: bool
    usage: dict[str, int]


def digest(request: Mapping[str, Any]) -> str:
    """Return a digest of everything that an answer depends on, 32 hexadecimal digits."""
    return sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:32]


class Cassette:
    """The answers in a file, which need not be there yet."""

    def __init__(self, path: str) -> None:
        self.name, self.path = path, os.path.abspath(path)
        self.places: dict[str, int] = {}  # where the line of a request begins
        self.end = 0  # of the lines that were looked at

    def find(self, request: str) -> Answer | None:
        """Return the answer to a request, if it is kept, or Reported if the file cannot be read."""
        if request not in self.places:
            self.look()
        if request not in self.places:
            return None
        with self.telling(), open(self.path, "rb") as file:
            file.seek(self.places[request])
            kept = self.read(file.readline(), self.places[request])
        return Answer(kept.text, kept.cut_off, kept.usage)

    def keep(self, request: str, answer: Answer) -> Answer:
        """Write an answer down; gives the one that is kept, another's if that was first."""
        line = msgspec.json.encode(Kept(request, answer.text, answer.cut_off, dict(answer.usage))) + b"\n"
        with self.telling(), FileLock(f"{self.path}.lock", timeout=PATIENCE):
            if there := self.find(request):
                return there
            with open(self.path, "ab") as file:
                file.truncate(self.end)  # what somebody who was killed began to write
                file.write(line)
            self.look()
        return answer

    def look(self) -> None:
        """Take in the lines that have come since, those that are whole."""
        with self.telling(), suppress(FileNotFoundError), open(self.path, "rb") as file:
            if os.fstat(file.fileno()).st_size < self.end:  # it is another file now
                self.places, self.end = {}, 0
            file.seek(self.end)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.places.setdefault(self.read(line, self.end).request, self.end)
                self.end += len(line)

    def read(self, line: bytes, place: int) -> Kept:
        """Return the line that begins at a byte, or Reported."""
        try:
            return msgspec.json.decode(line, type=Kept)
        except (msgspec.MsgspecError, ValueError):
            raise Reported(f"cassette {self.name} is damaged at byte {place}; remove that line") from None

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Raise errors of the operating system from inside as one line that names the file."""
        try:
            yield
        except Timeout:
            raise Reported(f"cassette {self.name}: another process holds it for {PATIENCE:g} s") from None
        except OSError as error:
            raise Reported(f"cassette {self.name}: {error.strerror or error}") from None
