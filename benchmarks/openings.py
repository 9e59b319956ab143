"""How often 95 % intervals of ratings hold the true rating where matches begin with the same openings.

    python benchmarks/openings.py [--repetitions N] [--entries N…] [--processes N] [--write]

An opening favours a seat, and some entries more than others, by so many points, and all pairings play it from
both seats. What is true is what the model would find in endlessly many openings. A regime has its own seed,
so its row is the same however many are run. `--write` puts the table into docs/explanation/ratings.md.
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
from arena.ratings.likelihood import Likelihood
from arena.ratings.maximum_likelihood import Fit, MaximumLikelihood
from arena.ratings.statistics import POINTS

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "ratings.md"
REPETITIONS = 2000
DRAWS = {"rare": -600, "some": -100, "common": 300}  # in Elo points
POPULATION = 5000  # different openings, of which each round has one
FIRST_MOVE = 30.0  # points, on average over openings


class Regime(NamedTuple):
    """entries: with true ratings that span `apart` points. openings: one a round, of all pairings.

    seat, entry: standard deviations of what an opening is worth to who moves first, and to each entry, in
    points.
    """

    entries: int
    openings: int
    seat: int = 0
    entry: int = 0
    apart: int = 200
    draws: str = "some"


NONE, WEAK, STRONG = (0, 0), (150, 75), (600, 300)
REGIMES = [
    *(
        Regime(n, rounds, *how)
        for n in (2, 4, 12)
        for rounds in (20, 50, 200)
        for how in (NONE, WEAK, STRONG)
    ),
    Regime(2, 50, 600, 0),
    Regime(2, 50, 1200, 0, 0, "rare"),
    Regime(2, 50, 0, 400, 100, "common"),
    Regime(2, 200, 600, 0, 0, "common"),
    Regime(4, 50, 600, 0, 600, "rare"),
    Regime(4, 50, 0, 400, 200, "rare"),
    Regime(12, 50, 600, 0, 1200, "common"),
    Regime(12, 50, 0, 400, 600),
]
COLUMNS = [
    *("entries", "openings", "by seat", "by entry", "apart", "draws"),
    *("held", "least", "differences", "ranks", "first move", "as independent"),
]


class Coverage(NamedTuple):
    """Shares from 0 to 1.

    held: of intervals that hold the truth. least: of the entry of which fewest do. differences: of intervals
    of the first two entries' difference. ranks: of tables of whose ranges of ranks none is wrong. first_move:
    of intervals of what moving first is worth. independent: as `held`, were all matches taken as independent.
    """

    held: float
    least: float
    differences: float
    ranks: float
    first_move: float
    independent: float


def pairings(entries: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Who moves first and who second, int64 [pairings] each: all against all."""
    first, second = np.nonzero(1 - np.eye(entries))
    return first, second


def probabilities_of(regime: Regime, rng: np.random.Generator) -> Floats:
    """Of win, draw and loss in each opening that there is, float64 [POPULATION, pairings, 3]."""
    first, second = pairings(regime.entries)
    ratings = np.linspace(regime.apart / 2, -regime.apart / 2, regime.entries)
    seat = FIRST_MOVE + rng.normal(0, regime.seat, (POPULATION, 1))
    ratings = ratings + rng.normal(0, regime.entry, (POPULATION, regime.entries))
    # Davidson & Beaver's form of the model (1977): in strengths, not in logs
    odds = 10 ** ((ratings[:, first] - ratings[:, second] + seat) / 400)
    weights = np.stack(
        [odds**0.5, np.full(odds.shape, 10 ** (DRAWS[regime.draws] / 400)), odds**-0.5], axis=-1
    )
    probabilities: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return probabilities


def truth_of(regime: Regime, probabilities: Floats) -> Floats:
    """What the model comes to on average over all openings: float64 [entries + 2], in points."""
    counts = np.zeros((3, regime.entries, regime.entries))
    counts[:, *pairings(regime.entries)] = 1e6 * probabilities.mean(axis=0).T
    values: Floats = POINTS * Likelihood(counts, 1e-9).maximum()[0]
    return values


def results_of(probabilities: Floats, openings: int, entries: int, rng: np.random.Generator) -> Results:
    """A tournament of so many openings."""
    first, second = pairings(entries)
    drawn = probabilities[rng.integers(len(probabilities), size=openings)].cumsum(axis=-1)
    loss = (rng.random((*drawn.shape[:2], 1)) > drawn[..., :2]).sum(axis=-1)  # 0 win, 1 draw, 2 loss
    outcomes = np.eye(3, dtype=np.int64)[loss]
    totals = zip(first.tolist(), second.tolist(), *outcomes.sum(axis=0).T.tolist(), strict=True)
    of_opening = [
        np.repeat(np.arange(openings), len(first)),
        *(np.tile(p, openings) for p in (first, second)),
    ]
    rows = np.column_stack([*of_opening, outcomes.reshape(-1, 3)])
    return Results([str(i) for i in range(entries)], [*totals], lambda: iter(()), openings=lambda: rows)


def covered(regime: Regime, repetitions: int) -> Coverage:
    """How often intervals hold the truth, in so many tournaments."""
    n = regime.entries
    rng = np.random.default_rng([7, *regime[:5], sorted(DRAWS).index(regime.draws)])
    probabilities = probabilities_of(regime, rng)
    truth = truth_of(regime, probabilities)
    held, independent, differences, ranks, first_move = [], [], [], [], []
    for _ in range(repetitions):
        results = results_of(probabilities, regime.openings, n, rng)
        fit = MaximumLikelihood(mean=0).fit(results)
        held.append(holds(fit, truth[:n]))
        independent.append(holds(Fit(fit.likelihood, 0.0), truth[:n]))
        differences.append(within(fit.difference(0, 1), truth[0] - truth[1]))
        first_move.append(within(fit.first_move, truth[-2]))
        ranks.append(not wrong(fit.ranks(), truth[:n]))
    shares = np.mean(held, axis=0)
    alone = (differences, ranks, first_move, independent)
    return Coverage(float(shares.mean()), float(shares.min()), *(float(np.mean(one)) for one in alone))


def wrong(ranks: list[tuple[int, int]], truth: Floats) -> bool:
    """Whether any entry is said to be above one that is as good or better."""
    best, worst = np.array(ranks).T
    better_or_equal = truth[:, None] <= truth + 1e-6  # column than row
    return bool(((worst[:, None] < best) & better_or_equal).any())


def facts(regime: Regime) -> list[str]:
    """A regime's cells."""
    return [str(fact) for fact in regime]


def row_of(regime: Regime, repetitions: int) -> str:
    """A line of the table."""
    shares = [f"{100 * share:.1f} %" for share in covered(regime, repetitions)]
    return f"| {' | '.join([*facts(regime), *shares])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="tournaments of a regime")
    parser.add_argument("--entries", type=int, nargs="+", help="regimes of so many entries alone")
    parser.add_argument("--processes", type=int, help="at once; as many as there are processors")
    parser.add_argument("--write", action="store_true", help="put the table into docs/explanation/ratings.md")
    options = parser.parse_args()
    if options.write and (options.entries or options.repetitions < REPETITIONS):
        parser.error("--write puts down the whole: leave out --entries and --repetitions")
    regimes = [r for r in REGIMES if not options.entries or r.entries in options.entries]
    head = [f"| {' | '.join(COLUMNS)} |", "|" + " ---: |" * 5 + " --- |" + " ---: |" * 6]
    lines = table(head, row_of, regimes, options.repetitions, options.processes)
    if options.write:
        put(PAGE, "openings.py", lines)


if __name__ == "__main__":
    main()
