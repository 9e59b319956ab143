"""Measure the coverage of 95 % intervals of ratings in tournaments that stop because of their results.

    python benchmarks/stopping.py [--repetitions N] [--only ROW…] [--processes N] [--write]

Formats are played as in a tournament, but results are drawn from the model. With openings, all pairings play
the same opening in a round, and true ratings are those that the model would find in infinitely many openings.
Each regime has its own seed, so its row is the same however many regimes are run. `--write` puts the table
into docs/explanation/ratings.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import openings
from openings import STRONG, WEAK
from page import put
from truth import Floats, holds, table

from arena.api.format import Format, Stage, Standing
from arena.api.rating import Results
from arena.plan.certain_order import Order
from arena.plan.design import Ints
from arena.plan.until_decided import Decided
from arena.plan.until_precise import Precise
from arena.ratings.maximum_likelihood import Fit, MaximumLikelihood

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "ratings.md"
REPETITIONS = 2000
LIMIT = 200_000  # matches


class Regime(NamedTuple):
    """The conditions of simulated tournaments.

    Attributes:
        until: Name of the format: `precise` or `decided`.
        points: Half of the width of an interval, or the indifference, that the format aims at, in Elo points.
        entries: Number of entries.
        apart: Range of the true ratings in points.
        draws: How common draws are, see `openings.DRAWS`.
        seat: See `openings.Regime`.
        entry: See `openings.Regime`.
    """

    until: str
    points: int
    entries: int
    apart: int
    draws: str = "some"
    seat: int = 0
    entry: int = 0


REGIMES = [
    Regime("precise", 50, 2, 0),
    Regime("precise", 50, 2, 300, "rare"),
    Regime("precise", 50, 5, 400),
    Regime("precise", 50, 10, 900),
    Regime("precise", 50, 2, 100, "some", *STRONG),
    Regime("precise", 50, 5, 400, "some", *WEAK),
    Regime("decided", 50, 2, 0),
    Regime("decided", 50, 2, 60, "rare"),
    Regime("decided", 50, 5, 400),
    Regime("decided", 50, 10, 900),
    Regime("decided", 50, 5, 400, "some", *WEAK),
]
COLUMNS = [
    *("until", "points", "entries", "apart", "draws", "by seat", "by entry"),
    *("tournaments", "width", "matches", "held", "least", "as if fixed", "ranks", "wrong"),
]


class Ended(NamedTuple):
    """The outcome of a tournament.

    Attributes:
        held: For each entry, whether its interval contains the true rating.
        fixed: Likewise for intervals that assume a number of matches fixed before.
        widths: Widths of the intervals with two finite ends, in points.
        matches: Number of matches.
        ranks: Whether all ranges of ranks contain the true ranks.
        wrong: Whether the format was ever certain of something false about the order.
    """

    held: list[bool]
    fixed: list[bool]
    widths: list[float]
    matches: int
    ranks: bool
    wrong: bool


class Event:
    """The results of a tournament so far.

    Attributes:
        told_apart: Whether results are reported by opening.
        first: int64 [pairings]. First entry of each pairing.
        second: int64 [pairings]. Second entry of each pairing.
        limits: float64 [openings, pairings, 2]. Cumulative probabilities of a win and of a win or draw.
        of_round: int64 [rounds]. Opening of each round.
        outcomes: int8 [rounds, pairings]. 0 win, 1 draw, 2 loss of the first player, -1 if not played.
        counts: int64 [pairings, 3]. Number of each outcome.
        standing: The standing for the format.
        stopped: Whether results end the tournament because differences are clear.
    """

    stopped = False

    def __init__(
        self, entries: int, probabilities: Floats, told_apart: bool, rng: np.random.Generator
    ) -> None:
        self.entries, self.told_apart, self.rng = entries, told_apart, rng
        self.first, self.second = openings.pairings(entries)
        self.place = {
            seats: k for k, seats in enumerate(zip(self.first.tolist(), self.second.tolist(), strict=True))
        }
        self.limits = probabilities[..., :2].cumsum(axis=-1)
        self.of_round = np.zeros(0, np.int64)
        self.outcomes = np.zeros((0, len(self.first)), np.int8)
        self.counts = np.zeros((len(self.first), 3), np.int64)
        self.standing = nothing(entries)

    def play(self, stage: Stage) -> None:
        """Play the next rounds of each pairing of a stage."""
        pairings = np.array([self.place[seats] for seats in stage.pairings])
        had = self.counts.sum(axis=1)
        rounds = had[pairings] + np.arange(stage.rounds)[:, None]  # [rounds, pairings]
        self.grow(int(rounds.max()) + 1)
        drawn = self.rng.random((*rounds.shape, 1))
        found = (drawn > self.limits[self.of_round[rounds], pairings]).sum(axis=-1)
        self.outcomes[rounds, pairings] = found
        self.counts[pairings] += (found[..., None] == np.arange(3)).sum(axis=0)
        before = self.standing
        results, played = self.square(self.counts), self.square(self.counts.sum(axis=1))
        self.standing = replace(
            before, stages=before.stages + 1, matches=int(self.counts.sum()),
            results=results, played=played, fresh=played - before.played,
            openings=self.by_opening if self.told_apart else None,
        )  # fmt: skip

    def grow(self, rounds: int) -> None:
        """Extend the arrays to at least `rounds` rounds."""
        more = max(rounds - len(self.of_round), 0) and max(rounds, 64)
        self.of_round = np.append(self.of_round, self.rng.integers(len(self.limits), size=more))
        unplayed = np.full((more, len(self.first)), -1, np.int8)
        self.outcomes = np.concatenate([self.outcomes, unplayed])

    def square(self, values: Ints) -> Ints:
        """Return values by pairing, [pairings, …], by first and second entry, [entries, entries, …]."""
        found = np.zeros((self.entries, self.entries, *values.shape[1:]), np.int64)
        found[self.first, self.second] = values
        return found

    def by_opening(self) -> Ints:
        """Return the results by opening, see `Results.openings`."""
        round, pairing = np.nonzero(self.outcomes >= 0)
        result = np.eye(3, dtype=np.int64)[self.outcomes[round, pairing]]
        return np.column_stack([round, self.first[pairing], self.second[pairing], result])

    def results(self) -> Results:
        """Return the results for a rating system."""
        totals = zip(self.first.tolist(), self.second.tolist(), *self.counts.T.tolist(), strict=True)
        names = [str(i) for i in range(self.entries)]
        return Results(
            names,
            [*totals],
            lambda: iter(()),
            openings=self.standing.openings,
            optional_stopping=self.stopped,
        )


class Watched(Decided):
    """The format `decided`, which remembers its most recent order."""

    seen: Order

    def order(self, standing: Standing) -> Order:
        self.seen = super().order(standing)
        return self.seen


def format_of(regime: Regime) -> Format:
    return Precise(points=regime.points) if regime.until == "precise" else Watched(indifference=regime.points)


def nothing(entries: int) -> Standing:
    """Return the standing before the first match."""
    square, pairs = np.zeros((entries, entries), np.int64), np.zeros((entries, entries, 5), np.int64)
    return Standing(entries, 1, 0, LIMIT, 0, 0, pairs[..., :3].copy(), square, square.copy(), pairs)


def wrongly(order: Order, truth: Floats, indifference: float) -> bool:
    """Return whether anything that an order is certain of is false."""
    ratings = truth[order.fitted.entries]
    for i in range(len(ratings) - 1):
        if order.cuts[i] and ratings[: i + 1].min() <= ratings[i + 1 :].max() + 1e-6:
            return True
        if order.close[i] and abs(ratings[i] - ratings[i + 1]) >= indifference:
            return True
    return False


def tournaments(regime: Regime, start: int = 0) -> Iterator[Ended]:
    """Yield endless tournaments, from number `start` on."""
    n, format = regime.entries, format_of(regime)
    like = openings.Regime(n, 0, regime.seat, regime.entry, regime.apart, regime.draws)
    numbers = (regime.points, n, regime.apart, regime.seat, regime.entry)
    seed = [sorted(openings.DRAWS).index(regime.draws), *numbers]
    probabilities = openings.probabilities_of(like, np.random.default_rng(seed))
    truth = openings.truth_of(like, probabilities)[:n]
    for number in count(start):
        rng = np.random.default_rng([*seed, number])
        event, wrong = Event(n, probabilities, bool(regime.seat or regime.entry), rng), False
        event.stopped = format.optional_stopping
        while stage := format.next_stage(event.standing):
            if isinstance(format, Watched) and event.standing.stages:
                wrong = wrong or wrongly(format.seen, truth, regime.points)
            event.play(stage)
        if isinstance(format, Watched):
            wrong = wrong or wrongly(format.order(event.standing), truth, regime.points)
        fit = MaximumLikelihood(mean=0).fit(event.results())
        fixed = Fit(fit.likelihood, 0.0, fit.rows) if event.stopped else fit
        widths = [high - low for _, low, high in fit.ratings if low is not None and high is not None]
        ranks = not openings.wrong(fit.ranks(), truth)
        matches = event.standing.matches
        yield Ended(holds(fit, truth), holds(fixed, truth), widths, matches, ranks, wrong)


def row_of(regime: Regime, repetitions: int) -> str:
    """Return a line of the table."""
    return row(regime, [*islice(tournaments(regime), repetitions)])


def row(regime: Regime, ended: list[Ended]) -> str:
    """Return a line of the table from the outcomes of tournaments."""
    held, fixed, widths, matches, ranks, wrong = zip(*ended, strict=True)
    by_entry = np.mean(held, axis=0)
    shares = (by_entry.mean(), by_entry.min(), np.mean(fixed), np.mean(ranks), np.mean(wrong))
    cells = [f"{100 * share:.1f} %" for share in shares]
    sizes = [f"{len(ended):,}", f"{np.mean(np.concatenate(widths)):.0f}", f"{np.mean(matches):,.0f}"]
    if regime.until == "precise":
        cells[-1] = ""
    return f"| {' | '.join([*map(str, regime), *sizes, *cells])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="tournaments of a regime")
    parser.add_argument("--only", type=int, nargs="+", metavar="ROW", help="rows of the table, from 1")
    parser.add_argument("--processes", type=int, help="at once; as many as there are processors")
    parser.add_argument("--write", action="store_true", help="put the table into docs/explanation/ratings.md")
    options = parser.parse_args()
    if options.write and (options.only or options.repetitions < REPETITIONS):
        parser.error("--write puts down the whole: leave out --only and --repetitions")
    regimes = [REGIMES[row - 1] for row in options.only] if options.only else REGIMES
    head = [f"| {' | '.join(COLUMNS)} |", "| --- |" + " ---: |" * 3 + " --- |" + " ---: |" * 10]
    lines = table(head, row_of, regimes, options.repetitions, options.processes)
    if options.write:
        put(PAGE, "stopping.py", lines)


if __name__ == "__main__":
    main()
