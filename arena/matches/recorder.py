"""Records a tournament: the matches, sums and Elo ratings of a block in one transaction."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from filelock import FileLock, Timeout

from arena.errors import ArenaError
from arena.matches.contest import Contest
from arena.matches.schedule import Fixture, Plan, unplayed
from arena.matches.withdrawing import Withdrawals
from arena.ratings.elo import EloRatings
from arena.results.record import Record
from arena.results.records import KINDS, PLACES, UNPLAYED, Facts, Records, kinds_of
from arena.results.story import STORIES
from arena.results.tally import CHANCE, FIXED, Replays, fingerprint
from arena.storage.place import Identity, identity

if TYPE_CHECKING:
    from arena.storage.database import Store

PAUSE = 10_000  # matches between two looks at how far it is
SNAPSHOTS = 1000  # of Elo at most in a tournament
WAIT = 1.0  # seconds for others to let go of a lock that they take for one that was left


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
        self.elo = InOrder(contest, self.withdrawals)
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
        to there none is missing. Where results decide what follows it is all matches.
        """
        index = {id: i for i, id in enumerate(self.ids)}
        if not self.contest.grows:
            self.elo.take_up(self.store.elo_so_far(self.tournament), self.ids)
        start = self.elo.next
        for number, result, reason in self.store.failures(self.tournament):
            if number < self.plan.matches:
                fixture = self.plan.fixture(number)
                failure = Record(*fixture, result, reason, "", 0, 0, "", 1, 0.0, 0.0)
                self.withdrawals.see(failure)
                if number < start:
                    self.elo.count_fault(failure)
        if not self.contest.grows:
            yield from self.take_up_fixed()
        done = list(range(start and start - 1, start))
        some: list[Record] = []
        for record in self.store.matches(self.tournament, index, start):
            number = record.number
            if number >= self.plan.matches:
                self.elo.add(Records.of(some))
                some = []
            while number >= self.plan.matches and self.elo.next == self.plan.matches:
                if not self.contest.go_on():
                    break
            planned = self.plan.fixture(number) if number < self.plan.matches else None
            if not planned or planned.round != record.round or self.seats(planned) != self.seats(record):
                raise self.altered(f"its match {number} was not planned so")
            done.append(number)
            record = record._replace(first=planned.first, second=planned.second)
            if self.contest.grows:
                self.withdrawals.see(record)
                self.replays.kind(record)
            some.append(record)
            if len(some) == PAUSE:
                self.elo.add(Records.of(some))
                some = []
                yield
        self.elo.add(Records.of(some))
        written = {*done}
        self.elo.unplayed = [record for record in self.elo.unplayed if record.number not in written]
        self.elo.untold.clear()
        self.unplayed = [gap for gap in unplayed(done, self.plan.matches) if gap.stop > start]
        if self.left != sum(map(len, self.unplayed)):
            raise self.altered("its sums are of other matches than are recorded")
        if self.left and self.withdrawals.withdrawn:
            self.add([])  # what is forfeited unplayed of what was planned since

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

    def take_up_fixed(self) -> Iterator[None]:
        """Take in the matches that go the same way each time, until as many are found as were counted."""
        left = self.store.fixed_matches(self.tournament)
        if not left:
            return
        for number, moves in self.store.moves_without_chance(self.tournament):
            if number % PAUSE == 0:
                yield
            digest = fingerprint(*self.plan.fixture(number)[2:], moves)
            if number < self.elo.next:
                self.elo.replays.seen.add(digest)
            if self.replays.kind_of(digest) == FIXED:
                left -= 1
                if not left:
                    return

    def seats(self, match: Record | Fixture) -> tuple[int, int]:
        """The entries of a match, by id."""
        return self.ids[match.first], self.ids[match.second]

    def altered(self, how: str) -> ArenaError:
        """The error for a tournament that was not recorded so."""
        what = f"tournament {self.tournament} of {self.store.path} was altered: {how}"
        return ArenaError(f"{what}; take a copy of it from before")

    def end(self) -> None:
        """Have the tournament be over with what is recorded, in which nothing is missing."""
        if self.finished:
            return
        with self.store.transaction():
            self.store.add_elo(self.tournament, self.ids, self.plan.schedule.rounds, self.elo.elo.ratings)
            self.store.finish(self.tournament, self.played)
        self.finished = True

    def add(self, records: Iterable[Record]) -> Records:
        """Write a block of records, all or none.

        Gives what was written: with matches that turn out to be forfeited unplayed, and without what was
        played in their places.
        """
        before = {*self.withdrawals.withdrawn}
        records = Records.of(records)
        for record in records.having("details"):
            self.withdrawals.see(record)
        self.elo.add(records)
        if self.withdrawals.withdrawn:
            unplayed = map(self.withdrawals.is_unplayed, records.facts["number"].tolist())
            played = records.where(~np.fromiter(unplayed, bool, len(records)))
            records = Records.joined([played, Records.of(self.elo.unplayed)])
        counts = records.counts(self.replays)
        last = self.withdrawals.withdrawn
        withdrawn = [(self.ids[entry], last[entry]) for entry in last if entry not in before]
        dropped = 0
        with self.store.transaction():
            for entry, after in withdrawn:
                dropped += self.store.drop_played(self.tournament, entry, after)
            self.store.add_matches(self.tournament, self.ids, records)
            self.store.add_counts(self.tournament, self.ids, counts)
            if dropped:
                for entry, _ in withdrawn:
                    self.store.add_up(self.tournament, entry)
            self.store.drop_stories(self.tournament, self.elo.untold)
            for rounds, ratings in self.elo.snapshots:
                self.store.add_elo(self.tournament, self.ids, rounds, ratings)
            count = self.played + len(records) - dropped
            finished = self.contest.over and count == self.plan.matches
            if finished:
                self.store.finish(self.tournament)
        self.elo.clear()
        self.played, self.finished = count, finished
        return records


