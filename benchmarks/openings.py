"""Measure the coverage of 95 % intervals of ratings if matches begin with openings.

    python benchmarks/openings.py [--repetitions N] [--entries N…] [--processes N] [--write | --missing]

An opening favours a seat, and some entries more than others, by random numbers of points. It is played from
both seats, by one pairing or by all. True ratings are those that the model would find in infinitely many
openings. Ranges of ranks are compared with those of an oracle that knows the covariance of the ratings. Each
regime has its own seed, so its row is the same however many regimes are run. `--write` puts the table into
benchmarks/openings.md; `--missing` adds the rows that are not there yet, each when it is done.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from page import parts, put
from truth import Floats, holds, table, within

from arena.api.rating import Results
from arena.ratings.likelihood import Likelihood
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.statistics import POINTS
from arena.ratings.student import quantile

PAGE = Path(__file__).with_suffix(".md")
REPETITIONS = 200
MANY = 2000  # repetitions of the hardest regimes
DRAWS = {"rare": -600, "some": -100, "common": 300}  # in Elo points
POPULATION = 5000  # different openings, of which each round has one
FIRST_MOVE = 30.0  # points, on average over openings


class Regime(NamedTuple):
    """The conditions of simulated tournaments.

    Attributes:
        entries: Number of entries, with true ratings that span `apart` points.
        rounds: Number of rounds, each with an opening.
        seat: Standard deviation in points of what an opening is worth to who moves first.
        entry: The same for each entry.
        apart: Points between the best and the worst entry.
        draws: How common draws are, see `DRAWS`.
        shared: Whether all pairings have the same opening in a round.
        one: Standard deviation in points of what an opening is worth to the first entry alone.
    """

    entries: int
    rounds: int
    seat: int = 0
    entry: int = 0
    apart: int = 400
    draws: str = "some"
    shared: bool = False
    one: int = 0


NONE, WEAK, STRONG = (0, 0), (150, 75), (600, 300)
HARDEST = [  # few clusters, rare results, one entry that alone depends on openings
    Regime(2, 20, *NONE, 600),
    Regime(2, 20, *STRONG, 0, "rare", True),
    Regime(5, 6, *STRONG, 400, "some", True),
    Regime(5, 20, *NONE, 400, "some", True, 500),
    Regime(12, 6, *STRONG, 1200, "common", True),
    Regime(12, 20, *NONE, 400, "some", True, 500),
]
ALL = [
    *HARDEST,
    *(
        Regime(n, rounds, *how, apart, "some", shared)
        for apart in (400, 0)
        for n in (2, 5, 12, 30)
        for rounds in (3, 6, 20, 100)
        for how in (NONE, WEAK, STRONG)
        for shared in (False, True)
    ),
    Regime(12, 20, *STRONG, 1200, "common"),
    Regime(12, 20, *WEAK, 1200, "rare"),
    Regime(12, 20, *WEAK, 1200, "rare", True),
]
REGIMES = [*dict.fromkeys(ALL)]  # one of the hardest is in the grid, too
COLUMNS = [
    *("entries", "rounds", "by seat", "by entry", "apart", "draws", "openings", "one entry"),
    *("held", "least", "half width", "differences", "ranks", "ranges", "first move"),
]
HEAD = [f"| {' | '.join(COLUMNS)} |", "|" + " ---: |" * 5 + " --- | --- |" + " ---: |" * 8]


class Coverage(NamedTuple):
    """Shares from 0 to 1, and widths.

    Attributes:
        held: Share of intervals that hold the truth.
        least: The same of the entry with the fewest.
        half_width: Mean half width of intervals over 1.96 standard deviations of the ratings.
        differences: Share of intervals of the first two entries' difference that hold the truth.
        ranks: Share of tables in which no range of ranks is wrong.
        ranges: Mean width of ranges of ranks over that of the oracle's.
        first_move: Share of intervals of the first-move advantage that hold the truth.
    """

    held: float
    least: float
    half_width: float
    differences: float
    ranks: float
    ranges: float
    first_move: float


def pairings(entries: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the second entry of each pairing, all against all, int64 [pairings] each."""
    first, second = np.nonzero(1 - np.eye(entries))
    return first, second


