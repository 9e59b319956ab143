"""The schedule: which matches are played, by which entries, and in which order."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from typing import Any, NamedTuple

from arena.api.format import FixedFormat, Stage
from arena.api.options import option
from arena.errors import ArenaError


class Fixture(NamedTuple):
    """A match to be played.

    Attributes:
        number: The number of the match, from 0.
        round: The number of earlier matches of this pairing, or of earlier rounds if stages number them.
        first: The entry in the first seat, by index.
        second: The entry in the second seat.
    """

    number: int
    round: int
    first: int
    second: int


@dataclass(frozen=True)
class Placed:
    """A stage at its position in the schedule.

    Attributes:
        pairings: Pairs of entries by index, first seat first.
        rounds: The number of rounds.
        start: The number of its first match.
        rounds_before: The number of rounds in earlier stages.
        met: For each pairing, the round of its first match in this stage, see `Fixture.round`.
    """

    pairings: tuple[tuple[int, int], ...]
    rounds: int
    start: int = 0
    rounds_before: int = 0
    met: tuple[int, ...] = ()

    @property
    def stop(self) -> int:
        """The number of the first match after this stage."""
        return self.start + self.rounds * len(self.pairings)


@dataclass(frozen=True)
class Schedule:
    """The matches to be played, stage by stage.

    Attributes:
        stages: The stages.
        matches: The number of matches. The last round may be incomplete.
    """

    stages: tuple[Placed, ...] = ()
    matches: int = 0

    @classmethod
    def of(cls, *stages: Stage, matches: int | None = None) -> Schedule:
        """Return a schedule of stages in sequence, with at most `matches` matches."""
        schedule = cls()
        for stage in stages:
            schedule = schedule.then(stage)
        return schedule if matches is None else replace(schedule, matches=min(matches, schedule.matches))

    def then(self, stage: Stage, by_stage: bool = False) -> Schedule:
        """Return a schedule with another stage at the end.

        Args:
            stage: The stage.
            by_stage: Continue numbering rounds from the preceding stage. Default: the rounds of each pairing
                continue from its number of earlier matches.
        """
        pairings = tuple(stage.pairings)
        last = self.stages[-1] if self.stages else Placed((), 0)
        before = last.rounds_before + last.rounds
        met = dict.fromkeys(pairings, before) if by_stage else self.meetings()
        met_by = tuple(met[pairing] for pairing in pairings)
        placed = Placed(pairings, stage.rounds, last.stop, before, met_by)
        return Schedule((*self.stages, placed), placed.stop)

    def meetings(self) -> Counter[tuple[int, int]]:
        """Return how often each pairing is played."""
        met = Counter[tuple[int, int]]()
        for stage in self.stages:
            for pairing, times in zip(stage.pairings, stage.met, strict=True):
                met[pairing] = times + stage.rounds
        return met

    def stage_at(self, number: int) -> Placed:
        """Return the stage that contains match `number`."""
        return self.stages[bisect_right(self.starts, number) - 1]

    @cached_property
    def starts(self) -> list[int]:
        """The numbers of the stages' first matches."""
        return [stage.start for stage in self.stages]

    def fixture(self, number: int) -> Fixture:
        """Return match `number`, from 0."""
        stage = self.stage_at(number)
        round, k = divmod(number - stage.start, len(stage.pairings))
        return Fixture(number, stage.met[k] + round, *stage.pairings[k])

    @cached_property
    def pairings(self) -> tuple[tuple[int, int], ...]:
        """All pairings, each once, in the order in which they first meet."""
        return tuple(dict.fromkeys(pairing for stage in self.stages for pairing in stage.pairings))

    @property
    def rounds(self) -> int:
        """The number of rounds in all stages."""
        return sum(stage.rounds for stage in self.stages)

    def rounds_by(self, number: int) -> tuple[int, bool]:
        """Return how many rounds begin before match `number`, and whether the last of them ends there."""
        if not number:
            return 0, True
        stage = self.stage_at(number - 1)
        rounds, rest = divmod(number - stage.start, len(stage.pairings))
        return stage.rounds_before + rounds + (rest > 0), not rest

    def start_of(self, round: int) -> int:
        """Return the number of a round's first match, over all stages; `matches` after the last."""
        for stage in self.stages:
            if round < stage.rounds_before + stage.rounds:
                return stage.start + (round - stage.rounds_before) * len(stage.pairings)
        return self.matches

    def part(self, numbers: range) -> Schedule:
        """Return a schedule with only the stages that contain these matches."""
        if len(self.stages) < 2:
            return self
        first, last = (bisect_right(self.starts, at) - 1 for at in (numbers.start, numbers.stop - 1))
        return Schedule(self.stages[first : last + 1], self.matches)


