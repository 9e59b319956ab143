"""What tests of the language that compiles have in common."""

from __future__ import annotations

from typing import NamedTuple

CORNERS = (0, 2, 6, 8)
FAR = tuple(range(0, 90, 3))


def told(items):
    """A number that tells one list from another."""
    total = len(items)
    for x in items:
        total = (total * 31 + x) % 1000003
    return total


class Pair(NamedTuple):
    own: int
    other: int
