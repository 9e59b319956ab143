"""Answers of language models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Answer(NamedTuple):
    """An answer. cut_off: whether it reached its token limit. usage: usage, such as tokens, by name."""

    text: str
    cut_off: bool
    usage: Mapping[str, int]


def storable(text: str) -> str:
    """Return a text without lone surrogates."""
    return text.encode(errors="replace").decode()