def probabilities_of(regime: Regime, rng: np.random.Generator) -> Floats:
    """Return probabilities of win, draw and loss in each opening, float64 [POPULATION, pairings, 3]."""
    first, second = pairings(regime.entries)
    ratings = np.linspace(regime.apart / 2, -regime.apart / 2, regime.entries)
    seat = FIRST_MOVE + rng.normal(0, regime.seat, (POPULATION, 1))
    ratings = ratings + rng.normal(0, regime.entry, (POPULATION, regime.entries))
    ratings[:, 0] += rng.normal(0, regime.one, POPULATION)
    # Davidson & Beaver's form of the model (1977): in strengths, not in logs
    odds = 10 ** ((ratings[:, first] - ratings[:, second] + seat) / 400)
    weights = np.stack(
        [odds**0.5, np.full(odds.shape, 10 ** (DRAWS[regime.draws] / 400)), odds**-0.5], axis=-1
    )
    probabilities: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return probabilities


def truth_of(regime: Regime, probabilities: Floats) -> Floats:
    """Return the parameters that fit the mean over all openings, float64 [entries + 2], in points."""
    counts = np.zeros((3, regime.entries, regime.entries))
    counts[:, *pairings(regime.entries)] = 1e6 * probabilities.mean(axis=0).T
    values: Floats = POINTS * Likelihood(counts, 1e-9).maximum()[0]
    return values


def results_of(regime: Regime, probabilities: Floats, rng: np.random.Generator) -> Results:
    """Return the results of a tournament."""
    n, rounds = regime.entries, regime.rounds
    first, second = pairings(n)
    pairing = np.unique(np.minimum(first, second) * n + np.maximum(first, second), return_inverse=True)[1]
    own = np.zeros_like(pairing) if regime.shared else pairing
    drawn = rng.integers(len(probabilities), size=(rounds, int(own.max()) + 1))[:, own]
    shares = probabilities[drawn, np.arange(len(first))].cumsum(axis=-1)
    loss = (rng.random((*drawn.shape, 1)) > shares[..., :2]).sum(axis=-1)  # 0 win, 1 draw, 2 loss
    outcomes = np.eye(3, dtype=np.int64)[loss]
    totals = zip(first.tolist(), second.tolist(), *outcomes.sum(axis=0).T.tolist(), strict=True)
    opening = np.arange(rounds)[:, None] * (int(own.max()) + 1) + own
    seats = (np.tile(seat, rounds) for seat in (first, second))
    rows = np.column_stack([opening.ravel(), *seats, outcomes.reshape(-1, 3)])
    return Results([str(i) for i in range(n)], [*totals], lambda: iter(()), openings=lambda: rows)


def covered(regime: Regime, repetitions: int) -> Coverage:
    """Return the coverage of intervals over a number of tournaments."""
    n = regime.entries
    *numbers, draws, shared, one = regime
    rng = np.random.default_rng([7, *numbers, sorted(DRAWS).index(draws), shared, one])
    probabilities = probabilities_of(regime, rng)
    truth = truth_of(regime, probabilities)
    held, halves, differences, ranks, first_move, values, widths = [], [], [], [], [], [], []
    for _ in range(repetitions):
        fit = MaximumLikelihood(mean=0).fit(results_of(regime, probabilities, rng))
        held.append(holds(fit, truth[:n]))
        halves += [(one.high - one.low) / 2 for one in fit.ratings if None not in one]  # type: ignore[operator]
        differences.append(within(fit.difference(0, 1), truth[0] - truth[1]))
        first_move.append(within(fit.first_move, truth[-2]))
        ranges = fit.ranks()
        ranks.append(not wrong(ranges, truth[:n]))
        widths.append(np.mean([worst - best + 1 for best, worst in ranges]))
        values.append(fit.values[:n])
    shares, covariance = np.mean(held, axis=0), np.cov(np.array(values).T)
    return Coverage(
        float(shares.mean()),
        float(shares.min()),
        float(np.mean(halves or [np.nan]) / (1.96 * np.sqrt(np.diag(covariance)).mean())),
        float(np.mean(differences)),
        float(np.mean(ranks)),
        float(np.mean(widths) / np.mean([oracle_width(each, covariance) for each in values])),
        float(np.mean(first_move)),
    )


