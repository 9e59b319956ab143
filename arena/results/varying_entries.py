"""Detection of entries whose play varies: they choose different moves after the same history."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from arena.results.records import Facts, Flags

KNOWN = 50_000  # maximum number of histories stored for an entry


class Line(NamedTuple):
    """The moves of a match, its start position, and the number of opening moves."""

    moves: str
    start: str | None
    opening: int


class Varying:
    """Detects entries that play two different moves in one seat after the same history.

    Matches must be added in schedule order, so that the result does not depend on the workers.

    Attributes:
        since: The entries whose play varies, with the number of the match in which this was found.
    """

    def __init__(
        self, entries: Collection[int], texts: Sequence[str], first_seat: Callable[[str | None], int | None]
    ) -> None:
        """Initialise without any matches.

        Args:
            entries: Indices of the entries to watch.
            texts: Texts of all entries. If an entry varies, so do all entries with the same text.
            first_seat: Returns the seat to move in a start position, given its text; None if players do not
                alternate, in which case it is unknown who made a move. All entries then count as varying.
        """
        self.entries, self.texts, self.first_seat = frozenset(entries), texts, first_seat
        self.since: dict[int, int] = {}
        self.known: dict[int, dict[bytes, str]] = {entry: {} for entry in entries}

    @property
    def left(self) -> frozenset[int]:
        """The watched entries that have not varied yet."""
        return self.entries - self.since.keys()

    def see(self, facts: Facts, lines: Mapping[int, Line]) -> Flags:
        """Add the next matches, and return which of them have a varying entry, bool [matches].

        A match is flagged only if no trusted entry drew a random number in it.

        Args:
            facts: The matches in order, of dtype FACTS.
            lines: Moves by match number, at least of the matches of entries in `left`.
        """
        left = self.left
        if left:
            columns = (facts[name].tolist() for name in ("number", "first", "second"))
            for number, *seats in zip(*columns, strict=True):
                if not left.isdisjoint(seats) and number in lines:
                    for seat, entry in enumerate(seats):
                        if entry in left and self.varies(seat, entry, lines[number]):
                            self.note(entry, number)
                            left = self.left
        return self.flagged(facts, in_order=True)

    def flagged(self, facts: Facts, in_order: bool = False) -> Flags:
        """Return which matches have a varying entry, bool [matches].

        Args:
            facts: The matches, of dtype FACTS.
            in_order: Flag only matches from the one on in which the entry was found to vary.
        """
        since = np.full(1 + max(facts[seat].max(initial=0) for seat in ("first", "second")), np.inf)
        for entry, number in self.since.items():
            if entry < len(since):
                since[entry] = number if in_order else -1
        first = np.minimum(since[facts["first"]], since[facts["second"]])
        flags: Flags = (facts["chance"] == 0) & (facts["number"] >= first)
        return flags

    def note(self, entry: int, number: int) -> None:
        """Record that an entry varies, and with it all entries with the same text."""
        for other in self.entries:
            if self.texts[other] == self.texts[entry]:
                self.since.setdefault(other, number)
                self.known.pop(other, None)

    def varies(self, seat: int, entry: int, line: Line) -> bool:
        """Add an entry's moves in a match; return whether one differs from its choice in an earlier match."""
        mover = self.first_seat(line.start)
        if mover is None:
            return True
        known, history = self.known[entry], blake2b(f"{seat} {line.start}".encode(), digest_size=8)
        for ply, move in enumerate(line.moves.split()):
            if ply >= line.opening and (mover + ply) % 2 == seat:
                place = history.digest()
                if known.get(place, move) != move:
                    return True
                if len(known) < KNOWN:
                    known[place] = move
            history.update(b" " + move.encode())
        return False
