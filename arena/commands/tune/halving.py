"""The search for a learner's options over training seeds, and the confirmation on new seeds."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from arena.analysis.halving import Round, survivors
from arena.api.options import replaced, with_options
from arena.api.plugin_guard import quiet
from arena.api.spec import Spec
from arena.calls.execution import Execution, train_first
from arena.commands.tune.candidates import Choice, with_choice
from arena.commands.tune.learner_result import TunedLearner
from arena.commands.tune.log import Log
from arena.errors import ArenaError, Stopped
from arena.matches.driver import play
from arena.plan.completion import complete
from arena.plan.plan import Plan
from arena.registry.plugins import Registry
from arena.results.settings import settings_of
from arena.results.tally import Summary, Tally
from arena.rng import derive
from arena.training.learners import learner_in

SEARCH, CONFIRM = 1, 2  # indices of the random streams of match seeds


class Halving:
    """A search for the best candidate by sequential halving over training seeds, recorded in a log.

    Args:
        entry: The entry with the initial values.
        choices: The candidates.
        rounds: The rounds of sequential halving.
        asked: Settings of the matches of one training seed, without the entries.
        against: The opponents, as texts.
        confirm: Number of new training seeds for the confirmation.
        known: The registry of plugins.
        log: The log, from which the search continues.
        how: How to execute the work.
    """

    def __init__(
        self,
        entry: Spec,
        choices: Sequence[Choice],
        rounds: Sequence[Round],
        asked: Mapping[str, Any],
        against: Sequence[str],
        confirm: int,
        known: Registry,
        log: Log,
        how: Execution,
    ) -> None:
        self.entry, self.choices, self.rounds, self.asked = entry, choices, rounds, asked
        self.against, self.confirm, self.known, self.log, self.how = against, confirm, known, log, how
        self.specs = [with_choice(entry, choice, known) for choice in choices]
        self.scores: list[list[float]] = [[] for _ in choices]
        self.fresh: tuple[list[float], list[float]] = ([], [])  # of winner and initial entry
        self.dropped = [0] * len(choices)  # round after which each candidate was dropped, or 0
        self.trainings = self.episodes = self.forfeits = 0
        self.kept = [*log.lines]
        self.confirming = False

    def run(self) -> TunedLearner:
        """Continue the search and the confirmation, and return the result, which is partial if stopped."""
        left, stopped = [*range(len(self.choices))], False
        try:
            with quiet():
                for number, one in enumerate(self.rounds, 1):
                    entries = [self.specs[i] for i in left]
                    for scores in self.measured(left, entries, range(one.before, one.until), SEARCH):
                        for i, score in zip(left, scores, strict=True):
                            self.scores[i].append(score)
                    stay = self.rounds[number].candidates if number < len(self.rounds) else 1
                    chosen = survivors(self.scores, left, stay)
                    for i in set(left).difference(chosen):
                        self.dropped[i] = number
                    left = chosen
                self.confirmed(self.specs[left[0]])
        except Stopped:
            stopped = True
        return self.found(left, stopped)

    def confirmed(self, winner: Spec) -> None:
        """Train and play the winner and the initial entry with new seeds."""
        if winner.text == self.entry.text:
            return
        self.confirming = True
        seeds = range(self.rounds[-1].until, self.rounds[-1].until + self.confirm)
        for scores in self.measured([-1, -2], [winner, self.entry], seeds, CONFIRM):
            for of, score in zip(self.fresh, scores, strict=True):
                of.append(score)

    def measured(
        self, numbers: Sequence[int], entries: Sequence[Spec], seeds: range, stream: int
    ) -> list[list[float]]:
        """Return the scores of entries for each training seed, read from the log or played.

        Args:
            numbers: The numbers that identify the entries in the log.
            entries: The entries.
            seeds: The training seeds, as offsets from the seed of the learner.
            stream: Index of the random stream of match seeds.

        Raises:
            Stopped: If it was stopped before the end.
        """
        found = []
        for seed in seeds:
            if not self.kept:
                break
            line = self.kept.pop(0)
            if line["seed"] != seed or line["candidates"] != [*numbers]:
                raise ArenaError(f"{self.log.path} was changed since it was written; name another file")
            found.append(self.counted(entries, line["scores"], line["forfeits"]))
        if missing := seeds[len(found) :]:
            plans = [self.plan_of(entries, seed, stream) for seed in missing]
            learners = [spec for plan in plans for spec in plan.entries]
            stall = plans[0].limits.stall_seconds
            train_first(learners, plans[0].game, self.known, self.how, stall, strict=True)
            found += self.played(numbers, entries, plans, missing)
        return found

    def plan_of(self, entries: Sequence[Spec], seed: int, stream: int) -> Plan:
        """Return the plan of the matches of entries with a training seed."""
        each = [with_seed(spec, seed).text for spec in entries]
        asked = {
            **self.asked,
            "entries": [*each, *self.against],
            "format": f"paired-seeds:methods={len(each)},each_other=false",
            "seed": derive(self.asked["seed"], stream, seed),
            "streams": 1,
            "shared_openings": True,
            "withdraw_after": 0,
        }
        return complete(settings_of(asked), self.known, trusting=True)[1]

    def played(
        self, numbers: Sequence[int], entries: Sequence[Spec], plans: Sequence[Plan], seeds: range
    ) -> list[list[float]]:
        """Play the plan of each seed, and log and return the scores."""
        found = []
        what = "Confirming" if self.confirming else "Tuning"
        with self.how.opened() as pool, self.how.showing(f"{what} {self.entry.text}", "matches") as tell:
            to_the_end = replace(pool, stop=threading.Event())
            all, done = sum(plan.matches for plan in plans), 0
            for plan, seed in zip(plans, seeds, strict=True):
                if self.how.stop.is_set():
                    raise Stopped("Stopped.")
                tally, forfeits = Tally(), 0
                for summary in play(plan, [range(plan.matches)], to_the_end, Summary):
                    tally.add_summary(summary)
                    forfeits += len(summary.forfeits)
                scores = scores_of(tally, len(entries))
                self.log.add(seed=seed, candidates=[*numbers], scores=scores, forfeits=forfeits)
                found.append(self.counted(entries, scores, forfeits))
                done += plan.matches
                tell(done, all)
        return found

    def counted(self, entries: Sequence[Spec], scores: list[float], forfeits: int) -> list[float]:
        """Add to the counts of forfeits and, in the search, of trainings and episodes; return the scores."""
        self.forfeits += forfeits
        if not self.confirming:
            self.trainings += len(entries)
            self.episodes += sum(learner_in(spec).values["episodes"] for spec in entries)
        return scores

    def found(self, left: Sequence[int], stopped: bool) -> TunedLearner:
        """Return the result so far."""
        best = max(left, key=lambda i: fmean(self.scores[i] or [0.0]))
        one, other = self.fresh
        both = min(len(one), len(other))
        return TunedLearner(
            game=str(self.asked["game"]),
            entry=self.entry.text,
            tuned=self.specs[best].text,
            values=self.choices[best],
            choices=self.choices,
            scores=self.scores,
            dropped=self.dropped,
            rounds=self.rounds,
            against=self.against,
            trainings=self.trainings,
            episodes=self.episodes,
            seed=int(self.asked["seed"]),
            fresh=(one[:both], other[:both]),
            confirm=self.confirm,
            forfeits=self.forfeits,
            stopped=stopped,
        )


def with_seed(spec: Spec, seed: int) -> Spec:
    """Return an entry with its learner's training seed increased by `seed`."""
    learner = learner_in(spec)
    return replaced(spec, learner, with_options(learner, seed=learner.values["seed"] + seed))


def scores_of(tally: Tally, methods: int) -> list[float]:
    """Return the mean scores of the first `methods` entries over all their matches, from 0 to 1."""
    points, matches = [0.0] * methods, [0.0] * methods
    for (first, second, _), counts in tally.counts.items():
        won = float(counts.wins + counts.draws / 2)
        for entry, score in ((first, won), (second, float(counts.matches) - won)):
            if entry < methods:
                points[entry] += score
                matches[entry] += float(counts.matches)
    return [score / all for score, all in zip(points, matches, strict=True)]
