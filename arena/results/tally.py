"""Results counted by pairing, identical replays told apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

from arena.results.pairs import Pairs
from arena.results.record import FORFEITS, WITHDRAWN, Record

CHANCE, FIXED, COPY = "chance", "fixed", "copy"


@dataclass
class Counts:
    """Matches of one pairing from the first player's side; a forfeit is a loss of whoever forfeited.

    Whole numbers, unless nothing was played and these are what so many matches come to on average.
    """

    wins: float = 0
    draws: float = 0
    losses: float = 0
    first_forfeits: float = 0
    second_forfeits: float = 0

    def add(self, result: int, forfeited: bool = False, matches: int = 1) -> None:
        """So many matches that ended so."""
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
        """The same from the second player's side."""
        return Counts(self.losses, self.draws, self.wins, self.second_forfeits, self.first_forfeits)

    @property
    def matches(self) -> float:
        return self.wins + self.draws + self.losses

    @property
    def forfeits(self) -> float:
        return self.first_forfeits + self.second_forfeits


class Replays:
    """Knows a match that has been seen before.

    A match in which no agent drew a random number goes the same way whenever it is played; the
    second time tells nothing new. Each forfeit is an event of its own.
    """

    def __init__(self) -> None:
        self.seen: set[bytes] = set()

    def kind(self, record: Record) -> str:
        """`chance` if an agent drew a random number, else `fixed`, or `copy` if it is seen again.

        `withdrawn` of a match that was not played.
        """
        if record.reason == WITHDRAWN:
            return WITHDRAWN
        return self.kind_of(fingerprint_of(record) if fixed(record) else None)

    def kind_of(self, digest: bytes | None) -> str:
        """The same, of the fingerprint of a match, None where an agent drew a random number."""
        if digest is None:
            return CHANCE
        if digest in self.seen:
            return COPY
        self.seen.add(digest)
        return FIXED


def fixed(record: Record) -> bool:
    """Whether the match would go this way each time."""
    return not record.chance and record.reason not in FORFEITS


@lru_cache(1024)  # of matches without chance there may be few
def fingerprint(first: int, second: int, moves: str, start: str | None = None) -> bytes:
    """Of who met, where they began and how it went, 16 bytes."""
    text = f"{first} {second} {moves}" if start is None else f"{first} {second} {moves}\n{start}"
    return blake2b(text.encode(), digest_size=16).digest()


def fingerprint_of(record: Record) -> bytes:
    """The same, of a record."""
    return fingerprint(record.first, record.second, record.moves, record.start)


@dataclass
class Summary:
    """What matches come to without their moves: all that counting them takes.

    chance: counts by first and second of matches in which an agent drew a random number. fixed: first,
    second, result and fingerprint of each of the others. forfeits: their records. unplayed: counts of what
    was forfeited unplayed. pairs: the matches in pairs. covers: the numbers of the matches, where somebody
    has noted them.
    """

    chance: dict[tuple[int, int], Counts] = field(default_factory=dict)
    fixed: list[tuple[int, int, int, bytes]] = field(default_factory=list)
    forfeits: list[Record] = field(default_factory=list)
    unplayed: dict[tuple[int, int], Counts] = field(default_factory=dict)
    pairs: Pairs = field(default_factory=Pairs)
    covers: list[range] = field(default_factory=list)

    @classmethod
    def of(cls, records: Iterable[Record]) -> Summary:
        """What these come to."""
        summary = cls()
        summary.extend(records)
        return summary

    def extend(self, records: Iterable[Record]) -> None:
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
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
        """Those of matches in which an agent drew a random number, to be added to."""
        return self.chance.setdefault((first, second), Counts())

    @property
    def matches(self) -> int:
        counted = (*self.chance.values(), *self.unplayed.values())
        return len(self.fixed) + int(sum(counts.matches for counts in counted))


class Tally:
    """Counts by first, second and kind, and by pairs."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all matches."""
        self.replays = Replays()
        self.pairs = Pairs()
        self.counts: dict[tuple[int, int, str], Counts] = {}

    def add(self, records: Iterable[Record]) -> None:
        self.add_summary(Summary.of(records))

    def add_summary(self, summary: Summary) -> None:
        for kind, sums in ((CHANCE, summary.chance), (WITHDRAWN, summary.unplayed)):
            for seats, counts in sums.items():
                key = (*seats, kind)
                self.counts[key] = self.counts.get(key, Counts()) + counts
        for first, second, result, digest in summary.fixed:
            key = (first, second, self.replays.kind_of(digest))
            self.counts.setdefault(key, Counts()).add(result)
        self.pairs.add_pairs(summary.pairs)
