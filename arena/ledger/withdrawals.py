"""Entries that go on failing are withdrawn: what they have not played yet is forfeited unplayed.

Which these are is decided in the order of the schedule, so that it does not depend on who played what when.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import Counter
from collections.abc import Iterator

from arena.ledger.stages import Contest
from arena.plan.schedule import Plan
from arena.results.record import FAILURES, WITHDRAWN, Record
from arena.results.tally import Summary


class Withdrawals:
    """Which entries of a plan are withdrawn, and which may be.

    An entry is withdrawn after so many failures, in the order of the schedule, as the plan says, or by its
    first stall; its matches after that are not played. withdrawn: the number of that match, by entry.
    changes: how often that, or what `held` says, has changed.
    """

    def __init__(self, contest: Contest) -> None:
        self.contest, self.after = contest, contest.plan.withdraw_after
        self.withdrawn: dict[int, int] = {}
        self.failures: Counter[int] = Counter()  # in order, as far as that is known
        self.seen: dict[int, list[int]] = {}  # numbers of failures in any order, by entry
        self.changes = 0

    @property
    def plan(self) -> Plan:
        """What is played, as far as it is scheduled."""
        return self.contest.plan

    def see(self, record: Record) -> None:
        """A match was played, in any order."""
        if self.after and record.reason in FAILURES:
            seen = self.seen.setdefault(record.loser, [])
            if record.number not in seen:
                for _ in range(self.weight(record)):
                    insort(seen, record.number)
                self.changes += 1

    def weight(self, record: Record) -> int:
        """How many failures one counts as."""
        return self.after if record.reason == "stall" and record.loser in self.plan.stall_once else 1

    def count(self, record: Record) -> bool:
        """The next match in order is this; whether somebody is withdrawn from now on."""
        if not self.after or record.reason not in FAILURES:
            return False
        self.failures[record.loser] += self.weight(record)
        if self.failures[record.loser] < self.after or record.loser in self.withdrawn:
            return False
        self.withdrawn[record.loser] = record.number
        self.changes += 1
        return True

    def is_unplayed(self, number: int) -> bool:
        """Whether a match is forfeited unplayed, as far as that is decided."""
        if not self.withdrawn:
            return False
        return any(number > self.withdrawn.get(entry, number) for entry in self.plan.fixture(number)[2:])

    def held(self) -> dict[int, int]:
        """Entries that may be withdrawn, each from the match after this one on."""
        return {
            entry: seen[self.after - 1]
            for entry, seen in self.seen.items()
            if len(seen) >= self.after and entry not in self.withdrawn
        }

    def unplayed(self, number: int) -> Record:
        """The record of a match that is forfeited unplayed: a loss, or a draw if both are withdrawn."""
        fixture = self.plan.fixture(number)
        first, second = (self.withdrawn.get(entry, number) < number for entry in fixture[2:])
        return Record(*fixture, int(second) - int(first), WITHDRAWN, None, 0, 0, "", 0, 0.0, 0.0)


class UnrecordedMatch:
    """Sums up a match between two that nobody records, block by block, of which some may have to be dropped.

    Once one of them is withdrawn, all that is left is forfeited, and what was played beyond is left out.
    """

    def __init__(self, withdrawals: Withdrawals) -> None:
        self.withdrawals, self.plan = withdrawals, withdrawals.plan
        self.next = 0  # the first match that is not known
        self.known: list[tuple[int, int]] = []  # a heap of ranges after that
        self.waiting: list[Summary] = []
        self.failed: list[Record] = []
        self.end = self.plan.matches  # the first match that is not played

    def take(self, summary: Summary) -> tuple[list[Summary], list[range]]:
        """Take in a block: what is certain now, and what of it has to be played again by itself."""
        self.waiting.append(summary)
        for numbers in summary.covers:
            heapq.heappush(self.known, (numbers.start, numbers.stop))
        for record in summary.forfeits:
            if record.reason in FAILURES:
                insort(self.failed, record, key=lambda record: record.number)
                self.withdrawals.see(record)
        while self.known and self.known[0][0] <= self.next:
            self.next = max(self.next, heapq.heappop(self.known)[1])
        while self.failed and self.failed[0].number < self.next and self.end == self.plan.matches:
            failure = self.failed.pop(0)
            if self.withdrawals.count(failure):
                self.end = failure.number + 1
        return self.settled()

    def settled(self) -> tuple[list[Summary], list[range]]:
        certain, again, waiting = [], [], []
        for summary in self.waiting:
            first, last = summary.covers[0].start, summary.covers[-1].stop
            if last <= min(self.next, self.end):
                certain.append(summary)
            elif last <= self.end:
                waiting.append(summary)
            elif first < self.end:
                again += [numbers[: max(0, self.end - numbers.start)] for numbers in summary.covers]
        self.waiting = waiting
        return certain, [numbers for numbers in again if numbers]

    def rest(self) -> Iterator[Summary]:
        """What is left in the end: what nobody is waited for any more, and all that is forfeited."""
        yield from self.waiting
        if self.end < self.plan.matches:
            summary = Summary()
            for number in range(self.end, self.plan.matches):
                summary.add(self.withdrawals.unplayed(number))
            yield summary
