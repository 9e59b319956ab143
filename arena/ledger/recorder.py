"""Records a tournament: the matches, sums and Elo ratings of a block in one transaction."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from arena.errors import ArenaError
from arena.ledger.in_order import PAUSE, InOrder
from arena.ledger.stages import Contest
from arena.ledger.withdrawals import Withdrawals
from arena.plan.schedule import Plan, unplayed
from arena.results.record import Record
from arena.results.records import Records
from arena.results.tally import FIXED, Replays, fingerprint

if TYPE_CHECKING:
    from arena.storage.database import Store


class Recorder:
    """The one writer of a tournament. Goes on where the database ends, once `take_up` is through.

    unplayed: numbers of the matches still to be played, of those that are scheduled; left: how many they are.
    """

    def __init__(self, store: Store, tournament: int, contest: Contest) -> None:
        self.store, self.tournament, self.contest = store, tournament, contest
        plan = contest.plan
        entry_ids = store.entry_ids(plan.game.text)
        if missing := [spec.text for spec in plan.entries if spec.text not in entry_ids]:
            raise self.altered(f"it has no entry {missing[0]!r}")
        self.ids = [entry_ids[spec.text] for spec in plan.entries]
        self.replays = Replays()
        self.withdrawals = Withdrawals(contest)
        self.order = InOrder(contest, self.withdrawals)
        self.unplayed: list[range] = []
        begun = store.tournament(tournament)
        self.played, self.finished = begun.played, begun.finished is not None

    @property
    def plan(self) -> Plan:
        """What is played, as far as it is scheduled."""
        return self.contest.plan

    @property
    def left(self) -> int:
        """How many matches that are scheduled are still to be played."""
        return self.plan.matches - self.played

    @property
    def planned(self) -> int:
        """How many matches there are, or will be at most."""
        return self.plan.matches if self.contest.over else self.plan.most

    def take_up(self) -> Iterator[None]:
        """Take in what was played, as far as what is to come depends on it; pauses now and then.

        That is which matches go the same way each time, and all matches since Elo was last written down: up
        to there none is missing. Where results decide what follows, or it is to be seen who varies, it is all
        matches.
        """
        anew = self.contest.grows or bool(self.plan.untrusted)
        if not anew:
            self.order.take_up(self.store.elo_so_far(self.tournament), self.ids)
        start = self.order.next
        self.take_up_failures(start)
        if not anew:
            yield from self.take_up_fixed()
        written = yield from self.take_up_matches(start)
        self.order.unplayed = [record for record in self.order.unplayed if record.number not in written]
        self.order.untold.clear()
        done = [*range(start and start - 1, start), *written]
        self.unplayed = [gap for gap in unplayed(done, self.plan.matches) if gap.stop > start]
        if self.left != sum(map(len, self.unplayed)):
            raise self.altered("its sums are of other matches than are recorded")
        if self.left and self.withdrawals.withdrawn:
            self.add([])  # what is forfeited unplayed of what was planned since

    def take_up_failures(self, start: int) -> None:
        """Take in who failed; of matches before this number nothing else is looked at."""
        for number, result, reason in self.store.failures(self.tournament):
            if number < self.plan.matches:
                fixture = self.plan.fixture(number)
                failure = Record(*fixture, result, reason, "", 0, 0, "", 1, 0.0, 0.0)
                self.withdrawals.see(failure)
                if number < start:
                    self.order.count_fault(failure)

    def take_up_fixed(self) -> Iterator[None]:
        """Take in the matches that go the same way each time, until as many are found as were counted."""
        left = self.store.fixed_matches(self.tournament)
        if not left:
            return
        for number, moves, start in self.store.moves_without_chance(self.tournament):
            if number % PAUSE == 0:
                yield
            digest = fingerprint(*self.plan.fixture(number)[2:], moves, start)
            if number < self.order.next:
                self.order.replays.seen.add(digest)
            if self.replays.kind_of(digest) == FIXED:
                left -= 1
                if not left:
                    return

    def take_up_matches(self, start: int) -> Generator[None, None, dict[int, None]]:
        """Take in the matches from a number on; gives their numbers, in order."""
        anew = self.contest.grows or bool(self.plan.untrusted)
        index = {id: i for i, id in enumerate(self.ids)}
        written: dict[int, None] = {}
        some: list[Record] = []
        for record in self.store.matches(self.tournament, index, start):
            if record.number >= self.plan.matches:
                self.order.add(Records.of(some))
                some = []
                self.order.schedule_to(record.number)
            planned = self.order.as_planned(record.as_played(), self.ids)
            if planned is None:
                raise self.altered(f"its match {record.number} was not planned so")
            written[record.number] = None
            if self.contest.grows:
                self.withdrawals.see(planned)
            if anew:
                self.replays.kind(planned)
            some.append(planned)
            if len(some) == PAUSE:
                self.order.add(Records.of(some))
                some = []
                yield
        self.order.add(Records.of(some))
        return written

    def go_on(self) -> bool:
        """Have the next stage scheduled once nothing is left of those before; whether there is one.

        Where nothing follows, the tournament is over.
        """
        while not self.left:
            start = self.plan.matches
            if not self.contest.go_on():
                self.end()
                return False
            self.unplayed = [range(start, self.plan.matches)]
            self.add([])  # what is forfeited unplayed
        return True

    def altered(self, how: str) -> ArenaError:
        """The error for a tournament that was not recorded so."""
        what = f"tournament {self.tournament} of {self.store.path} was altered: {how}"
        return ArenaError(f"{what}; take a copy of it from before")

    def end(self) -> None:
        """Have the tournament be over with what is recorded, in which nothing is missing."""
        if self.finished:
            return
        with self.store.transaction():
            self.store.add_elo(self.tournament, self.ids, self.plan.schedule.rounds, self.order.elo.ratings)
            self.store.finish(self.tournament, self.played)
        self.finished = True

    def add(self, records: Iterable[Record]) -> Records:
        """Write a block of records, all or none.

        Gives what was written: with matches that turn out to be forfeited unplayed, and without what was
        played in their places.
        """
        before, varied = {*self.withdrawals.withdrawn}, {*self.order.varying.since}
        records = Records.of(records)
        for record in records.having("details"):
            self.withdrawals.see(record)
        self.order.add(records)
        if self.withdrawals.withdrawn:
            unplayed = map(self.withdrawals.is_unplayed, records.facts["number"].tolist())
            played = records.where(~np.fromiter(unplayed, bool, len(records)))
            records = Records.joined([played, Records.of(self.order.unplayed)])
        if self.order.varying.since:
            records = records.varied(self.order.varying.flagged(records.facts))
        counts = records.counts(self.replays)
        last = self.withdrawals.withdrawn
        withdrawn = [(self.ids[entry], last[entry]) for entry in last if entry not in before]
        dropped = 0
        with self.store.transaction():
            newly = {self.ids[entry] for entry in self.order.varying.since.keys() - varied}
            self.store.mark_varied(self.tournament, newly)
            for entry, after in withdrawn:
                dropped += self.store.drop_played(self.tournament, entry, after)
            self.store.add_matches(self.tournament, self.ids, records)
            self.store.add_counts(self.tournament, self.ids, counts)
            again = {entry for entry, _ in withdrawn} if dropped else {*()}
            for entry in sorted(newly | again):
                self.store.add_up(self.tournament, entry)
            self.store.drop_stories(self.tournament, self.order.untold)
            for rounds, ratings in self.order.snapshots:
                self.store.add_elo(self.tournament, self.ids, rounds, ratings)
            count = self.played + len(records) - dropped
            finished = self.contest.over and count == self.plan.matches
            if finished:
                self.store.finish(self.tournament)
        self.order.clear()
        self.played, self.finished = count, finished
        return records