class Run(NamedTuple):
    """Matches whose numbers follow one another.

    fault: the record of the last one, if somebody failed in it who played; in the others nobody did. digests:
    see `Records`, of these matches and perhaps others.
    """

    facts: Facts
    digests: Mapping[int, bytes]
    fault: Record | None

    @property
    def start(self) -> int:
        """The number of the first."""
        return int(self.facts["number"][0])

    @property
    def stop(self) -> int:
        """The number after that of the last."""
        return self.start + len(self.facts)

    @property
    def unplayed(self) -> bool:
        """Whether the first was forfeited unplayed."""
        return bool(self.facts["forfeit"][0] == UNPLAYED)

    def played_until(self, withdrawn: Iterable[int]) -> int:
        """The number of the first one after this in which one of some entries meets another; else `stop`."""
        if not withdrawn:
            return self.stop
        theirs = np.isin(self.facts["first"], [*withdrawn]) | np.isin(self.facts["second"], [*withdrawn])
        return self.start + 1 + int(theirs[1:].argmax()) if theirs[1:].any() else self.stop

    def until(self, stop: int) -> Run:
        """Those before a number."""
        if stop == self.stop:
            return self
        return Run(self.facts[: stop - self.start], self.digests, None)

    def since(self, start: int) -> Run:
        """Those from a number on."""
        return Run(self.facts[start - self.start :], self.digests, self.fault)


def runs(records: Records) -> Iterator[Run]:
    """The records in as few runs as that takes."""
    numbers = records.facts["number"]
    faults = {record.number: record for record in records.having("details")}
    ends = np.diff(numbers) != 1
    if faults:
        ends |= np.isin(numbers[:-1], [*faults])
    for facts in np.split(records.facts, np.flatnonzero(ends) + 1) if len(numbers) else ():
        yield Run(facts, records.digests, faults.get(int(facts["number"][-1])))


