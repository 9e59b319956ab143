"""The log file of a tuning run, with its settings and the results of matches."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from arena.errors import ArenaError
from arena.file_io import read_given
from arena.results.tally import SCORES
from arena.texts import in_json

MARK = "arena tune"


Check: TypeAlias = Callable[[Mapping[str, Any]], object]  # raises ValueError, KeyError or TypeError


def check_pairs(line: Mapping[str, Any]) -> None:
    """Raise an error unless a line has valid results of pairs of matches."""
    pairs, seconds, played = line["pairs"], line["seconds"], line["played"]
    if {type(n) for n in (*pairs, played)} != {int} or len(pairs) != SCORES:
        raise ValueError
    if not isinstance(seconds, int | float):
        raise ValueError


def check_scores(line: Mapping[str, Any]) -> None:
    """Raise an error unless a line has valid scores of candidates with one training seed."""
    if {type(n) for n in (line["seed"], *line["candidates"])} != {int}:
        raise ValueError
    if {type(score) for score in line["scores"]} != {float} or len(line["scores"]) != len(line["candidates"]):
        raise ValueError


class Log:
    """A log in JSON Lines, with the settings of the run on the first line and results on each other line.

    Args:
        path: Path of the file; None to keep the lines in memory only.
        asked: The settings of the run.
        gains: Number of iterations for which SPSA's gains are chosen, if the file is new.
        check: Function that raises an error if a line is invalid.

    Attributes:
        lines: The complete lines after the first.
        gains: Number of iterations for which the gains are chosen, which is that of the first call.

    Raises:
        ArenaError: If the file is not a log, or has other settings.
    """

    def __init__(
        self, path: Path | None, asked: Mapping[str, object], gains: int = 0, check: Check = check_pairs
    ) -> None:
        self.path, self.lines, self.gains = path, list[dict[str, Any]](), gains
        if path is None:
            return
        try:
            text = read_given(path) if path.exists() else b""
        except OSError as error:
            raise ArenaError(f"cannot read {path}: {error.strerror}") from error
        whole = text[: text.rfind(b"\n") + 1]
        if whole:
            self.lines = self.read(whole, asked, check)
        elif text:
            raise ArenaError(f"{path} was not written by 'arena tune'; name another file")
        if whole != text:
            try:
                os.truncate(path, len(whole))
            except OSError as error:
                raise ArenaError(f"cannot write {path}: {error.strerror}") from error
        if not whole:
            self.write({MARK: {**asked, "gains": gains}})

    def read(self, text: bytes, asked: Mapping[str, object], check: Check) -> list[dict[str, object]]:
        """Parse the lines after the first, or raise ArenaError if the settings differ."""
        try:
            first, *lines = [json.loads(line) for line in text.splitlines()]
            before, self.gains = first[MARK], int(first[MARK]["gains"])
            for i, line in enumerate(lines):
                if line["part"] != i:
                    raise ValueError
                check(line)
        except (ValueError, KeyError, TypeError) as error:
            raise ArenaError(
                f"{self.path} was changed since 'arena tune' wrote it; name another file"
            ) from error
        for name, value in asked.items():
            if before.get(name) != value:
                raise ArenaError(
                    f"{self.path} was begun with {name} {before.get(name)!r}, not {value!r}; "
                    "name another file, or use the same settings"
                )
        return lines

    def add(self, **line: object) -> None:
        """Add a line to the log."""
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
