"""A match that goes on until a sequential test between its two entries is decided.

It is looked at after fixed numbers of pairs, in the order of the schedule, so that it ends at the same match
for any number of workers and after any interruption.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Literal

from arena.matches.schedule import Plan, unplayed
from arena.ratings.sprt import SCORES, Sprt
from arena.results.record import Record
from arena.results.tally import COPY, Replays

FIRST, STEP, GROWTH = 10, 4, 0.05  # pairs before the first look, and until the next: a number, or a share


def looks(most: int) -> list[int]:
    """After how many matches it is looked at; the last time after `most`."""
    found, pairs = [], FIRST
    while 2 * pairs < most:
        found.append(2 * pairs)
        pairs += max(STEP, int(GROWTH * pairs))
    return [*found, most]


class SequentialMatch:
    """How the test of a plan stands. counts: pairs by score, those aside that repeat others move for move.

    played: matches taken in, in order. over: whether no more are to be played: the test is decided, all have
    been played, or since the last look all repeat others (then `repeats` is true).
    """

    def __init__(self, plan: Plan, test: Sprt) -> None:
        self.plan, self.test = plan, test
        self.looks = looks(plan.matches)
        self.counts = [0] * len(SCORES)
        self.played = 0
        self.over = self.repeats = False
        self.decision: Literal["low", "high"] | None = None
        self.early: dict[int, Record] = {}
        self.replays = Replays()
        self.pair: list[Record] = []
        self.new = 0  # pairs that count since the last look

    @property
    def goal(self) -> int:
        """After how many matches it is looked at next."""
        return self.looks[min(bisect_right(self.looks, self.played), len(self.looks) - 1)]

    def add(self, records: Iterable[Record]) -> None:
        """Take in matches, in any order; none after the one at which it is over."""
        self.early.update((record.number, record) for record in records)
        while not self.over and (record := self.early.pop(self.played, None)):
            goal = self.goal
            self.pair.append(record)
            self.played += 1
            if self.played % 2 == 0:
                self.count(self.pair)
                self.pair = []
            if self.played == goal:
                self.look()

    def count(self, pair: Sequence[Record]) -> None:
        """Count a pair, unless both its matches repeat others."""
        kinds = [self.replays.kind(record) for record in pair]
        if kinds != [COPY, COPY]:
            score = sum(record.result if record.first == 0 else -record.result for record in pair)
            self.counts[score + 2] += 1
            self.new += 1

    def look(self) -> None:
        self.decision = self.test.decision(self.counts)
        self.repeats = not self.decision and not self.new
        self.over = bool(self.decision) or self.repeats or self.played == self.plan.matches
        self.new = 0

    def unplayed(self) -> list[range]:
        """The matches before the next look that are still to be played."""
        early = sorted(number for number in self.early if number < self.goal)
        return [range(gap.start, gap.stop) for gap in unplayed(early, self.goal, self.played)]

    def ratio(self) -> float:
        """The log likelihood ratio as it stands."""
        return self.test.ratio(self.counts)


def play_in_turn(
    match: SequentialMatch, play: Callable[[Sequence[range]], Iterable[Sequence[Record]]]
) -> Generator[Sequence[Record], None, None]:
    """Play until the test is over, or nothing is played any more; gives blocks that the test has taken in."""
    while not match.over and (left := match.unplayed()):
        before = len(match.early), match.played
        for records in play(left):
            match.add(records)
            yield records
        if before == (len(match.early), match.played):
            return