class InOrder:
    """Matches that come in any order, taken in the order of the schedule.

    In that order Elo is rated, copies and what is unplayed left out, and it is decided who is withdrawn, of
    which faults the story is kept, and what a contest goes by. snapshots: (rounds, ratings) after every so
    many complete rounds and at the end; unplayed: the records of matches that are forfeited unplayed; untold:
    numbers of matches whose story is not kept. They are there until cleared.
    """

    def __init__(self, contest: Contest, withdrawals: Withdrawals) -> None:
        self.contest, self.withdrawals = contest, withdrawals
        plan = contest.plan
        self.unplayed: list[Record] = []
        self.faults: Counter[int] = Counter()
        self.untold: list[int] = []
        self.elo = EloRatings(len(plan.entries))
        self.against_itself = len({spec.text for spec in plan.entries}) < len(plan.entries)
        self.replays = Replays()
        self.early: dict[int, Run] = {}  # by the number of their first match
        self.next = 0
        self.step = -(-plan.schedule.rounds // SNAPSHOTS) or 1
        self.snapshots: list[tuple[int, list[float]]] = []

    def count_fault(self, record: Record) -> None:
        """The next match in order is this, in which somebody failed."""
        self.withdrawals.count(record)
        self.faults[record.loser] += 1
        if self.faults[record.loser] > STORIES:
            self.untold.append(record.number)

    def take_up(self, rated: tuple[int, dict[int, float]] | None, ids: Sequence[int]) -> None:
        """Go on where so many rounds were rated, with these ratings by entry's id; from the start if None."""
        if rated:
            rounds, by_id = rated
            self.next = min(self.contest.plan.schedule.start_of(rounds), self.contest.plan.matches)
            self.elo.ratings = [
                by_id.get(id, rating) for id, rating in zip(ids, self.elo.ratings, strict=True)
            ]

    def add(self, records: Records) -> None:
        """Take in matches, and what is next as far as it is there.

        Matches before that are forfeited unplayed: they were being played when somebody was withdrawn.
        """
        for played in runs(records):
            if played.stop > self.next:
                left = played.since(max(played.start, self.next))
                self.early[left.start] = left
        while self.next < self.contest.plan.matches:
            run = self.early.pop(self.next, None)
            end = self.next_snapshot
            if self.withdrawals.is_unplayed(self.next) and not (run and run.unplayed):
                self.unplayed.append(self.withdrawals.unplayed(self.next))
                stop = self.next + 1
                self.take(next(runs(Records.of(self.unplayed[-1:]))))
            elif run:
                stop = min(run.played_until(self.withdrawals.withdrawn), end)
                self.take(run.until(stop))
            else:
                return
            if run and stop < run.stop:
                self.early[stop] = run.since(stop)
            self.next = stop
            if stop == end:
                rounds, _ = self.contest.plan.schedule.rounds_by(stop)
                self.snapshots.append((rounds, list(self.elo.ratings)))

    @property
    def next_snapshot(self) -> int:
        """After how many matches ratings are noted next."""
        schedule = self.contest.plan.schedule
        rounds, complete = schedule.rounds_by(self.next)
        played = rounds if complete else rounds - 1
        return min(schedule.start_of((played // self.step + 1) * self.step), schedule.matches)

    def take(self, run: Run) -> None:
        """The next matches in order are these."""
        if run.fault:
            self.count_fault(run.fault)
        kinds = kinds_of(run.facts, run.digests, self.replays)
        if not self.against_itself:
            rated = run.facts[(kinds == PLACES[CHANCE]) | (kinds == PLACES[FIXED])]
            self.elo.play(zip(*(rated[name].tolist() for name in ("first", "second", "result")), strict=True))
        if self.contest.grows:
            columns = (run.facts[name].tolist() for name in ("first", "second", "round", "result"))
            for first, second, round, result, kind in zip(*columns, kinds.tolist(), strict=True):
                self.contest.take(first, second, round, result, KINDS[kind])

    def clear(self) -> None:
        """Forget what was noted, which is written."""
        for notes in (self.snapshots, self.unplayed, self.untold):
            notes.clear()


@contextmanager
def sole_player(path: str, tournament: int) -> Iterator[SolePlayer]:
    """Hold the right to play a tournament, or ArenaError if another process does. Ends with the process."""
    remove_left_locks(path)
    right = SolePlayer(path, tournament)
    try:
        yield right
    finally:
        right.release()


def remove_left_locks(path: str) -> None:
    """Remove the files of locks beside a database whose processes were killed."""
    folder, name = os.path.split(os.path.abspath(path))
    for left in glob.glob(os.path.join(glob.escape(folder), f"{glob.escape(name)}-*.lock")):
        with suppress(OSError, Timeout), FileLock(left, timeout=0):
            Path(left).unlink()


class SolePlayer:
    """The right to play a tournament of a database: a lock on a file beside that."""

    def __init__(self, path: str, tournament: int) -> None:
        self.tournament = tournament
        self.file: Identity | None
        self.acquire(path)

    def acquire(self, path: str) -> None:
        self.path, self.file = path, None
        while not self.file:  # it may have been taken for one that was left, and be gone
            file = f"{path}-{self.tournament}.lock"
            self.lock = FileLock(file)
            try:
                self.lock.acquire(timeout=WAIT, poll_interval=0.02)
            except Timeout:
                raise ArenaError(
                    f"tournament {self.tournament} of {path} is being played by another process"
                ) from None
            except OSError as error:
                told = f"cannot write {file}: {error.strerror or error}; remove what is there"
                raise ArenaError(told) from error
            self.file = identity(self.lock.lock_file)

    def keep(self, path: str) -> None:
        """Hold it of the database at this path, be it that it was rescued, or that the lock was removed."""
        if path != self.path or identity(self.lock.lock_file) != self.file:
            self.release()
            self.acquire(path)

    def release(self) -> None:
        """Give it up, and remove its file unless that is another process's by now."""
        if identity(self.lock.lock_file) == self.file:
            Path(self.lock.lock_file).unlink(missing_ok=True)
        self.lock.release()