def oracle_width(values: Floats, covariance: Floats) -> float:
    """Return the mean width of ranges of ranks if the covariance is known."""
    n = len(values)
    own = np.diag(covariance)
    errors = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 1e-9))
    unsure = 1 - 0.95 ** (1 / (n * (n - 1) // 2))
    above = (values[:, None] - values) / errors > quantile(1 - unsure / 2, np.inf)
    return float(n - 2 * above.sum() / n)


def wrong(ranks: list[tuple[int, int]], truth: Floats) -> bool:
    """Return whether any range of ranks puts an entry above one that is as good or better."""
    best, worst = np.array(ranks).T
    better_or_equal = truth[:, None] <= truth + 1e-6  # column than row
    return bool(((worst[:, None] < best) & better_or_equal).any())


def facts(regime: Regime) -> tuple[str, ...]:
    """Return the cells that describe a regime."""
    *cells, shared, one = regime
    return *map(str, cells), "shared" if shared else "own", str(one)


def row_of(regime: Regime, repetitions: int) -> str:
    """Return a line of the table."""
    found = covered(regime, max(repetitions, MANY) if regime in HARDEST and repetitions > 1 else repetitions)
    ratios = {"half_width", "ranges"}
    cells = [
        f"{value:.2f}" if name in ratios else f"{100 * value:.1f} %"
        for name, value in found._asdict().items()
    ]
    return f"| {' | '.join([*facts(regime), *cells])} |"


def known() -> dict[tuple[str, ...], str]:
    """Return the rows in benchmarks/openings.md, by the cells that describe their regimes."""
    _, rows, _ = parts(PAGE, "openings.py")
    return {tuple(row.strip("| ").split(" | ")[:8]): row for row in rows.splitlines()[2:]}


def add_missing(repetitions: int, processes: int | None) -> None:
    """Add rows to benchmarks/openings.md, each when it is done."""
    rows = known()
    lacking = [regime for regime in REGIMES if facts(regime) not in rows]
    with ProcessPoolExecutor(processes) as pool:
        found = pool.map(row_of, lacking, [repetitions] * len(lacking))
        for regime, row in zip(lacking, found, strict=True):
            rows[facts(regime)] = row
            put(PAGE, "openings.py", [*HEAD, *(rows[facts(one)] for one in REGIMES if facts(one) in rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="tournaments of a regime")
    parser.add_argument("--entries", type=int, nargs="+", help="regimes of so many entries alone")
    parser.add_argument("--processes", type=int, help="at once; as many as there are processors")
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/openings.md")
    parser.add_argument("--missing", action="store_true", help="add the rows that it has not yet")
    options = parser.parse_args()
    if (options.write or options.missing) and (options.entries or options.repetitions < REPETITIONS):
        parser.error("--write and --missing put down the whole: leave out --entries and --repetitions")
    if options.missing:
        add_missing(options.repetitions, options.processes)
        return
    regimes = [r for r in REGIMES if not options.entries or r.entries in options.entries]
    lines = table(HEAD, row_of, regimes, options.repetitions, options.processes)
    if options.write:
        put(PAGE, "openings.py", lines)


if __name__ == "__main__":
    main()
