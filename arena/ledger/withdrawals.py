"""Entries that fail again and again are withdrawn: the matches they have left are forfeited unplayed.

Who is withdrawn is decided in the order of the schedule, so that it does not depend on who played what when.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Mapping

from arena.plan.schedule import Fixture
from arena.results.record import FAILURES, WITHDRAWN, Record


class Withdrawals:
    """Which entries are withdrawn, and which may be.

    Attributes:
        withdrawn: The number of the match after which an entry is withdrawn, by entry.
    """

    def __init__(self, after: int, stall_once: frozenset[int]) -> None:
        """Begin with nobody withdrawn.

        Args:
            after: The failures after which an entry is withdrawn; 0: never.
            stall_once: Entries that are withdrawn by their first stall.
        """
        self.after, self.stall_once = after, stall_once
        self.withdrawn: dict[int, int] = {}
        self.failures: Counter[int] = Counter()  # in the order of the schedule, as far as that is known
        self.seen: dict[int, list[int]] = {}  # numbers of failed matches in any order, by entry

    def see(self, record: Record) -> bool:
        """Take note of a failure out of order; return whether it is a new one that counts."""
        if not self.after or record.reason not in FAILURES:
            return False
        seen = self.seen.setdefault(record.loser, [])
        if record.number in seen:
            return False
        for _ in range(self.weight(record)):
            insort(seen, record.number)
        return True

    def weight(self, record: Record) -> int:
        """Return how many failures one counts as."""
        return self.after if record.reason == "stall" and record.loser in self.stall_once else 1

    def count(self, record: Record) -> None:
        """Count the next failure in the order of the schedule."""
        if not self.after or record.reason not in FAILURES:
            return
        self.failures[record.loser] += self.weight(record)
        if self.failures[record.loser] >= self.after:
            self.withdrawn.setdefault(record.loser, record.number)

    def held(self) -> dict[int, int]:
        """Return the entries that may be withdrawn, each with the number of its last match if it is."""
        return {
            entry: seen[self.after - 1]
            for entry, seen in self.seen.items()
            if len(seen) >= self.after and entry not in self.withdrawn
        }


def is_unplayed(fixture: Fixture, withdrawn: Mapping[int, int]) -> bool:
    """Return whether a match is forfeited unplayed, as far as that is decided."""
    return any(fixture.number > withdrawn.get(entry, fixture.number) for entry in fixture[2:])


def unplayed_record(fixture: Fixture, withdrawn: Mapping[int, int]) -> Record:
    """Return the record of a match that is forfeited unplayed: a loss, or a draw if both are withdrawn."""
    first, second = (withdrawn.get(entry, fixture.number) < fixture.number for entry in fixture[2:])
    return Record(*fixture, int(second) - int(first), WITHDRAWN, None, 0, 0, "", 0, 0.0, 0.0)
