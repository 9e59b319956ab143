"""Withdraw entries that fail repeatedly: their remaining matches are forfeited unplayed.

Failures are counted in the order of the schedule, so that the result does not depend on which worker played
what when.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Mapping

from arena.plan.schedule import Fixture
from arena.results.record import FAILURES, WITHDRAWN, Record


class Withdrawals:
    """The entries that are withdrawn, and those that may be.

    Attributes:
        withdrawn: For each withdrawn entry, the number of its last match that counts.
    """

    def __init__(self, after: int, stall_once: frozenset[int]) -> None:
        """Begin with no entry withdrawn.

        Args:
            after: The number of failures after which an entry is withdrawn; 0 = never.
            stall_once: Entries that are withdrawn after their first stall.
        """
        self.after, self.stall_once = after, stall_once
        self.withdrawn: dict[int, int] = {}
        self.failures: Counter[int] = Counter()  # in the order of the schedule, as far as matches are known
        self.seen: dict[int, list[int]] = {}  # by entry, the numbers of failed matches of any order, sorted

    def see(self, record: Record) -> bool:
        """Note a failure, in any order, and return whether it is new and counts."""
        if not self.after or record.reason not in FAILURES:
            return False
        seen = self.seen.setdefault(record.loser, [])
        if record.number in seen:
            return False
        for _ in range(self.weight(record)):
            insort(seen, record.number)
        return True

    def weight(self, record: Record) -> int:
        """Return how many failures a record counts as."""
        return self.after if record.reason == "stall" and record.loser in self.stall_once else 1

    def count(self, record: Record) -> None:
        """Count the next failure in the order of the schedule."""
        if not self.after or record.reason not in FAILURES:
            return
        self.failures[record.loser] += self.weight(record)
        if self.failures[record.loser] >= self.after:
            self.withdrawn.setdefault(record.loser, record.number)

    def held(self) -> dict[int, int]:
        """Return the entries that may turn out to be withdrawn, each with its last match in that case."""
        return {
            entry: seen[self.after - 1]
            for entry, seen in self.seen.items()
            if len(seen) >= self.after and entry not in self.withdrawn
        }


def is_unplayed(fixture: Fixture, withdrawn: Mapping[int, int]) -> bool:
    """Return whether a match is forfeited unplayed, as far as that is decided.

    Args:
        fixture: The match.
        withdrawn: The entries that are withdrawn, each with the number of its last match.
    """
    return any(fixture.number > withdrawn.get(entry, fixture.number) for entry in fixture[2:])


def unplayed_record(fixture: Fixture, withdrawn: Mapping[int, int]) -> Record:
    """Return the record of a match forfeited unplayed: a loss, or a draw if both entries are withdrawn."""
    first, second = (withdrawn.get(entry, fixture.number) < fixture.number for entry in fixture[2:])
    return Record(*fixture, int(second) - int(first), WITHDRAWN, None, 0, 0, "", 0, 0.0, 0.0)
