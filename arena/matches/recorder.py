"""Writes a tournament down: matches, sums and Elo of a block in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from arena.errors import ArenaError
from arena.matches.schedule import Plan, missing
from arena.ratings.elo import EloCourse
from arena.results.record import Record
from arena.results.tally import COPY, Replays, Tally

if TYPE_CHECKING:
    from arena.storage.database import Store

SNAPSHOTS = 1000  # of Elo at most in a tournament


class Recorder:
    """The one writer of a tournament. Takes up where the database left off.

    missing: numbers of the matches still to be played.
    """

    def __init__(self, store: Store, tournament: int, plan: Plan) -> None:
        self.store, self.tournament = store, tournament
        known = store.entry_ids(plan.game.text)
        self.ids = [known[spec.text] for spec in plan.entries]
        self.tally = Tally()
        self.elo = EloInOrder(plan)
        done = []
        for record in store.matches(tournament, {id: i for i, id in enumerate(self.ids)}):
            done.append(record.number)
            self.tally.replays.kind(record)
            self.elo.add(record)
        self.elo.snapshots.clear()
        self.missing = missing(done, plan.matches)
        self.left = sum(map(len, self.missing))

    def add(self, records: Sequence[Record]) -> None:
        """Write a block of records, all or none."""
        self.tally.counts.clear()
        self.tally.add(records)
        for record in records:
            self.elo.add(record)
        with self.store.transaction():
            self.store.add_matches(self.tournament, self.ids, records)
            self.store.add_counts(self.tournament, self.ids, self.tally.counts)
            for rounds, ratings in self.elo.snapshots:
                self.store.add_elo(self.tournament, self.ids, rounds, ratings)
            if self.left == len(records):
                self.store.finish(self.tournament)
        self.elo.snapshots.clear()
        self.left -= len(records)


class EloInOrder:
    """Elo over matches that come in any order, rated in schedule order, copies left out.

    snapshots: (rounds, ratings) after every so many complete rounds and at the end, until cleared.
    """

    def __init__(self, plan: Plan) -> None:
        self.course = EloCourse(len(plan.entries))
        self.itself = len({spec.text for spec in plan.entries}) < len(plan.entries)
        self.replays = Replays()
        self.early: dict[int, Record] = {}
        self.next = 0
        self.matches, self.a_round = plan.matches, len(plan.pairings)
        self.step = -(-plan.matches // self.a_round // SNAPSHOTS) or 1
        self.snapshots: list[tuple[int, list[float]]] = []

    def add(self, record: Record) -> None:
        self.early[record.number] = record
        while self.next in self.early:
            record = self.early.pop(self.next)
            self.next += 1
            if self.replays.kind(record) != COPY and not self.itself:
                self.course.play(record.first, record.second, record.result)
            rounds, rest = divmod(self.next, self.a_round)
            if self.next == self.matches or (rest == 0 and rounds % self.step == 0):
                self.snapshots.append((rounds + (rest > 0), list(self.course.ratings)))


@contextmanager
def sole_player(path: str, tournament: int) -> Iterator[None]:
    """Hold the right to play a tournament, or ArenaError if another process does. Ends with the process."""
    lock = FileLock(f"{path}-{tournament}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise ArenaError(f"tournament {tournament} of {path} is being played by another process") from None
    try:
        yield
    finally:
        Path(lock.lock_file).unlink(missing_ok=True)
        lock.release()
