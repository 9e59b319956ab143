"""Matches taken in the order of the schedule, in which it is decided what depends on those before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from arena.api.game import Game
from arena.api.rulings import start_of
from arena.ledger.stages import Contest
from arena.ledger.withdrawals import Withdrawals
from arena.plan.schedule import Plan
from arena.ratings.elo import EloRatings
from arena.results.fault_story import STORIES
from arena.results.record import WITHDRAWN, Record
from arena.results.records import KINDS, PLACES, UNPLAYED, Facts, Records, kinds_of
from arena.results.tally import CHANCE, FIXED, Replays
from arena.results.varying_entries import Line, Varying

PAUSE = 10_000  # recorded matches that are taken at a time
SNAPSHOTS = 1000  # of Elo at most in a tournament


class Run(NamedTuple):
    """Matches whose numbers follow one another.

    fault: the record of the last one, if somebody failed in it who played; in the others nobody did. digests:
    see `Records`, of these matches and perhaps others. lines: how those went in which an entry is watched.
    """

    facts: Facts
    digests: Mapping[int, bytes]
    fault: Record | None
    lines: Mapping[int, Line]

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
        if not withdrawn or len(self.facts) == 1:
            return self.stop
        theirs = np.isin(self.facts["first"], [*withdrawn]) | np.isin(self.facts["second"], [*withdrawn])
        return self.start + 1 + int(theirs[1:].argmax()) if theirs[1:].any() else self.stop

    def until(self, stop: int) -> Run:
        """Those before a number."""
        if stop == self.stop:
            return self
        return Run(self.facts[: stop - self.start], self.digests, None, self.lines)

    def since(self, start: int) -> Run:
        """Those from a number on."""
        return Run(self.facts[start - self.start :], self.digests, self.fault, self.lines)


def runs(records: Records, watched: frozenset[int] = frozenset()) -> Iterator[Run]:
    """The records in as few runs as that takes, with the lines of matches of watched entries."""
    lines = lines_of(records, watched) if watched else {}
    numbers = records.facts["number"]
    faults = {record.number: record for record in records.having("details")}
    ends = np.diff(numbers) != 1
    if faults:
        ends |= np.isin(numbers[:-1], [*faults])
    for facts in np.split(records.facts, np.flatnonzero(ends) + 1) if len(numbers) else ():
        yield Run(facts, records.digests, faults.get(int(facts["number"][-1])), lines)


def lines_of(records: Records, watched: frozenset[int]) -> dict[int, Line]:
    """Return the matches of some entries, by match number."""
    theirs = np.isin(records.facts["first"], [*watched]) | np.isin(records.facts["second"], [*watched])
    numbers, openings = records.facts["number"].tolist(), records.facts["opening"].tolist()
    return {
        numbers[i]: Line(records.moves[i], records.starts.get(numbers[i]), openings[i])
        for i in np.flatnonzero(theirs).tolist()
    }


class InOrder:
    """Matches that come in any order, taken in the order of the schedule.

    In that order Elo is rated, copies and what is unplayed left out, and it is decided who is withdrawn, of
    which faults the story is kept, and what a contest goes by. snapshots: (rounds, ratings) after every so
    many complete rounds and at the end; unplayed: the records of matches that are forfeited unplayed; untold:
    numbers of matches whose story is not kept. They are there until cleared. varying: which entries were seen
    to vary.
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
        self.varying = varying_of(plan)
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
        for played in runs(records, self.varying.left):
            if played.stop > self.next:
                left = played.since(max(played.start, self.next))
                self.early[left.start] = left
        while self.next < self.contest.plan.matches:
            run = self.early.pop(self.next, None)
            end = self.next_snapshot
            if self.withdrawals.is_unplayed(self.next) and not (run and run.unplayed):
                stop = self.next + 1
                self.take_unplayed(self.withdrawals.unplayed(self.next))
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

    def schedule_to(self, number: int) -> None:
        """Have as many stages scheduled as a match of this number takes, if the results make them."""
        while number >= self.contest.plan.matches == self.next and self.contest.go_on():
            pass

    def as_planned(self, record: Record, ids: Sequence[int]) -> Record | None:
        """A recorded match, with the entries of the plan; None if these were not to meet so in it.

        ids: of the entries. The same text may be several of them, which have one id.
        """
        plan = self.contest.plan
        if record.number >= plan.matches:
            return None
        planned = plan.fixture(record.number)
        seats = ids[record.first], ids[record.second]
        if planned.round != record.round or (ids[planned.first], ids[planned.second]) != seats:
            return None
        return record._replace(first=planned.first, second=planned.second)

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
        digests = run.digests
        if self.varying.entries and (flagged := self.varying.see(run.facts, run.lines)).any():
            vary = {*run.facts["number"][flagged].tolist()}
            digests = {number: digest for number, digest in digests.items() if number not in vary}
        kinds = kinds_of(run.facts, digests, self.replays)
        if not self.against_itself:
            rated = run.facts[(kinds == PLACES[CHANCE]) | (kinds == PLACES[FIXED])]
            self.elo.play(zip(*(rated[name].tolist() for name in ("first", "second", "result")), strict=True))
        if self.contest.grows:
            columns = (run.facts[name].tolist() for name in ("first", "second", "round", "result"))
            for first, second, round, result, kind in zip(*columns, kinds.tolist(), strict=True):
                self.contest.take(first, second, round, result, KINDS[kind])

    def take_unplayed(self, record: Record) -> None:
        """The next match in order is forfeited unplayed: nobody failed, and nothing is rated."""
        self.unplayed.append(record)
        if self.contest.grows:
            self.contest.take(record.first, record.second, record.round, record.result, WITHDRAWN)

    def clear(self) -> None:
        """Forget what was noted, which is written."""
        for notes in (self.snapshots, self.unplayed, self.untold):
            notes.clear()


def varying_of(plan: Plan) -> Varying:
    """Return the object that tracks which untrusted entries vary their play."""
    texts = [spec.text for spec in plan.entries]
    if not plan.untrusted:
        return Varying((), texts, lambda start: 0)
    game: Game = plan.game.make()
    return Varying(
        plan.untrusted,
        texts,
        cache(lambda start: game.to_move(start_of(game, start)) if game.alternating else None),
    )
