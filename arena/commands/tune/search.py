"""The search for values of an entry's options, and the test of the values found."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from arena.analysis.spsa import PAIRS, Parameter, Spsa
from arena.analysis.tuning import Confirmation, Counts, Values, confirm, score_of, seek
from arena.api.format import Stage
from arena.api.plugin_guard import quiet
from arena.api.spec import Spec
from arena.calls.execution import Execution
from arena.commands.tune.log import Log
from arena.commands.tune.ranges import with_values
from arena.commands.tune.result import Tuned
from arena.errors import ArenaError
from arena.matches.driver import play
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.ratings.sprt import Sprt
from arena.registry.plugins import Registry
from arena.results.tally import Summary, Tally
from arena.workers.pools import Pool

BOTH_SEATS = ((0, 1), (1, 0))


class Tuner:
    """A search for option values by matches, followed by a test, both recorded in a log.

    Args:
        plan: A plan of the entry against itself.
        known: The registry of plugins.
        parameters: The options, with their ranges.
        log: The log, from which the search continues.
        how: How to execute the work.
        iterations: Number of iterations of the search; None for no limit.
        seconds: Time limit of the search; None for no limit.
        test: The sequential test.
        most: Maximum number of pairs of matches of the test; None for as many as the search played.
    """

    def __init__(
        self,
        plan: Plan,
        known: Registry,
        parameters: Sequence[Parameter],
        log: Log,
        how: Execution,
        iterations: int | None,
        seconds: float | None,
        test: Sprt,
        most: int | None,
    ) -> None:
        self.plan, self.known, self.parameters, self.log, self.how = plan, known, parameters, log, how
        self.iterations, self.seconds, self.test, self.most = iterations, seconds, test, most
        self.entry = plan.entries[0]
        self.spsa = Spsa(parameters, log.gains, plan.seed)
        self.scores: list[float] = []
        self.confirmation: Confirmation | None = None
        self.spent, self.forfeits, self.fault = 0.0, 0, ""
        self.pool: Pool | None = None
        for line in log.lines:
            self.take_up(line["pairs"], line["played"], line["seconds"], line.get("after"))
            self.forfeits += line.get("forfeits", 0)
            self.fault = self.fault or line.get("fault", "")

    def take_up(self, counts: Counts, played: int, seconds: float, after: int | None) -> None:
        """Add the results of pairs of matches from the log.

        Args:
            counts: Number of pairs by score.
            played: Number of pairs played.
            seconds: Time that the pairs took.
            after: Number of iterations before the test; None for pairs of the search.
        """
        if after is None:
            self.spsa.take(score_of(counts))
            self.scores.append(score_of(counts))
            self.spent += seconds
            return
        if self.confirmation is None or self.confirmation.iterations != after:
            self.confirmation = self.test_after(after)
        self.confirmation.take(played, counts)

    def test_after(self, iterations: int) -> Confirmation:
        """Return a new test of the values after some iterations."""
        return Confirmation(self.test, iterations * PAIRS if self.most is None else self.most, iterations)

    def run(self) -> Tuned:
        """Continue the search and the test, and return the result, which is partial if stopped."""
        with self.how.opened() as self.pool, quiet():
            self.seek()
            if not self.how.stop.is_set() and self.tuned.text != self.entry.text:
                self.confirm()
        return self.found()

    def seek(self) -> None:
        """Play the remaining iterations of the search."""
        unit, all = ("matches", 2 * PAIRS * self.iterations) if self.iterations else ("seconds", 0)
        with self.how.showing(f"Tuning {self.entry.text}", unit) as tell:
            begun = perf_counter()
            for counts in seek(self.spsa, self.play, self.plan.seed, self.goes_on):
                took, begun = perf_counter() - begun, perf_counter()
                self.spent += took
                self.scores.append(score_of(counts))
                values = dict(zip(self.names, self.spsa.values(), strict=True))
                self.log.add(
                    iteration=self.spsa.done, values=values, pairs=[*counts], played=PAIRS, seconds=took,
                    **self.faults(),
                )  # fmt: skip
                note = ", ".join(f"{name} {value:g}" for name, value in values.items())
                if all:
                    tell(2 * PAIRS * self.spsa.done, all, note)
                else:
                    tell(min(int(self.spent), int(self.seconds or 0)), int(self.seconds or 0), note)

    def confirm(self) -> None:
        """Play the remaining matches of the test."""
        done = self.spsa.done
        if self.confirmation is None or self.confirmation.iterations != done:
            self.confirmation = self.test_after(done)
        test = self.confirmation
        with self.how.showing(f"Testing {self.tuned.text}", "matches") as tell:
            begun = perf_counter()
            for pairs, counts in confirm(test, self.spsa.values(), self.play, self.plan.seed, self.may_go_on):
                took, begun = perf_counter() - begun, perf_counter()
                self.log.add(after=done, pairs=[*counts], played=pairs, seconds=took, **self.faults())
                tell(2 * test.played, 0, f"LLR {test.test.ratio(test.counts):+.2f}")

    def may_go_on(self) -> bool:
        return not self.how.stop.is_set()

    def goes_on(self) -> bool:
        """Return whether the search continues with another iteration."""
        more = self.iterations is None or self.spsa.done < self.iterations
        return more and (self.seconds is None or self.spent < self.seconds) and self.may_go_on()

    @property
    def names(self) -> list[str]:
        return [one.name for one in self.parameters]

    @property
    def tuned(self) -> Spec:
        """The entry with the best values so far."""
        return self.with_values(self.spsa.values())

    def with_values(self, values: Values | None) -> Spec:
        return self.entry if values is None else with_values(self.entry, self.parameters, values, self.known)

    def play(self, one: Values | None, other: Values | None, seed: int, pairs: int) -> Counts:
        """Play pairs of matches between the entry with two sets of values; None for the initial values."""
        assert self.pool
        entries = self.with_values(one), self.with_values(other)
        schedule = Schedule.of(Stage(BOTH_SEATS, pairs))
        streams = replace(self.plan.streams, seed=seed)
        plan = replace(self.plan, entries=entries, streams=streams, schedule=schedule)
        tally, to_the_end = Tally(), replace(self.pool, stop=threading.Event())
        self.forfeited, self.how_forfeited = 0, ""
        for summary in play(plan, [range(2 * pairs)], to_the_end, Summary):
            tally.add_summary(summary)
            for record in summary.forfeits:
                self.forfeited += 1
                why = f": {record.detail}" if record.detail else ""
                self.how_forfeited = f"{plan.entries[record.loser].text} by {record.reason}{why}"
        counts = tally.pairs.by_score(0, 1)
        if self.forfeited == 2 * pairs:
            raise ArenaError(f"all matches are forfeited, for example by {self.how_forfeited}; fix the fault")
        if sum(counts) == 1 < pairs and not plan.openings.some:
            raise ArenaError("without openings all matches are identical; set openings, such as random:4")
        self.forfeits += self.forfeited
        self.fault = self.fault or self.how_forfeited
        return counts

    def faults(self) -> dict[str, int | str]:
        """Return the forfeits among the last pairs of matches, for the log."""
        return {"forfeits": self.forfeited, "fault": self.how_forfeited} if self.forfeited else {}

    def found(self) -> Tuned:
        """Return the result so far."""
        at = [
            [one.value(share) for one, share in zip(self.parameters, point, strict=True)]
            for point in self.spsa.points
        ]
        test = self.confirmation
        return Tuned(
            game=self.plan.game.text,
            entry=self.entry.text,
            tuned=self.tuned.text,
            parameters=self.parameters,
            best=self.spsa.values(),
            course=at,
            scores=self.scores,
            matches=2 * PAIRS * self.spsa.done,
            seed=self.plan.seed,
            confirmation=test if test and test.iterations == self.spsa.done else None,
            forfeits=self.forfeits,
            fault=self.fault,
            stopped=self.how.stop.is_set(),
        )
