"""Process results in schedule order, and derive Elo ratings, withdrawals and further stages from them."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from arena.api.game import Game
from arena.api.reasons import FAILURES, WITHDRAWN
from arena.api.rulings import start_of
from arena.ledger.stages import Stages
from arena.plan.plan import Plan
from arena.plan.schedule import Fixture
from arena.ratings.elo import EloRatings
from arena.results.fault_story import STORIES
from arena.results.record import Record
from arena.results.records import KINDS, PLACES, UNPLAYED, Facts, Records, kinds_of
from arena.results.tally import CHANCE, FIXED, Replays, Summary
from arena.results.varying_entries import Line, Varying


class Span(NamedTuple):
    """Matches with consecutive numbers.

    Attributes:
        start: The number of the first match.
        stop: The number after the last match.
        fault: The record of the last match if an entry failed in it; no entry failed in the others.
        facts: A row for each match; None if only the sums are known.
        digests: Fingerprints of these matches, and possibly of others, by match number, as in `Records`.
        lines: The moves of matches with a watched entry, by match number.
    """

    start: int
    stop: int
    fault: Record | None = None
    facts: Facts | None = None
    digests: Mapping[int, bytes] = {}
    lines: Mapping[int, Line] = {}

    @property
    def unplayed(self) -> bool:
        """Whether the first match is recorded as forfeited unplayed."""
        return self.facts is not None and bool(self.facts["forfeit"][0] == UNPLAYED)

    def played_until(self, withdrawn: Collection[int]) -> int:
        """Return the number of the first match after `start` with a withdrawn entry, otherwise `stop`."""
        if self.facts is None or not withdrawn or self.stop - self.start == 1:
            return self.stop
        theirs = np.isin(self.facts["first"], [*withdrawn]) | np.isin(self.facts["second"], [*withdrawn])
        return self.start + 1 + int(theirs[1:].argmax()) if theirs[1:].any() else self.stop

    def until(self, stop: int) -> Span:
        """Return the span of matches before number `stop`."""
        if stop == self.stop:
            return self
        facts = None if self.facts is None else self.facts[: stop - self.start]
        return self._replace(stop=stop, facts=facts, fault=None)

    def since(self, start: int) -> Span:
        """Return the span of matches from number `start` on."""
        if start == self.start:
            return self
        facts = None if self.facts is None else self.facts[start - self.start :]
        return self._replace(start=start, facts=facts)


def spans(block: Records | Summary, watched: frozenset[int] = frozenset()) -> Iterator[Span]:
    """Yield the matches of a block in as few spans as possible.

    Args:
        block: Records, or a summary with the numbers that it covers.
        watched: Entries whose moves are needed.
    """
    if isinstance(block, Summary):
        yield from spans_of_sums(block)
        return
    lines = lines_of(block, watched) if watched else {}
    numbers = block.facts["number"]
    faults = {record.number: record for record in block.having("details")}
    ends = np.diff(numbers) != 1
    if faults:
        ends |= np.isin(numbers[:-1], [*faults])
    for facts in np.split(block.facts, np.flatnonzero(ends) + 1) if len(numbers) else ():
        start, last = int(facts["number"][0]), int(facts["number"][-1])
        yield Span(start, last + 1, faults.get(last), facts, block.digests, lines)


def spans_of_sums(block: Summary) -> Iterator[Span]:
    """Yield the spans of a summary, with each fault at the end of a span."""
    faults = sorted(block.forfeits, key=lambda record: record.number)
    for numbers in block.covers:
        start = numbers.start
        for fault in faults:
            if start <= fault.number < numbers.stop:
                yield Span(start, fault.number + 1, fault)
                start = fault.number + 1
        if start < numbers.stop:
            yield Span(start, numbers.stop)


def lines_of(records: Records, watched: frozenset[int]) -> dict[int, Line]:
    """Return the moves of the matches with a watched entry, by match number."""
    theirs = np.isin(records.facts["first"], [*watched]) | np.isin(records.facts["second"], [*watched])
    numbers, openings = records.facts["number"].tolist(), records.facts["opening"].tolist()
    return {
        numbers[i]: Line(records.moves[i], records.starts.get(numbers[i]), openings[i])
        for i in np.flatnonzero(theirs).tolist()
    }


def faults_of(block: Records | Summary) -> Iterable[Record]:
    """Return the records of those matches of a block in which an entry failed."""
    return block.forfeits if isinstance(block, Summary) else block.having("details")


SNAPSHOTS = 1000  # maximum number of Elo snapshots per tournament


class Changes(NamedTuple):
    """The consequences of adding a block of matches to a ledger.

    Attributes:
        block: The block, without records of matches that are forfeited unplayed.
        next: The number of the first unprocessed match.
        withdrawn: The entries withdrawn because of this block, each with the number of its last match.
        held: The entries that may turn out to be withdrawn, each with the number of its last match in that
            case; None if unchanged.
        varied: The entries whose play was found in this block to vary, see `arena.results.varying_entries`.
        forfeited: The records of matches that turned out to be forfeited unplayed.
        dropped_stories: Numbers of matches whose fault stories exceed the number stored per entry.
        elo: Snapshots of the ratings of all entries, each after a number of complete rounds.
    """

    block: Records | Summary
    next: int
    withdrawn: Mapping[int, int]
    held: Mapping[int, int] | None
    varied: frozenset[int]
    forfeited: Sequence[Record]
    dropped_stories: Sequence[int]
    elo: Sequence[tuple[int, list[float]]]

    @property
    def matches(self) -> int:
        """The number of matches in the block, including those forfeited unplayed."""
        played = self.block.matches if isinstance(self.block, Summary) else len(self.block)
        return played + len(self.forfeited)

    @property
    def records(self) -> Records:
        """The records of the block and of matches forfeited unplayed."""
        assert isinstance(self.block, Records)
        return Records.joined([self.block, Records.of(self.forfeited)])


class Ledger:
    """Accepts blocks of matches of any size and in any order, and processes them in schedule order.

    All consequences of results are decided here: Elo ratings, which entries are withdrawn or vary, which
    fault stories are stored, and the next stage. They are the same for any number of workers and after any
    interruption.

    Attributes:
        next: The number of the first unprocessed match.
    """

    def __init__(self, plan: Plan) -> None:
        self.stages = Stages(plan)
        self.withdrawals = Withdrawals(plan.withdraw_after, plan.stall_once)
        self.elo = EloRatings(len(plan.entries))
        self.against_itself = len({spec.text for spec in plan.entries}) < len(plan.entries)
        self.replays = Replays()
        self.varying = varying_of(plan)
        self.next = 0
        self.early: dict[int, Span] = {}  # spans after `next`, by the number of their first match
        self.faults: Counter[int] = Counter()
        self.step = -(-plan.schedule.rounds // SNAPSHOTS) or 1
        # for the next `Changes`
        self.forfeited: list[int] = []  # match numbers
        self.dropped_stories: list[int] = []
        self.snapshots: list[tuple[int, list[float]]] = []

    @property
    def plan(self) -> Plan:
        """The plan, with all stages scheduled so far."""
        return self.stages.plan

    @property
    def planned(self) -> int:
        """The number of matches, or the maximum number if the schedule may still grow."""
        return self.plan.matches if self.stages.over else self.plan.most

    def left(self) -> list[range]:
        """Return the numbers of scheduled matches that have not been added yet, as ranges."""
        gaps, start = [], self.next
        for early in sorted(self.early.values(), key=lambda span: span.start):
            gaps.append(range(start, early.start))
            start = max(start, early.stop)
        gaps.append(range(start, self.plan.matches))
        return [gap for gap in gaps if gap]

    def next_stage(self) -> bool:
        """Schedule the next stage if all matches so far are processed.

        Returns:
            Whether a stage was added.

        Raises:
            ArenaError: If the format fails.
        """
        return self.next == self.plan.matches and self.stages.go_on()

    def add(self, block: Records | Summary) -> Changes:
        """Add a block of matches, and return the consequences of this block and of earlier ones.

        Args:
            block: Records or sums of matches. Sums can only be added if the format does not depend on
                results.
        """
        withdrawn, varied = {*self.withdrawals.withdrawn}, {*self.varied}
        seen = [self.withdrawals.see(record) for record in faults_of(block)]
        self.take_in(block)
        if isinstance(block, Records) and self.withdrawals.withdrawn:
            unplayed = map(self.is_unplayed, block.facts["number"].tolist())
            block = block.where(~np.fromiter(unplayed, bool, len(block)))
        newly = {entry: last for entry, last in self.withdrawals.withdrawn.items() if entry not in withdrawn}
        changes = Changes(
            block,
            self.next,
            newly,
            self.withdrawals.held() if newly or any(seen) else None,
            frozenset(self.varied.keys() - varied),
            [*map(self.unplayed_record, self.forfeited)],
            self.dropped_stories,
            self.snapshots,
        )
        self.forfeited, self.dropped_stories, self.snapshots = [], [], []
        return changes

    @property
    def varied(self) -> Mapping[int, int]:
        """The entries whose play varies, each with the number of the match in which this was found."""
        return self.varying.since if self.varying else {}

    def marked(self, records: Records) -> Records:
        """Return records, marking matches that count again because the play of an entry varies."""
        if self.varying is None or not self.varied:
            return records
        return records.varied(self.varying.flagged(records.facts))

    def is_unplayed(self, number: int) -> bool:
        """Return whether a match is forfeited unplayed, judging by the withdrawals so far."""
        withdrawn = self.withdrawals.withdrawn
        return bool(withdrawn) and is_unplayed(self.plan.fixture(number), withdrawn)

    def unplayed_record(self, number: int) -> Record:
        """Return the record of a match that is forfeited unplayed."""
        return unplayed_record(self.plan.fixture(number), self.withdrawals.withdrawn)

    # --- in the order of the schedule -------------------------------------------------------------------

    def take_in(self, block: Records | Summary) -> None:
        """Add a block, and process all matches up to the first one whose result is missing.

        If a match was still being played when one of its entries was withdrawn, its forfeit replaces the
        played result.
        """
        for played in spans(block, self.varying.left if self.varying else frozenset()):
            if played.stop > self.next:
                start = max(played.start, self.next)
                self.early[start] = played.since(start)
        while self.next < self.plan.matches:
            span, end = self.early.get(self.next), self.next_snapshot
            if self.is_unplayed(self.next) and not (span and span.unplayed):
                stop = self.next + 1
                self.take_unplayed(self.next)
            elif span:
                stop = min(span.played_until(self.withdrawals.withdrawn), end)
                self.take(span.until(stop))
            else:
                return
            if span:
                del self.early[self.next]
                if stop < span.stop:
                    self.early[stop] = span.since(stop)
            self.next = stop
            if stop == end:
                rounds, _ = self.plan.schedule.rounds_by(stop)
                self.snapshots.append((rounds, list(self.elo.ratings)))

    @property
    def next_snapshot(self) -> int:
        """The number of matches after which the next Elo snapshot is taken."""
        schedule = self.plan.schedule
        rounds, complete = schedule.rounds_by(self.next)
        played = rounds if complete else rounds - 1
        return min(schedule.start_of((played // self.step + 1) * self.step), schedule.matches)

    def take(self, span: Span) -> None:
        """Process the next matches."""
        if span.fault:
            self.count_fault(span.fault)
        if span.facts is None:
            return
        digests = span.digests
        if self.varying and (flagged := self.varying.see(span.facts, span.lines)).any():
            vary = {*span.facts["number"][flagged].tolist()}
            digests = {number: digest for number, digest in digests.items() if number not in vary}
        kinds = kinds_of(span.facts, digests, self.replays)
        if not self.against_itself:
            rated = span.facts[(kinds == PLACES[CHANCE]) | (kinds == PLACES[FIXED])]
            self.elo.play(zip(*(rated[name].tolist() for name in ("first", "second", "result")), strict=True))
        if self.stages.grows:
            columns = (span.facts[name].tolist() for name in ("first", "second", "round", "result"))
            for first, second, round, result, kind in zip(*columns, kinds.tolist(), strict=True):
                self.stages.take(first, second, round, result, KINDS[kind])

    def take_unplayed(self, number: int) -> None:
        """Process the next match as forfeited unplayed; this affects neither ratings nor failure counts."""
        self.forfeited.append(number)
        if self.stages.grows:
            record = self.unplayed_record(number)
            self.stages.take(record.first, record.second, record.round, record.result, WITHDRAWN)

    def count_fault(self, record: Record) -> None:
        """Count the fault of the next match."""
        self.withdrawals.count(record)
        self.faults[record.loser] += 1
        if self.faults[record.loser] > STORIES:
            self.dropped_stories.append(record.number)

    # --- recorded results -------------------------------------------------------------------------------

    def resume_at(self, rounds: int, ratings: Iterable[float]) -> None:
        """Continue after some complete rounds, with the Elo ratings at that time.

        Args:
            rounds: The number of complete rounds.
            ratings: The Elo ratings of all entries after these rounds.
        """
        self.next = min(self.plan.schedule.start_of(rounds), self.plan.matches)
        self.elo.ratings = [*ratings]

    def schedule_to(self, number: int) -> None:
        """Schedule stages until there is a match with this number or no stage can follow."""
        while number >= self.plan.matches and self.next_stage():
            pass

    def as_planned(self, record: Record, ids: Sequence[int]) -> Record | None:
        """Return a recorded match with the plan's indices of entries; None if the plan has no such match.

        Args:
            record: The match.
            ids: The database id of each entry. Entries with the same text share an id.
        """
        if record.number >= self.plan.matches:
            return None
        planned = self.plan.fixture(record.number)
        seats = ids[record.first], ids[record.second]
        if planned.round != record.round or (ids[planned.first], ids[planned.second]) != seats:
            return None
        return record._replace(first=planned.first, second=planned.second)


def varying_of(plan: Plan) -> Varying | None:
    """Return the detector of varying play by untrusted entries; None if all entries are trusted."""
    if not plan.untrusted:
        return None
    game: Game = plan.game.make()
    return Varying(
        plan.untrusted,
        [spec.text for spec in plan.entries],
        cache(lambda start: game.to_move(start_of(game, start)) if game.alternating else None),
    )


class Withdrawals:
    """The entries that are withdrawn, and those that may turn out to be.

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
        self.failures: Counter[int] = Counter()  # up to the first match without a known result
        self.seen: dict[int, list[int]] = {}  # sorted numbers of all known failed matches, by entry

    def see(self, record: Record) -> bool:
        """Record a failure, in any order, and return whether it is new and counts."""
        if not self.after or record.reason not in FAILURES:
            return False
        seen = self.seen.setdefault(record.loser, [])
        if record.number in seen:
            return False
        for _ in range(self.weight(record)):
            insort(seen, record.number)
        return True

    def weight(self, record: Record) -> int:
        """Return how many failures a record counts for."""
        return self.after if record.reason == "stall" and record.loser in self.stall_once else 1

    def count(self, record: Record) -> None:
        """Count the next failure in schedule order."""
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
    """Return whether a match is forfeited unplayed, judging by the withdrawals so far.

    Args:
        fixture: The match.
        withdrawn: The withdrawn entries, each with the number of its last match.
    """
    return any(fixture.number > withdrawn.get(entry, fixture.number) for entry in fixture[2:])


def unplayed_record(fixture: Fixture, withdrawn: Mapping[int, int]) -> Record:
    """Return the record of a match forfeited unplayed: a loss, or a draw if both entries are withdrawn."""
    first, second = (withdrawn.get(entry, fixture.number) < fixture.number for entry in fixture[2:])
    return Record(*fixture, int(second) - int(first), WITHDRAWN, None, 0, 0, "", 0, 0.0, 0.0)
