"""Rows of results in a file of comma-separated values, which is whole at any time, and in order."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Rows:
    """The rows of a file by what they are of; `key` are the columns that say that, `facts` the others.

    All are texts. They stand in the order of their keys, numbers by their size, however they came.
    """

    def __init__(self, path: Path, key: Sequence[str], facts: Sequence[str]) -> None:
        self.path, self.key, self.facts = path, tuple(key), tuple(facts)
        self.rows: dict[tuple[str, ...], dict[str, str]] = {}
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                self.rows = {tuple(row[name] for name in self.key): row for row in csv.DictReader(file)}

    def get(self, *key: Any) -> dict[str, str] | None:
        """The row of a key, if there is one."""
        return self.rows.get(tuple(map(str, key)))

    def add(self, key: Sequence[Any], facts: Sequence[Any]) -> dict[str, str]:
        """A row more, in the file when this returns."""
        texts = tuple(map(str, key))
        named = zip((*self.key, *self.facts), (*texts, *map(str, facts)), strict=True)
        self.rows[texts] = dict(named)
        draft = self.path.with_suffix(".new")
        with draft.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, (*self.key, *self.facts), lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows[one] for one in sorted(self.rows, key=order))
        draft.replace(self.path)
        return self.rows[texts]

    def having(self, **values: Any) -> list[dict[str, str]]:
        """The rows with these values, in order."""
        wanted = {name: str(value) for name, value in values.items()}
        found = [key for key, row in self.rows.items() if wanted.items() <= row.items()]
        return [self.rows[key] for key in sorted(found, key=order)]


def order(key: Sequence[str]) -> list[tuple[float, str]]:
    """What a key is sorted by: numbers come first."""
    return [(number(text), text) for text in key]


def number(text: str) -> float:
    """Infinity for what is none."""
    try:
        return float(text)
    except ValueError:
        return float("inf")
