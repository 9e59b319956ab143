"""Answers of language models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Answer(NamedTuple):
    """An answer. cut_off: whether it has reached its limit of tokens. usage: what it took, by name."""

    text: str
    cut_off: bool
    usage: Mapping[str, int]


def storable(text: str) -> str:
    """Return a text without half characters."""
    return text.encode(errors="replace").decode()
