"""Counts of results by pairing, with repeated matches counted separately."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias

from arena.api.reasons import FORFEITS, WITHDRAWN
from arena.results.record import Record

SCORES = 5  # a pair has 0 to 4 half points
Fixed: TypeAlias = tuple[int, int, bytes, bytes]  # a, b and the fingerprints of their matches


class Pairs:
    """Pairs of matches between entries a < b, counted by the half points of a, from 0 to 4.

    A pair consists of the matches a against b and b against a of one round. A pair of matches without chance
    has the same moves every time and counts once. Matches forfeited unplayed are not part of any pair. The
    counts do not depend on the order or the batches in which matches are added.

    Attributes:
        chance: Counts by score of the pairs with chance, by (a, b).
        fixed: Score of each pair without chance, by a, b and the fingerprints of both matches.
        halves: Matches whose counterpart has not been added, by (a, b, round): whether a is first, the half
            points of a, and the fingerprint, which is None if an agent drew a random number.
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


CHANCE, FIXED, COPY = "chance", "fixed", "copy"


@dataclass
class Counts:
    """Counts of matches of one pairing, from the first player's side; a forfeit is a loss.

    The counts are integers, except for exact results, where they are expected values.
    """

    wins: float = 0
    draws: float = 0
    losses: float = 0
    first_forfeits: float = 0
    second_forfeits: float = 0

    def add(self, result: int, forfeited: bool = False, matches: int = 1) -> None:
        """Add `matches` matches with this result."""
        self.wins += matches * (result == 1)
        self.draws += matches * (result == 0)
        self.losses += matches * (result == -1)
        self.first_forfeits += matches * (forfeited and result == -1)
        self.second_forfeits += matches * (forfeited and result == 1)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.first_forfeits + other.first_forfeits,
            self.second_forfeits + other.second_forfeits,
        )

    def swapped(self) -> Counts:
        """Return the counts from the second player's side."""
        return Counts(self.losses, self.draws, self.wins, self.second_forfeits, self.first_forfeits)

    @property
    def matches(self) -> float:
        """Number of matches."""
        return self.wins + self.draws + self.losses

    @property
    def forfeits(self) -> float:
        """Number of forfeits by either player."""
        return self.first_forfeits + self.second_forfeits


class Replays:
    """Recognises matches that repeat an earlier one.

    A match in which no agent drew a random number has the same moves every time, so playing it again provides
    no new information. Each forfeit counts separately.
    """

    def __init__(self) -> None:
        self.seen: set[bytes] = set()

    def kind(self, record: Record) -> str:
        """Return the kind of a match: `withdrawn` (unplayed), `chance`, `fixed`, or `copy` of a fixed one."""
        if record.reason == WITHDRAWN:
            return WITHDRAWN
        return self.kind_of(fingerprint_of(record) if fixed(record) else None)

    def kind_of(self, digest: bytes | None) -> str:
        """Return the kind of a match by its fingerprint, which is None if an agent drew a random number."""
        if digest is None:
            return CHANCE
        if digest in self.seen:
            return COPY
        self.seen.add(digest)
        return FIXED


def fixed(record: Record) -> bool:
    """Return whether a replay would repeat this match."""
    return not record.chance and record.reason not in FORFEITS


@lru_cache(1024)  # often there are only a few distinct matches without chance
def fingerprint(first: int, second: int, moves: str, start: str | None = None) -> bytes:
    """Return 16 bytes that identify a match by its entries, start and moves."""
    text = f"{first} {second} {moves}" if start is None else f"{first} {second} {moves}\n{start}"
    return blake2b(text.encode(), digest_size=16).digest()


def fingerprint_of(record: Record) -> bytes:
    """Return the `fingerprint` of a record."""
    return fingerprint(record.first, record.second, record.moves, record.start)


@dataclass
class Summary:
    """The data needed to count matches, without the moves.

    Attributes:
        chance: Counts of matches with chance or forfeits, by first and second entry.
        fixed: First entry, second entry, result and fingerprint of each match without chance.
        forfeits: Records of the forfeits.
        unplayed: Counts of matches forfeited unplayed, by first and second entry.
        pairs: Counts of match pairs.
        covers: Ranges of the match numbers, if set by the caller.
    """

    chance: dict[tuple[int, int], Counts] = field(default_factory=dict)
    fixed: list[tuple[int, int, int, bytes]] = field(default_factory=list)
    forfeits: list[Record] = field(default_factory=list)
    unplayed: dict[tuple[int, int], Counts] = field(default_factory=dict)
    pairs: Pairs = field(default_factory=Pairs)
    covers: list[range] = field(default_factory=list)

    @classmethod
    def of(cls, records: Iterable[Record]) -> Summary:
        """Summarise records."""
        summary = cls()
        summary.extend(records)
        return summary

    def extend(self, records: Iterable[Record]) -> None:
        """Add records."""
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """Add a record."""
        if record.reason == WITHDRAWN:
            self.unplayed.setdefault((record.first, record.second), Counts()).add(record.result, True)
            return
        seats = record.first, record.second
        if fixed(record):
            self.add_fixed(*seats, record.round, record.result, record.moves, record.start)
            return
        self.pairs.add(*seats, record.round, record.result, None)
        forfeited = record.reason in FORFEITS
        self.counts(*seats).add(record.result, forfeited)
        if forfeited:
            self.forfeits.append(record)

    def add_fixed(
        self, first: int, second: int, round: int, result: int, moves: str, start: str | None = None
    ) -> None:
        """Add a match in which no agent drew a random number."""
        digest = fingerprint(first, second, moves, start)
        self.fixed.append((first, second, result, digest))
        self.pairs.add(first, second, round, result, digest)

    def counts(self, first: int, second: int) -> Counts:
        """Return the mutable counts of matches with chance of a pairing."""
        return self.chance.setdefault((first, second), Counts())

    @property
    def matches(self) -> int:
        """Number of matches."""
        counted = (*self.chance.values(), *self.unplayed.values())
        return len(self.fixed) + int(sum(counts.matches for counts in counted))


class Tally:
    """Counts of matches by first entry, second entry and kind, and by pairs."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove all matches."""
        self.replays = Replays()
        self.pairs = Pairs()
        self.counts: dict[tuple[int, int, str], Counts] = {}

    def add(self, records: Iterable[Record]) -> None:
        """Add records."""
        self.add_summary(Summary.of(records))

    def add_summary(self, summary: Summary) -> None:
        """Add a summary."""
        for kind, sums in ((CHANCE, summary.chance), (WITHDRAWN, summary.unplayed)):
            for seats, counts in sums.items():
                key = (*seats, kind)
                self.counts[key] = self.counts.get(key, Counts()) + counts
        for first, second, result, digest in summary.fixed:
            key = (first, second, self.replays.kind_of(digest))
            self.counts.setdefault(key, Counts()).add(result)
        self.pairs.add_pairs(summary.pairs)
