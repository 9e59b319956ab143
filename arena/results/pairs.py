"""Matches counted in pairs: one opening, played from either seat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

SCORES = 5  # a pair has 0 to 4 half points
Fixed: TypeAlias = tuple[int, int, bytes, bytes]  # a, b and the fingerprints of their matches


class Pairs:
    """Pairs of matches between entries a < b, counted by the half points of a, from 0 to 4.

    A pair consists of the matches of one round of a against b and b against a. A pair of matches without
    chance goes the same way every time and counts once. Matches forfeited unplayed belong to no pair. The
    counts do not depend on the order in which matches are added, nor on how they are divided.

    Attributes:
        chance: Counts by score of the pairs with chance, by (a, b).
        fixed: Score of each pair without chance, by a, b and the fingerprints of both matches.
        halves: Matches whose counterpart is missing, by (a, b, round): whether a is first, its half points,
            and the fingerprint, None if an agent drew a random number.
    """

    def __init__(self) -> None:
        self.chance: dict[tuple[int, int], list[int]] = {}
        self.fixed: dict[Fixed, int] = {}
        self.halves: dict[tuple[int, int, int], tuple[bool, int, bytes | None]] = {}

    def add(self, first: int, second: int, round: int, result: int, digest: bytes | None) -> None:
        """Add a match.

        Args:
            first: Entry in the first seat.
            second: Entry in the second seat.
            round: Number of the round.
            result: From the first player's side: 1 win, 0 draw, -1 loss.
            digest: Fingerprint of the match; None if an agent drew a random number.
        """
        if first < second:
            self.add_half((first, second, round), (True, 1 + result, digest))
        elif second < first:
            self.add_half((second, first, round), (False, 1 - result, digest))

    def add_half(self, key: tuple[int, int, int], half: tuple[bool, int, bytes | None]) -> None:
        """Add a match in the form of an item of `halves`."""
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
        """Return the mutable counts by score of pairs with chance."""
        return self.chance.setdefault((a, b), [0] * SCORES)

    def add_counts(self, a: int, b: int, counts: Iterable[int]) -> None:
        """Add counts of complete pairs with chance, for a < b."""
        own = self.counts_of(a, b)
        own[:] = [x + y for x, y in zip(own, counts, strict=True)]

    def add_pairs(self, other: Pairs) -> None:
        """Add the matches of other pairs."""
        for (a, b), counts in other.chance.items():
            self.add_counts(a, b, counts)
        self.fixed |= other.fixed
        for key, half in other.halves.items():
            self.add_half(key, half)

    def by_score(self, a: int, b: int) -> tuple[int, int, int, int, int]:
        """Return the number of pairs by the score of a, from 0 to 4 half points; a < b."""
        found = list(self.chance.get((a, b), [0] * SCORES))
        for (one, other, *_), score in self.fixed.items():
            if (one, other) == (a, b):
                found[score] += 1
        v, w, x, y, z = found
        return v, w, x, y, z
