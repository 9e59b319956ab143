"""Results counted by pairing, identical replays told apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from hashlib import blake2b

from arena.match import FORFEITS, Record

CHANCE, FIXED, COPY = "chance", "fixed", "copy"


@dataclass
class Counts:
    """Matches of one pairing from the first player's side; a forfeit is a loss of whoever forfeited."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    first_forfeits: int = 0
    second_forfeits: int = 0

    def add(self, record: Record) -> None:
        self.wins += record.result == 1
        self.draws += record.result == 0
        self.losses += record.result == -1
        if record.reason in FORFEITS:
            self.first_forfeits += record.result == -1
            self.second_forfeits += record.result == 1

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def swapped(self) -> Counts:
        """The same from the second player's side."""
        return Counts(self.losses, self.draws, self.wins, self.second_forfeits, self.first_forfeits)

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def forfeits(self) -> int:
        return self.first_forfeits + self.second_forfeits


class Replays:
    """Knows a match that has been seen before.

    A match in which no agent drew a random number goes the same way whenever it is played; the
    second time tells nothing new. Each forfeit is an event of its own.
    """

    def __init__(self) -> None:
        self.seen: set[bytes] = set()

    def kind(self, record: Record) -> str:
        """`chance` where an agent drew, `fixed` where none did, `copy` where that is seen again."""
        if record.chance or record.reason in FORFEITS:
            return CHANCE
        match = f"{record.first} {record.second} {record.moves}"
        digest = blake2b(match.encode(), digest_size=16).digest()
        if digest in self.seen:
            return COPY
        self.seen.add(digest)
        return FIXED


class Tally:
    """Counts by first, second and kind."""

    def __init__(self) -> None:
        self.replays = Replays()
        self.counts: dict[tuple[int, int, str], Counts] = {}

    def add(self, records: Iterable[Record]) -> None:
        for record in records:
            key = (record.first, record.second, self.replays.kind(record))
            self.counts.setdefault(key, Counts()).add(record)
