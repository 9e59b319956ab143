"""Recording a tournament: the matches, sums and Elo ratings of each block in one transaction."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.ledger.ledger import Changes, Ledger
from arena.results.record import Record
from arena.results.records import Records
from arena.results.tally import FIXED, Replays, fingerprint
from arena.storage import corrections
from arena.storage.sums import add_counts

if TYPE_CHECKING:
    from arena.storage.database import Store


PAUSE = 10_000  # number of recorded matches processed at a time


class Recorder:
    """Writes a tournament to the database, continuing after the matches that are already recorded.

    Attributes:
        kind: The type of the blocks that it receives.
        played: The number of recorded matches.
        finished: Whether the tournament is recorded as finished.
    """

    kind = Records

    def __init__(self, store: Store, tournament: int, ledger: Ledger) -> None:
        self.store, self.tournament, self.ledger = store, tournament, ledger
        plan = ledger.plan
        entry_ids = store.entry_ids(plan.game.text)
        if missing := [spec.text for spec in plan.entries if spec.text not in entry_ids]:
            raise self.altered(f"it has no entry {missing[0]!r}")
        self.ids = [entry_ids[spec.text] for spec in plan.entries]
        self.replays = Replays()
        begun = store.tournament(tournament)
        self.played, self.finished = begun.played, begun.finished is not None

    # --- reading ------------------------------------------------------------------------------------------

    def take_up(self) -> Iterator[None]:
        """Add the recorded matches on which later results depend to the ledger.

        These are the failures, the matches without chance, and all matches after the last Elo snapshot before
        which no match is missing. If the format depends on results, or some entries are untrusted, all
        matches are added.

        Yields:
            None at intervals, so that the caller can show progress.

        Raises:
            ArenaError: If the record does not fit the plan.
        """
        ledger = self.ledger
        anew = ledger.stages.grows or bool(ledger.plan.untrusted)
        if not anew and (rated := self.store.elo_so_far(self.tournament)):
            rounds, by_id = rated
            there = zip(self.ids, ledger.elo.ratings, strict=True)
            ledger.resume_at(rounds, [by_id.get(id, rating) for id, rating in there])
        start = ledger.next
        self.take_up_failures(start)
        if not anew:
            yield from self.take_up_fixed()
        written = yield from self.take_up_matches(start)
        ledger.forfeited = [number for number in ledger.forfeited if number not in written]
        ledger.dropped_stories.clear()
        left = ledger.plan.matches - self.played
        if left != sum(map(len, ledger.left())) + len(ledger.forfeited):
            raise self.altered("its sums do not match the recorded matches")
        if ledger.forfeited:
            self.write(ledger.add(Records()))  # newly planned matches that are forfeited unplayed

    def take_up_failures(self, start: int) -> None:
        """Add failures to the ledger.

        Args:
            start: The first match that is read in full; from earlier matches only the failures are counted.
        """
        for number, result, reason in self.store.failures(self.tournament):
            if number < self.ledger.plan.matches:
                fixture = self.ledger.plan.fixture(number)
                failure = Record(*fixture, result, reason, "", 0, 0, "", 1, 0.0, 0.0)
                self.ledger.withdrawals.see(failure)
                if number < start:
                    self.ledger.count_fault(failure)

    def take_up_fixed(self) -> Iterator[None]:
        """Register the matches without chance until all distinct ones that the database counts are found."""
        left = self.store.fixed_matches(self.tournament)
        if not left:
            return
        for number, moves, start in self.store.moves_without_chance(self.tournament):
            if number % PAUSE == 0:
                yield
            digest = fingerprint(*self.ledger.plan.fixture(number)[2:], moves, start)
            if number < self.ledger.next:
                self.ledger.replays.seen.add(digest)
            if self.replays.kind_of(digest) == FIXED:
                left -= 1
                if not left:
                    return

    def take_up_matches(self, start: int) -> Generator[None, None, dict[int, None]]:
        """Add the matches from `start` on to the ledger.

        Yields:
            None at intervals.

        Returns:
            The numbers of these matches as keys, in order.

        Raises:
            ArenaError: If a match is not in the plan.
        """
        anew = self.ledger.stages.grows or bool(self.ledger.plan.untrusted)
        index = {id: i for i, id in enumerate(self.ids)}
        written: dict[int, None] = {}
        some: list[Record] = []
        for record in self.store.matches(self.tournament, index, start):
            if record.number >= self.ledger.plan.matches:
                self.ledger.take_in(Records.of(some))
                some = []
                self.ledger.schedule_to(record.number)
            planned = self.ledger.as_planned(record.as_played(), self.ids)
            if planned is None:
                raise self.altered(f"its match {record.number} is not the planned one")
            written[record.number] = None
            if self.ledger.stages.grows:
                self.ledger.withdrawals.see(planned)
            if anew:
                self.replays.kind(planned)
            some.append(planned)
            if len(some) == PAUSE:
                self.ledger.take_in(Records.of(some))
                some = []
                yield
        self.ledger.take_in(Records.of(some))
        return written

    # --- writing ------------------------------------------------------------------------------------------

    def write(self, changes: Changes) -> Sequence[range]:
        """Write a block of matches and its consequences in one transaction."""
        records = self.ledger.marked(changes.records)
        counts = records.counts(self.replays)
        dropped = 0
        with self.store.transaction():
            again = {self.ids[entry] for entry in changes.varied}
            if again:
                corrections.mark_varied(self.store, self.tournament, again)
            for entry, last in changes.withdrawn.items():
                dropped += corrections.drop_played(self.store, self.tournament, self.ids[entry], last)
            self.store.add_matches(self.tournament, self.ids, records)
            add_counts(self.store, self.tournament, self.ids, counts)
            if dropped:
                again |= {self.ids[entry] for entry in changes.withdrawn}
            for id in sorted(again):
                corrections.add_up(self.store, self.tournament, id)
            if changes.dropped_stories:
                corrections.drop_stories(self.store, self.tournament, changes.dropped_stories)
            for rounds, ratings in changes.elo:
                self.store.add_elo(self.tournament, self.ids, rounds, ratings)
            count = self.played + len(records) - dropped
            finished = self.ledger.stages.over and count == self.ledger.plan.matches
            if finished:
                self.store.finish(self.tournament)
        self.played, self.finished = count, finished
        return ()

    def close(self) -> None:
        """Mark the tournament as finished if nothing is left to play."""
        if self.finished or not self.ledger.stages.over or self.ledger.left():
            return
        with self.store.transaction():
            rounds = self.ledger.plan.schedule.rounds
            self.store.add_elo(self.tournament, self.ids, rounds, self.ledger.elo.ratings)
            self.store.finish(self.tournament, self.played)
        self.finished = True

    def altered(self, how: str) -> ArenaError:
        """Return the error for a tournament whose record does not fit its plan."""
        what = f"tournament {self.tournament} of {self.store.path} was altered: {how}"
        return ArenaError(f"{what}; restore it from a backup")
