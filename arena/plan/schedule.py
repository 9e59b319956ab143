"""Who meets whom, when, with which random numbers: pure functions of a plan."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from typing import Any, NamedTuple

from arena.api.format import Stage
from arena.api.game import Game
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.faults.time_limits import Limits
from arena.plan.opening import Opening
from arena.plan.openings import Openings
from arena.streams import Streams


class Fixture(NamedTuple):
    """A match to be played; first and second are entries by index. round: how often they met so before."""

    number: int
    round: int
    first: int
    second: int


@dataclass(frozen=True)
class Placed:
    """A stage in its place. start: the number of its first match. rounds_before: of the stages before it.

    met: how often each of its pairings was met before, or the number that its rounds go on from.
    """

    pairings: tuple[tuple[int, int], ...]
    rounds: int
    start: int = 0
    rounds_before: int = 0
    met: tuple[int, ...] = ()

    @property
    def stop(self) -> int:
        """The number after that of its last match."""
        return self.start + self.rounds * len(self.pairings)


@dataclass(frozen=True)
class Schedule:
    """Who meets whom, stage by stage. matches: how many are played, of which the last round may lack some."""

    stages: tuple[Placed, ...] = ()
    matches: int = 0

    @classmethod
    def of(cls, *stages: Stage, matches: int | None = None) -> Schedule:
        """These stages, one after the other, cut short after so many matches."""
        schedule = cls()
        for stage in stages:
            schedule = schedule.then(stage)
        return schedule if matches is None else replace(schedule, matches=min(matches, schedule.matches))

    def then(self, stage: Stage, by_stage: bool = False) -> Schedule:
        """The same with another stage at its end; by_stage: its rounds go on from those of the stage before.

        If not, they are counted for each pairing: so often it was met.
        """
        pairings = tuple(stage.pairings)
        last = self.stages[-1] if self.stages else Placed((), 0)
        before = last.rounds_before + last.rounds
        met = dict.fromkeys(pairings, before) if by_stage else self.meetings()
        met_by = tuple(met[pairing] for pairing in pairings)
        placed = Placed(pairings, stage.rounds, last.stop, before, met_by)
        return Schedule((*self.stages, placed), placed.stop)

    def meetings(self) -> Counter[tuple[int, int]]:
        """How often each pairing is met."""
        met = Counter[tuple[int, int]]()
        for stage in self.stages:
            for pairing, times in zip(stage.pairings, stage.met, strict=True):
                met[pairing] = times + stage.rounds
        return met

    def stage_at(self, number: int) -> Placed:
        """The stage that match `number` is of."""
        return self.stages[bisect_right(self.starts, number) - 1]

    @cached_property
    def starts(self) -> list[int]:
        """The numbers of the stages' first matches."""
        return [stage.start for stage in self.stages]

    def fixture(self, number: int) -> Fixture:
        """Match `number`, from 0."""
        stage = self.stage_at(number)
        round, k = divmod(number - stage.start, len(stage.pairings))
        return Fixture(number, stage.met[k] + round, *stage.pairings[k])

    @cached_property
    def pairings(self) -> tuple[tuple[int, int], ...]:
        """All pairings, each once, in the order in which they are met first."""
        return tuple(dict.fromkeys(pairing for stage in self.stages for pairing in stage.pairings))

    @property
    def rounds(self) -> int:
        """Of all stages."""
        return sum(stage.rounds for stage in self.stages)

    def rounds_by(self, number: int) -> tuple[int, bool]:
        """How many rounds begin before match `number`, and whether the last of them ends there."""
        if not number:
            return 0, True
        stage = self.stage_at(number - 1)
        rounds, rest = divmod(number - stage.start, len(stage.pairings))
        return stage.rounds_before + rounds + (rest > 0), not rest

    def start_of(self, round: int) -> int:
        """The number of the first match of a round, counted through all stages, or that after the last."""
        for stage in self.stages:
            if round < stage.rounds_before + stage.rounds:
                return stage.start + (round - stage.rounds_before) * len(stage.pairings)
        return self.matches

    def part(self, numbers: range) -> Schedule:
        """The same for whoever plays these matches alone: without the other stages."""
        if len(self.stages) < 2:
            return self
        first, last = (bisect_right(self.starts, at) - 1 for at in (numbers.start, numbers.stop - 1))
        return Schedule(self.stages[first : last + 1], self.matches)


