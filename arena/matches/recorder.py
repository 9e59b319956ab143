"""Records a tournament: the matches, sums and Elo ratings of a block in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from arena.errors import ArenaError
from arena.matches.schedule import Plan, unplayed
from arena.ratings.elo import EloRatings
from arena.results.record import Record
from arena.results.tally import COPY, Replays, Tally

if TYPE_CHECKING:
    from arena.storage.database import Store

SNAPSHOTS = 1000  # of Elo at most in a tournament


class Recorder:
    """The one writer of a tournament. Goes on where the database ends.

    unplayed: numbers of the matches still to be played; left: how many they are.
    """

    def __init__(self, store: Store, tournament: int, plan: Plan) -> None:
        self.store, self.tournament = store, tournament
        entry_ids = store.entry_ids(plan.game.text)
        self.ids = [entry_ids[spec.text] for spec in plan.entries]
        self.tally = Tally()
        self.elo = EloInOrder(plan)
        done = []
        for record in store.matches(tournament, {id: i for i, id in enumerate(self.ids)}):
            done.append(record.number)
            self.tally.replays.kind(record)
            self.elo.add(record)
        self.elo.snapshots.clear()
        self.unplayed = unplayed(done, plan.matches)
        self.left = sum(map(len, self.unplayed))

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
        self.elo = EloRatings(len(plan.entries))
        self.against_itself = len({spec.text for spec in plan.entries}) < len(plan.entries)
        self.replays = Replays()
        self.early: dict[int, Record] = {}
        self.next = 0
        self.matches, self.round_size = plan.matches, len(plan.pairings)
        self.step = -(-plan.matches // self.round_size // SNAPSHOTS) or 1
        self.snapshots: list[tuple[int, list[float]]] = []

    def add(self, record: Record) -> None:
        self.early[record.number] = record
        while self.next in self.early:
            record = self.early.pop(self.next)
            self.next += 1
            if self.replays.kind(record) != COPY and not self.against_itself:
                self.elo.play(record.first, record.second, record.result)
            rounds, rest = divmod(self.next, self.round_size)
            if self.next == self.matches or (rest == 0 and rounds % self.step == 0):
                self.snapshots.append((rounds + (rest > 0), list(self.elo.ratings)))


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
