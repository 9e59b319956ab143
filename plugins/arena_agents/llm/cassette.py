"""Answers recorded in a file, by digests of requests, so that matches can be repeated without queries.

Each answer is a line of JSON. Several processes may write to one file: the first answer to a request is used
by all of them. A line that is incomplete, because its process was killed, is ignored.
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

PATIENCE = 60.0  # seconds to wait for other processes that write


class Kept(msgspec.Struct):
    """A line of the file. request: the digest of the request."""

    request: str
    text: str
    cut_off: bool
    usage: dict[str, int]


def digest(request: Mapping[str, Any]) -> str:
    """Return a digest of everything on which an answer depends, as 32 hexadecimal digits."""
    return sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:32]


class Cassette:
    """The answers in a file, which need not exist yet."""

    def __init__(self, path: str) -> None:
        self.name, self.path = path, os.path.abspath(path)
        self.places: dict[str, int] = {}  # offset of the line, by request
        self.end = 0  # end of the lines read so far

    def find(self, request: str) -> Answer | None:
        """Return the recorded answer to a request, if any; raise Reported if the file cannot be read."""
        if request not in self.places:
            self.look()
        if request not in self.places:
            return None
        with self.telling(), open(self.path, "rb") as file:
            file.seek(self.places[request])
            kept = self.read(file.readline(), self.places[request])
        return Answer(kept.text, kept.cut_off, kept.usage)

    def keep(self, request: str, answer: Answer) -> Answer:
        """Record an answer, and return the recorded one, which another process may have written first."""
        line = msgspec.json.encode(Kept(request, answer.text, answer.cut_off, dict(answer.usage))) + b"\n"
        with self.telling(), FileLock(f"{self.path}.lock", timeout=PATIENCE):
            if there := self.find(request):
                return there
            with open(self.path, "ab") as file:
                file.truncate(self.end)  # an incomplete line by a process that was killed
                file.write(line)
            self.look()
        return answer

    def look(self) -> None:
        """Read the complete lines that were added since the last call."""
        with self.telling(), suppress(FileNotFoundError), open(self.path, "rb") as file:
            if os.fstat(file.fileno()).st_size < self.end:  # the file was replaced
                self.places, self.end = {}, 0
            file.seek(self.end)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.places.setdefault(self.read(line, self.end).request, self.end)
                self.end += len(line)

    def read(self, line: bytes, place: int) -> Kept:
        """Return the parsed line that begins at an offset, or raise Reported."""
        try:
            return msgspec.json.decode(line, type=Kept)
        except (msgspec.MsgspecError, ValueError):
            raise Reported(f"cassette {self.name} is damaged at byte {place}; remove that line") from None

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Convert errors of the operating system to one line that names the file."""
        try:
            yield
        except Timeout:
            raise Reported(f"cassette {self.name}: another process holds it for {PATIENCE:g} s") from None
        except OSError as error:
            raise Reported(f"cassette {self.name}: {error.strerror or error}") from None