@dataclass(frozen=True)
class Plan:
    """Everything that decides the results of a tournament, in a form that travels between processes.

    isolated: entries that are sandboxed, see `arena.sandbox`. untrusted: entries whose random numbers do
    not decide whether a match counts again, see `arena.results.varying_entries`. withdraw_after: how many
    failures, see `arena.ledger.withdrawals`, 0 = never. stall_once: entries that one stall is enough for.
    format: says, from the results, what is played after what is scheduled; None if that is all. rounds,
    limit: what it goes by, see `arena.api.format.Standing`. interactive: entries that ask at the
    terminal, and so play in the first process.
    """

    game: Spec
    entries: tuple[Spec, ...]
    schedule: Schedule
    streams: Streams
    openings: Openings
    limits: Limits
    isolated: frozenset[int] = frozenset()
    untrusted: frozenset[int] = frozenset()
    withdraw_after: int = 0
    stall_once: frozenset[int] = frozenset()
    format: Spec | None = None
    rounds: int = 0
    limit: int = 0
    interactive: frozenset[int] = frozenset()

    @property
    def seed(self) -> int:
        """The tournament's seed."""
        return self.streams.seed

    @property
    def pairings(self) -> tuple[tuple[int, int], ...]:
        """All pairings that are scheduled, each once."""
        return self.schedule.pairings

    @property
    def matches(self) -> int:
        """How many are scheduled."""
        return self.schedule.matches

    @property
    def most(self) -> int:
        """How many matches are played at most."""
        return max(self.limit, self.matches)

    def place(self, entry: int) -> str:
        """The game and an entry, and which of all that is, for whoever waits: `chess, minimax (2 of 5)`."""
        return f"{self.game.text}, {self.entries[entry].text} ({entry + 1} of {len(self.entries)})"

    def fixture(self, number: int) -> Fixture:
        """Match `number`, from 0."""
        return self.schedule.fixture(number)

    def part(self, numbers: range) -> Plan:
        """The plan for whoever plays these matches alone."""
        part = self.schedule.part(numbers)
        return self if part is self.schedule else replace(self, schedule=part)

    def alike(self, other: Plan) -> bool:
        """Whether two plans differ in their schedules alone."""
        return replace(other, schedule=self.schedule) == self

    def pairing_key(self, first: int, second: int) -> tuple[int, int]:
        """Return what the seeds of a pairing's matches are derived from.

        It is decided by the seed, the game and the two entries alone, so match r of a pairing is the
        same whatever else is entered, and in any schedule.
        """
        if (first, second) not in self.pairing_keys:
            texts = self.entries[first].text, self.entries[second].text
            reversed = texts[0] == texts[1] and first > second
            self.pairing_keys[first, second] = self.streams.pairing(self.game.text, *texts, reversed)
        return self.pairing_keys[first, second]

    @cached_property
    def pairing_keys(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Cache of `pairing_key`."""
        return {}

    def seat_seeds(self, number: int) -> tuple[int, int]:
        """Return the seeds of both players' random numbers in match `number`."""
        _, round, first, second = self.fixture(number)
        return self.streams.seats(self.pairing_key(first, second), round)

    def opening(self, game: Game, round: int) -> Opening:
        """Return the opening of a round, the same for all pairings and both seats."""
        return self.openings.opening(game, self.streams, round)

    def start(self, round: int) -> str | None:
        """The text of the position that the matches of a round begin in, None for the game's own start."""
        return self.openings.start(self.streams, round)


def checked(stage: Any, entries: int) -> Stage:
    """A stage that a format gave, as so many entries can play it; ArenaError for what is none."""
    try:
        pairings = tuple((index(first), index(second)) for first, second in stage.pairings)
        rounds = index(stage.rounds)
    except (TypeError, ValueError, AttributeError) as error:
        raise ArenaError(f"{stage!r:.200} is no stage; give arena.Stage(pairings, rounds)") from error
    if not pairings or rounds < 1:
        raise ArenaError("a stage has no matches; give None when all is played")
    if len({*pairings}) < len(pairings):
        raise ArenaError("a stage names a pairing twice; give it more rounds")
    for first, second in pairings:
        if not (0 <= first < entries and 0 <= second < entries) or first == second:
            raise ArenaError(f"there is no pairing {first}, {second} of {entries} entries, from 0")
    return Stage(pairings, rounds)


def unplayed(done: Sequence[int], matches: int, start: int = 0) -> list[range]:
    """The numbers from `start` to below `matches` that the increasing sequence `done` lacks."""
    gaps = []
    for number in done:
        if number > start:
            gaps.append(range(start, number))
        start = number + 1
    if start < matches:
        gaps.append(range(start, matches))
    return gaps
