"""Measure the coverage of 95 % intervals of ratings if learners are entered with several seeds.

    python benchmarks/seeds.py [--repetitions N] [--processes N] [--write]

The first entries are learners, and the rating of each seed is drawn about its learner's. True ratings are
those that the model would find with infinitely many seeds. Each regime has its own random numbers, so its row
is the same however many regimes are run. `--write` puts the table into docs/explanation/ratings.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from page import put
from truth import Floats, holds, table, within

from arena.api.rating import Results
from arena.plan.completion import seeds_of
from arena.ratings.likelihood import Likelihood
from arena.ratings.maximum_likelihood import Fit, MaximumLikelihood
from arena.ratings.statistics import POINTS

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "ratings.md"
REPETITIONS = 2000
FIRST_MOVE, DRAWS = 30.0, -100.0  # in Elo points
POPULATION = 4000  # seeds that there are of each learner


class Regime(NamedTuple):
    """The conditions of simulated tournaments.

    Attributes:
        entries: Number of entries.
        learners: Number of learners among them.
        seeds: Number of seeds of each learner.
        matches: Number of matches of each seed against each other seed or entry, from either seat; in turn,
            of each entry against each.
        spread: Standard deviation of the ratings of seeds, in points.
        apart: Range of the true ratings in points.
        in_turn: Whether the seeds of a learner take turns.
    """

    entries: int
    learners: int
    seeds: int
    matches: int
    spread: int
    apart: int = 300
    in_turn: bool = False


REGIMES = [
    Regime(2, 1, 10, 20, 0),
    Regime(2, 1, 10, 20, 80),
    Regime(2, 1, 10, 50, 200),
    Regime(2, 2, 10, 5, 80),
    Regime(4, 1, 10, 20, 0),
    Regime(4, 1, 10, 20, 80),
    Regime(4, 2, 3, 20, 80),
    Regime(4, 2, 5, 20, 200),
    Regime(4, 2, 10, 5, 80),
    Regime(4, 4, 10, 2, 0),
    Regime(4, 4, 10, 2, 80),
    Regime(8, 4, 10, 1, 80, 600),
    Regime(8, 4, 20, 1, 150, 600),
    Regime(8, 2, 10, 10, 80, 1200),
    Regime(2, 1, 10, 200, 80, 300, True),
    Regime(4, 2, 10, 50, 80, 300, True),
]
COLUMNS = [
    *("entries", "learners", "seeds", "matches", "spread", "apart", "in turn"),
    *("held", "least", "differences", "spread held", "as independent"),
]


class Coverage(NamedTuple):
    """Shares from 0 to 1.

    Attributes:
        held: Share of intervals that contain the true rating.
        least: Smallest such share of an entry.
        differences: Share of intervals of the first two entries' difference that contain it.
        spread: Share of intervals of the first learner's spread that contain it.
        independent: The share `held` if all matches are taken as independent.
    """

    held: float
    least: float
    differences: float
    spread: float
    independent: float


def ratings_of(regime: Regime) -> Floats:
    """Return the true ratings, float64 [entries], in points, with learners spread evenly over their range."""
    n = regime.entries
    order = np.argsort(np.arange(n) * regime.learners % n, kind="stable")
    return np.linspace(regime.apart / 2, -regime.apart / 2, n)[order]


def probabilities(differences: Floats) -> Floats:
    """Return probabilities of win, draw and loss at these rating differences in points, float64 [..., 3]."""
    # Davidson & Beaver's form of the model (1977): in strengths, not in logs
    odds = 10 ** ((differences + FIRST_MOVE) / 400)
    weights = np.stack([odds**0.5, np.full_like(odds, 10 ** (DRAWS / 400)), odds**-0.5], axis=-1)
    found: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return found


def truth_of(regime: Regime, rng: np.random.Generator) -> Floats:
    """Return the ratings that the model finds with very many seeds, float64 [entries], in points."""
    n, ratings = regime.entries, ratings_of(regime)
    seeds = np.zeros((POPULATION, n))
    seeds[:, : regime.learners] = rng.normal(0, regime.spread, (POPULATION, regime.learners))
    counts = np.zeros((3, n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                differences = ratings[i] - ratings[j] + seeds[:, i] - rng.permutation(seeds[:, j])
                counts[:, i, j] = 1e6 * probabilities(differences).mean(axis=0)
    values: Floats = POINTS * Likelihood(counts, 1e-9).maximum()[0]
    return values[:n]


def results_of(regime: Regime, rng: np.random.Generator) -> Results:
    """Return the results of a tournament of newly trained learners."""
    ratings = ratings_of(regime)
    seeds = [
        rating + (rng.normal(0, regime.spread, regime.seeds) if i < regime.learners else np.zeros(1))
        for i, rating in enumerate(ratings)
    ]
    totals = []
    rows: dict[int, list[tuple[int, ...]]] = {learner: [] for learner in range(regime.learners)}
    for i, first in enumerate(seeds):
        for j, second in enumerate(seeds):
            if i != j:
                times = meetings(regime, len(first), len(second), i < j)
                found = rng.multinomial(times, probabilities(first[:, None] - second))
                totals.append((i, j, *found.sum(axis=(0, 1)).tolist()))
                for learner, counts in ((i, found.sum(axis=1)), (j, found.sum(axis=0))):
                    if learner in rows:
                        rows[learner] += [(seed, i, j, *of) for seed, of in enumerate(counts.tolist())]
    by_seed = {learner: np.array(of) for learner, of in rows.items()}
    return Results([str(i) for i in range(len(seeds))], totals, lambda: iter(()), seeds=by_seed)


def meetings(regime: Regime, first: int, second: int, in_order: bool) -> NDArray[np.int64]:
    """Return how often seeds of the first and of the second entry meet, int64 [first, second]."""
    if not regime.in_turn:
        return np.full((first, second), regime.matches)
    found = np.zeros((first, second), np.int64)
    for turn in range(regime.matches):
        found[seeds_of(range(first), range(second), turn, in_order)] += 1
    return found


def covered(regime: Regime, repetitions: int) -> Coverage:
    """Return the coverage of intervals over a number of tournaments."""
    rng = np.random.default_rng([11, *regime[:-1], *[1] * regime.in_turn])
    truth = truth_of(regime, rng)
    held, independent, differences, spreads = [], [], [], []
    for _ in range(repetitions):
        fit = MaximumLikelihood(mean=0).fit(results_of(regime, rng))
        held.append(holds(fit, truth))
        independent.append(holds(Fit(fit.likelihood, 0.0), truth))
        differences.append(within(fit.difference(0, 1), truth[0] - truth[1]))
        spread = fit.spreads()[0]
        spreads.append(spread.low <= regime.spread <= spread.high)
    shares = np.mean(held, axis=0)
    alone = (differences, spreads, independent)
    return Coverage(float(shares.mean()), float(shares.min()), *(float(np.mean(one)) for one in alone))


def facts(regime: Regime) -> list[str]:
    """Return the cells that describe a regime."""
    return [*map(str, regime[:-1]), "yes" if regime.in_turn else "no"]


def row_of(regime: Regime, repetitions: int) -> str:
    """Return a line of the table."""
    shares = [f"{100 * share:.1f} %" for share in covered(regime, repetitions)]
    return f"| {' | '.join([*facts(regime), *shares])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="tournaments of a regime")
    parser.add_argument("--processes", type=int, help="at once; as many as there are processors")
    parser.add_argument("--write", action="store_true", help="put the table into docs/explanation/ratings.md")
    options = parser.parse_args()
    if options.write and options.repetitions < REPETITIONS:
        parser.error("--write puts down the whole: leave out --repetitions")
    head = [f"| {' | '.join(COLUMNS)} |", "|" + " ---: |" * len(COLUMNS)]
    lines = table(head, row_of, REGIMES, options.repetitions, options.processes)
    if options.write:
        put(PAGE, "seeds.py", lines)


if __name__ == "__main__":
    main()