def checked(stage: Any, entries: int) -> Stage:
    """Return a stage from a format after checking it, with pairings as tuples of ints.

    Args:
        stage: The stage.
        entries: The number of entries.

    Raises:
        ArenaError: If it is not a valid stage.
    """
    try:
        pairings = tuple((index(first), index(second)) for first, second in stage.pairings)
        rounds = index(stage.rounds)
    except (TypeError, ValueError, AttributeError) as error:
        raise ArenaError(f"{stage!r:.200} is not a stage; return arena.Stage(pairings, rounds)") from error
    if not pairings or rounds < 1:
        raise ArenaError("a stage has no matches; return None when all matches are played")
    if len({*pairings}) < len(pairings):
        raise ArenaError("a stage has a pairing twice; use more rounds")
    for first, second in pairings:
        if not (0 <= first < entries and 0 <= second < entries) or first == second:
            raise ArenaError(
                f"the pairing {first}, {second} is not valid: there are {entries} entries, numbered from 0"
            )
    return Stage(pairings, rounds)


def unplayed(done: Sequence[int], matches: int, start: int = 0) -> list[range]:
    """Return the numbers in range(start, matches) that are missing in the increasing sequence `done`."""
    gaps = []
    for number in done:
        if number > start:
            gaps.append(range(start, number))
        start = number + 1
    if start < matches:
        gaps.append(range(start, matches))
    return gaps


class RoundRobin(FixedFormat):
    """Each entry meets every other entry, from each seat."""

    def stage(self, entries: int, rounds: int) -> Stage:
        return Stage(round_robin(entries), rounds)


class Gauntlet(FixedFormat):
    """The first entries meet all others, from each seat; no other pairings are played.

    This rates the first entries with the fewest matches.
    """

    first: int = option(1, "number of entries, in the order named, that play the others", low=1)

    def check_entries(self, entries: int) -> None:
        if self.first >= entries:
            raise ArenaError(
                f"gauntlet: first is {self.first}, but there are {entries} entries; leave some as opponents"
            )

    def stage(self, entries: int, rounds: int) -> Stage:
        others = range(self.first, entries)
        met = [(a, b) for b in others for a in range(self.first)]
        return Stage([seats for a, b in met for seats in ((a, b), (b, a))], rounds)


def round_robin(entries: int) -> list[tuple[int, int]]:
    """Return all pairings from each seat, in an order in which no entry plays twice in succession.

    This is the circle method (Schurig 1886): one entry stays in place, the others rotate around it.
    """
    ring: list[int | None] = list(range(entries))
    if entries % 2:
        ring.append(None)  # the entry paired with it has a bye
    half = len(ring) // 2
    pairings = []
    for _ in range(len(ring) - 1):
        for i in range(half):
            a, b = ring[i], ring[-1 - i]
            if a is not None and b is not None:
                # seats alternate by parity, so that half-way each entry has had both seats about equally
                # often
                pairings.append((min(a, b), max(a, b)) if (a - b) % 2 else (max(a, b), min(a, b)))
        ring.insert(1, ring.pop())
    return pairings + [(b, a) for a, b in pairings]
