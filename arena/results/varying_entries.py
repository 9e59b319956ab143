"""Which entries play differently after the same moves, and so not by the position alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from arena.results.records import Facts, Flags

KNOWN = 50_000  # positions that are remembered of an entry


class Line(NamedTuple):
    """The moves of a match, its start position, and the number of opening moves."""

    moves: str
    start: str | None
    opening: int


class Varying:
    """Finds entries that vary: that play two different moves in one seat after the same history.

    Matches are to come in the order of the schedule, so that what is found does not depend on workers.

    Attributes:
        since: The entries that vary, each with the number of the match in which that was seen.
    """

    def __init__(
        self, entries: Collection[int], texts: Sequence[str], first_seat: Callable[[str | None], int | None]
    ) -> None:
        """Begin with nothing known.

        Args:
            entries: Those that are watched.
            texts: What all entries are called. Those with one text vary together.
            first_seat: Takes the text of a start and returns the seat to move there; None if players do
                not take turns, so that nobody can say who made a move. Then all entries vary.
        """
        self.entries, self.texts, self.first_seat = frozenset(entries), texts, first_seat
        self.since: dict[int, int] = {}
        self.known: dict[int, dict[bytes, str]] = {entry: {} for entry in entries}

    @property
    def left(self) -> frozenset[int]:
        """The watched entries that have not varied so far."""
        return self.entries - self.since.keys()

    def see(self, facts: Facts, lines: Mapping[int, Line]) -> Flags:
        """Take in the next matches; return which of them count, though no trusted entry drew, bool [matches].

        Args:
            facts: Of the matches, in order.
            lines: By number, at least of those in which an entry is left.
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
        """Return in which matches an entry varies, with `in_order` as far as was known then."""
        since = np.full(1 + max(facts[seat].max(initial=0) for seat in ("first", "second")), np.inf)
        for entry, number in self.since.items():
            if entry < len(since):
                since[entry] = number if in_order else -1
        first = np.minimum(since[facts["first"]], since[facts["second"]])
        flags: Flags = (facts["chance"] == 0) & (facts["number"] >= first)
        return flags

    def note(self, entry: int, number: int) -> None:
        """Remember that an entry varies, and all that are called as it is."""
        for other in self.entries:
            if self.texts[other] == self.texts[entry]:
                self.since.setdefault(other, number)
                self.known.pop(other, None)

    def varies(self, seat: int, entry: int, line: Line) -> bool:
        """Take in an entry's moves of a match; return whether one differs from what it played before."""
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
