"""A plan whose schedule grows, stage by stage, as its format says."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from arena.api.format import Format, Standing
from arena.api.plugin_guard import Failed, foreign
from arena.errors import ArenaError
from arena.plan.schedule import Plan, checked
from arena.ratings.by_opening import openings_of
from arena.results.record import WITHDRAWN
from arena.results.tally import COPY

if TYPE_CHECKING:
    from arena.api.rating import ByOpening

Answer = TypeVar("Answer")

ASKING = 0.1  # of the time that a format says how it stands
STAGES = 100_000  # of a tournament at most


class Stages:
    """The stages of a plan, which its format adds one by one, and the results so far as the format sees them.

    Each stage is decided by the results of those before it alone, taken in the order of the schedule.

    Attributes:
        plan: The plan, with all that is scheduled so far.
        taken: How many matches were taken in.
        over: Whether nothing follows what is scheduled.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.format: Format | None = plan.format.make() if plan.format else None
        self.over = self.format is None
        self.taken = 0
        n = len(plan.entries)
        self.results = np.zeros((n, n, 3), np.int64)
        self.played, self.fresh = (np.zeros((n, n), np.int64) for _ in range(2))
        self.pairs = np.zeros((n, n, 5), np.int64)
        # of each match that tells something new and begins with an opening, round, seats and result in one
        self.opened = array("q")
        # by a, b and round, what a made of a match whose other seats are to come, and whether it is new
        self.halves: dict[tuple[int, int, int], tuple[int, bool]] = {}
        self.withdrawn: set[int] = set()
        self.said, self.ask_again = "", 0.0  # from when on the format is asked how it stands
        if not plan.schedule.stages:
            self.go_on()

    @property
    def grows(self) -> bool:
        """Whether results decide what is played."""
        return self.format is not None

    def take(self, first: int, second: int, round: int, result: int, kind: str) -> None:
        """Take in the next match. kind: as `Replays` has it."""
        self.taken += 1
        new = kind not in (COPY, WITHDRAWN)
        self.played[first, second] += 1
        if new:
            self.results[first, second, 1 - result] += 1
            self.fresh[first, second] += 1
            if self.plan.openings.some:
                n = len(self.results)
                self.opened.append(((round * n + first) * n + second) * 3 + 1 - result)
        if kind == WITHDRAWN:
            self.withdrawn.update({-1: [first], 1: [second], 0: [first, second]}[result])
        a, b = sorted((first, second))
        score = result if first == a else -result
        other = self.halves.pop((a, b, round), None)
        if other is None:
            self.halves[a, b, round] = score, new
        elif new or other[1]:
            self.pairs[a, b, 2 + score + other[0]] += 1

    def standing(self) -> Standing:
        """What the format goes by."""
        plan = self.plan
        return Standing(
            entries=len(plan.entries),
            rounds=plan.rounds,
            seed=plan.seed,
            limit=plan.most,
            stages=len(plan.schedule.stages),
            matches=self.taken,
            results=self.results.copy(),
            played=self.played.copy(),
            fresh=self.fresh.copy(),
            pairs=self.pairs.copy(),
            withdrawn=frozenset(self.withdrawn),
            openings=self.by_opening if plan.openings.some else None,
        )

    def by_opening(self) -> ByOpening:
        """The results by opening, as in `Results.openings`."""
        n = len(self.results)
        seats, outcome = np.divmod(np.array(self.opened, np.int64), 3)
        seats, second = np.divmod(seats, n)
        round, first = np.divmod(seats, n)
        opening = openings_of(round, len(self.plan.openings.book), self.plan.streams)
        return np.column_stack([opening, first, second, np.eye(3, dtype=np.int64)[outcome]])

    def go_on(self) -> bool:
        """Ask the format for the next stage, once all that is scheduled is taken in; whether there is one.

        ArenaError if the format fails, or gives what is no stage.
        """
        if self.over or self.taken < self.plan.matches:
            return not self.over
        assert self.format
        if self.taken < self.plan.most:
            stage = self.asked(self.format.next_stage)
            self.over = stage is None
        else:
            stage, self.over = None, True
        if stage is not None:
            schedule = self.plan.schedule
            if len(schedule.stages) >= STAGES:
                raise self.failed(f"it goes on after {STAGES:,} stages; play more rounds in each")
            try:
                schedule = schedule.then(checked(stage, len(self.plan.entries)))
            except ArenaError as error:
                raise self.failed(str(error)) from error
            matches = min(schedule.matches, self.plan.most)
            self.plan = replace(self.plan, schedule=replace(schedule, matches=matches))
            self.fresh[:] = 0
            self.halves.clear()
        return not self.over

    def asked(self, method: Callable[[Standing], Answer]) -> Answer:
        """What the format answers as it stands, or ArenaError if it fails."""
        try:
            with foreign():
                return method(self.standing())
        except Failed as error:
            raise self.failed(str(error)) from error

    def failed(self, why: str) -> ArenaError:
        """The error for a format that fails."""
        assert self.plan.format
        kept = "; what was played is kept" if self.taken else ""
        return ArenaError(f"format {self.plan.format.text} failed after {self.taken:,} matches: {why}{kept}")

    def progress(self) -> str:
        """How it stands, in the format's words.

        Within a stage it may be what was said before: a format may take long over very many matches, and is
        asked for at most a share `ASKING` of the time.
        """
        begun = perf_counter()
        if self.format and (begun >= self.ask_again or self.taken >= self.plan.matches):
            try:
                self.said = str(self.asked(self.format.progress))
            except ArenaError:
                self.said = ""
            self.ask_again = begun + (perf_counter() - begun) / ASKING
        return self.said

    def notes(self) -> list[str]:
        """What came of it, in the format's words; ArenaError if it fails."""
        if not self.format:
            return []
        return [str(note) for note in self.asked(self.format.notes)]
