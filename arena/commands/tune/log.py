"""The log file of a tuning run: its parameters, and the matches played."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.file_io import read_given
from arena.results.tally import SCORES
from arena.texts import in_json

MARK = "arena tune"


class Log:
    """A log of lines in JSON: the parameters first, then the results of some pairs of matches on each line.

    Attributes:
        lines: Complete lines after the first.
        gains: Number of iterations for which the gains were chosen in the first call; later calls keep to it.

    Raises:
        ArenaError: If the file is not a log, or has other parameters.
    """

    def __init__(self, path: Path | None, asked: Mapping[str, object], gains: int) -> None:
        self.path, self.lines, self.gains = path, list[dict[str, Any]](), gains
        if path is None:
            return
        try:
            text = read_given(path) if path.exists() else b""
        except OSError as error:
            raise ArenaError(f"cannot read {path}: {error.strerror}") from error
        whole = text[: text.rfind(b"\n") + 1]
        if whole:
            self.lines = self.read(whole, asked)
        elif text:
            raise ArenaError(f"{path} was not written by 'arena tune'; name another")
        if whole != text:
            try:
                os.truncate(path, len(whole))
            except OSError as error:
                raise ArenaError(f"cannot write {path}: {error.strerror}") from error
        if not whole:
            self.write({MARK: {**asked, "gains": gains}})

    def read(self, text: bytes, asked: Mapping[str, object]) -> list[dict[str, object]]:
        """Return the lines after the first, or raise ArenaError if the parameters differ."""
        try:
            first, *lines = [json.loads(line) for line in text.splitlines()]
            before, self.gains = first[MARK], int(first[MARK]["gains"])
            for i, line in enumerate(lines):
                pairs, seconds, played = line["pairs"], line["seconds"], line["played"]
                kind = {int} if line["part"] == i else {None}
                if {type(n) for n in pairs} | {type(played)} != kind or len(pairs) != SCORES:
                    raise ValueError
                if not isinstance(seconds, int | float):
                    raise ValueError
        except (ValueError, KeyError, TypeError) as error:
            raise ArenaError(f"{self.path} was changed since 'arena tune' wrote it; name another") from error
        for name, value in asked.items():
            if before.get(name) != value:
                raise ArenaError(
                    f"{self.path} was begun with {name} {before.get(name)!r}, and this is {value!r}; "
                    "name another file, or ask the same"
                )
        return lines

    def add(self, **line: object) -> None:
        """Add a line."""
        self.lines.append({"part": len(self.lines), **line})
        if self.path:
            self.write(self.lines[-1])

    def write(self, line: Mapping[str, object]) -> None:
        assert self.path
        try:
            with self.path.open("a", encoding="utf-8", newline="") as file:
                file.write(in_json(json.dumps(line, ensure_ascii=False)) + "\n")
        except OSError as error:
            raise ArenaError(f"cannot write {self.path}: {error.strerror}") from error
