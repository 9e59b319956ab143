"""A plan whose schedule grows stage by stage, as decided by its format."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from arena.api.format import Format, Standing
from arena.api.plugin_guard import Failed, foreign
from arena.api.reasons import WITHDRAWN
from arena.errors import ArenaError
from arena.plan.plan import Plan
from arena.plan.schedule import checked
from arena.results.opening_order import numbered
from arena.results.tally import COPY

if TYPE_CHECKING:
    from arena.api.rating import ByOpening

Answer = TypeVar("Answer")

ASKING = 0.1  # maximum share of the time spent in `Format.progress`
STAGES = 100_000  # maximum number of stages in a tournament


class Stages:
    """The stages of a plan, which its format adds one by one, and the results on which the format decides.

    A stage depends only on the results of earlier stages, in schedule order.

    Attributes:
        plan: The plan, with all stages scheduled so far.
        taken: The number of processed matches.
        over: Whether no further stage will be scheduled.
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
        # round, seats and result as one number, for each match that begins with an opening and repeats no
        # other
        self.opened = array("q")
        # by a, b and round: the result of a in a match whose reverse is not played yet, and whether it is new
        self.halves: dict[tuple[int, int, int], tuple[int, bool]] = {}
        self.withdrawn: set[int] = set()
        self.said, self.ask_again = "", 0.0  # last answer of `Format.progress`; time of the next call
        if not plan.schedule.stages:
            self.go_on()

    @property
    def grows(self) -> bool:
        """Whether the schedule depends on results."""
        return self.format is not None

    def take(self, first: int, second: int, round: int, result: int, kind: str) -> None:
        """Process the next match.

        Args:
            first: The entry in the first seat.
            second: The entry in the second seat.
            round: The round.
            result: 1, 0 or -1, from the first seat's side.
            kind: The kind of the match, see `arena.results.tally.Replays`, or `WITHDRAWN` if it is forfeited
                unplayed.
        """
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
        """Return the results so far in the form that formats receive."""
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
        """Return the results by opening, as in `Results.openings`."""
        n = len(self.results)
        seats, outcome = np.divmod(np.array(self.opened, np.int64), 3)
        seats, second = np.divmod(seats, n)
        round, first = np.divmod(seats, n)
        order, key = self.plan.opening_order, self.plan.opening_key
        opening = numbered(*order.identities(round, first, second, key))
        return np.column_stack([opening, first, second, np.eye(3, dtype=np.int64)[outcome]])

    def go_on(self) -> bool:
        """Ask the format for the next stage once all scheduled matches are processed.

        Returns:
            False once the format has ended.

        Raises:
            ArenaError: If the format fails or returns an invalid stage.
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
                raise self.failed(f"it continues after {STAGES:,} stages; play more rounds in each")
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
        """Call a method of the format with the current standing, and return its result.

        Raises:
            ArenaError: If the format fails.
        """
        try:
            with foreign():
                return method(self.standing())
        except Failed as error:
            raise self.failed(str(error)) from error

    def failed(self, why: str) -> ArenaError:
        """Return the error that says why the format failed."""
        assert self.plan.format
        kept = "; played matches are kept" if self.taken else ""
        return ArenaError(f"format {self.plan.format.text} failed after {self.taken:,} matches: {why}{kept}")

    def progress(self) -> str:
        """Return the format's text on the progress of the tournament.

        Within a stage the last text may be repeated: a format may be slow with very many matches, so at most
        the share `ASKING` of the time is spent on this call.
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
        """Return the format's remarks on the results.

        Raises:
            ArenaError: If the format fails.
        """
        if not self.format:
            return []
        return [str(note) for note in self.asked(self.format.notes)]
