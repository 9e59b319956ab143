"""Matches counted in pairs: one opening from either seat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

SCORES = 5  # a pair has 0 to 4 half points
Fixed: TypeAlias = tuple[int, int, bytes, bytes]  # a, b and the fingerprints of their matches


class Pairs:
    """Pairs of matches between entries a < b, by the half points of a, from 0 to 4.

    A pair are the matches of one round of a against b and of b against a. One in which no agent drew a random
    number in either match goes the same way each time, and counts once. What was forfeited unplayed is in no
    pair. The counts are the same in whatever order matches come, and in whatever parts.

    chance: counts by a and b of the other pairs. fixed: the score of each of those that count once. halves:
    matches whose other one has not come, by a, b and round: whether a is first, its half points, and the
    fingerprint, None where an agent drew a random number.
    """

    def __init__(self) -> None:
        self.chance: dict[tuple[int, int], list[int]] = {}
        self.fixed: dict[Fixed, int] = {}
        self.halves: dict[tuple[int, int, int], tuple[bool, int, bytes | None]] = {}

    def add(self, first: int, second: int, round: int, result: int, digest: bytes | None) -> None:
        """Take in a match. result: from the first player's side. digest: see `halves`."""
        if first < second:
            self.add_half((first, second, round), (True, 1 + result, digest))
        elif second < first:
            self.add_half((second, first, round), (False, 1 - result, digest))

    def add_half(self, key: tuple[int, int, int], half: tuple[bool, int, bytes | None]) -> None:
        """Take in a match as `halves` has it."""
        other = self.halves.get(key)
        if other is None or other[0] == half[0]:
            self.halves[key] = half
            return
        del self.halves[key]
        a, b, _ = key
        (_, ahead, one), (_, back, two) = (half, other) if half[0] else (other, half)
        if one is None or two is None:
            self.counts_of(a, b)[ahead + back] += 1
        else:
            self.fixed[a, b, one, two] = ahead + back

    def counts_of(self, a: int, b: int) -> list[int]:
        """Those of `chance`, to be added to."""
        return self.chance.setdefault((a, b), [0] * SCORES)

    def add_counts(self, a: int, b: int, counts: Iterable[int]) -> None:
        """Take in whole pairs with chance in them, for a < b."""
        own = self.counts_of(a, b)
        own[:] = [x + y for x, y in zip(own, counts, strict=True)]

    def add_pairs(self, other: Pairs) -> None:
        """Take in other matches."""
        for (a, b), counts in other.chance.items():
            self.add_counts(a, b, counts)
        self.fixed |= other.fixed
        for key, half in other.halves.items():
            self.add_half(key, half)

    def by_score(self, a: int, b: int) -> tuple[int, int, int, int, int]:
        """How many pairs of two entries count with each score of a, from 0 to 4 half points; a < b."""
        found = list(self.chance.get((a, b), [0] * SCORES))
        for (one, other, *_), score in self.fixed.items():
            if (one, other) == (a, b):
                found[score] += 1
        v, w, x, y, z = found
        return v, w, x, y, z
