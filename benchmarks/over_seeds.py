"""Measure how often `arena.compare` sees differences that are not there, and how often its intervals hold.

    python benchmarks/over_seeds.py [--repetitions N] [--processes N] [--write]

Two methods are trained with some seeds each, and play against an opponent or against each other. The strength
of a seed is drawn about that of its method, and that of an opening is drawn anew in each round of a seed. The
true difference is an integral over both. Each regime has its own random numbers, so its row is the same
however many regimes are run. `--write` puts the table into docs/how-to/compare-two-methods.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from page import show

from arena.ratings.comparison import UNSURE, paired
from arena.ratings.over_seeds import mean_of
from arena.ratings.statistics import POINTS

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "compare-two-methods.md"
REPETITIONS = 1000
APART = 60.0  # points that the better method is stronger
OPENINGS = 100.0  # standard deviation of openings in points
DRAWS = -100.0  # how common draws are, in points
ALIKE = 0.3  # correlation of two methods' seeds of one number
FAILING, FAILS = 0.2, -400.0  # share of the seeds that fail to learn, and what that costs in points
RESAMPLES = 500
NODES = 80  # of the quadrature

Floats = NDArray[np.float64]


class Regime(NamedTuple):
    """The conditions of simulated comparisons.

    Attributes:
        seeds: Number of seeds of each method.
        spread: Standard deviation of the strengths of seeds in points; None for seeds of which some fail.
        rounds: Number of rounds of a seed, of two matches each.
        each_other: Whether the methods play each other, and not against an opponent.
    """

    seeds: int
    spread: int | None
    rounds: int
    each_other: bool = False


SEEDS = (3, 5, 10, 20)
SPREADS = (10, 200, None)
REGIMES = [
    *(Regime(n, spread, 25, each) for spread in SPREADS for each in (False, True) for n in SEEDS),
    *(Regime(n, 200, 2) for n in SEEDS),
]
COLUMNS = [
    *("seeds", "spread", "rounds", "against", "false positives", "held", "width"),
    *("t: false positives", "t: held", "bootstrap: false positives", "bootstrap: held"),
]


def facts(regime: Regime) -> list[str]:
    """Return the cells that state a regime."""
    spread = "some fail" if regime.spread is None else str(regime.spread)
    return [
        str(regime.seeds),
        spread,
        str(regime.rounds),
        "each other" if regime.each_other else "an opponent",
    ]


def scores(points: Floats) -> Floats:
    """Return the expected score of a match at these differences in points, elementwise."""
    win, draw = outcomes(points)
    return win + draw / 2


def outcomes(points: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities of a win and of a draw (Davidson 1970), elementwise."""
    half = np.exp(points / POINTS / 2)
    tied = np.exp(DRAWS / POINTS)
    whole = half + tied + 1 / half
    return half / whole, tied / whole


def drawn(regime: Regime, shape: tuple[int, ...], random: np.random.Generator) -> Floats:
    """Return what seeds add to the strength of their method, in points."""
    if regime.spread is None:
        return np.where(random.random(shape) < FAILING, FAILS, 0.0)
    return random.normal(0, regime.spread, shape)


def seeds_of(regime: Regime, repetitions: int, random: np.random.Generator) -> Floats:
    """Return what seeds add to both methods, float64 [2, repetitions, seeds]; seeds of a number are alike."""
    own = drawn(regime, (2, repetitions, regime.seeds), random)
    if regime.spread is None:
        return own
    shared = drawn(regime, (repetitions, regime.seeds), random)
    return np.sqrt(1 - ALIKE) * own + np.sqrt(ALIKE) * shared


def values_of(regime: Regime, apart: float, repetitions: int, random: np.random.Generator) -> Floats:
    """Return the mean scores of two methods' seeds, float64 [2, repetitions, seeds]."""
    one, other = seeds_of(regime, repetitions, random)
    one = one + apart
    opening = random.normal(0, OPENINGS, (repetitions, regime.seeds, regime.rounds))
    if regime.each_other:
        means = np.zeros((repetitions, regime.seeds))
        for side in (1, -1):  # an opening favours either in turn
            means += played((one - other)[..., None] + side * opening, random).mean(axis=2) / 2
        return np.stack([means, 1 - means])
    return np.stack(
        [
            sum(played(method[..., None] + side * opening, random).mean(axis=2) for side in (1, -1)) / 2
            for method in (one, other)
        ]
    )


def played(points: Floats, random: np.random.Generator) -> Floats:
    """Return the scores of matches at these differences in points."""
    win, draw = outcomes(points)
    chance = random.random(points.shape)
    return np.where(chance < win, 1.0, np.where(chance < win + draw, 0.5, 0.0))


def truth_of(regime: Regime, apart: float) -> float:
    """Return the true difference of the two mean scores, by quadrature over seeds and openings."""
    at, weight = np.polynomial.hermite_e.hermegauss(NODES)
    weight = weight / weight.sum()

    def mean(centre: float, spread: float) -> float:
        return float(weight @ scores(centre + spread * at))

    if regime.spread is None:
        steps = [(0.0, 1 - FAILING), (FAILS, FAILING)]
        if regime.each_other:
            pairs = [(a - b, p * q) for a, p in steps for b, q in steps]
            return 2 * sum(share * mean(apart + points, OPENINGS) for points, share in pairs) - 1
        return sum(p * (mean(apart + a, OPENINGS) - mean(a, OPENINGS)) for a, p in steps)
    if regime.each_other:
        spread = np.hypot(regime.spread * np.sqrt(2 * (1 - ALIKE)), OPENINGS)
        return 2 * mean(apart, spread) - 1
    spread = np.hypot(regime.spread, OPENINGS)
    return mean(apart, spread) - mean(0.0, spread)


class Counted(NamedTuple):
    """How often a method of inference fails and holds, as shares from 0 to 1."""

    false: float
    held: float
    width: float


def measured(regime: Regime, repetitions: int, number: int) -> dict[str, Counted]:
    """Return the shares for each method of inference."""
    random = np.random.default_rng([2026, number])
    null = values_of(regime, 0.0, repetitions, random)
    apart = values_of(regime, APART, repetitions, random)
    truth = truth_of(regime, APART)
    pick = random.integers(regime.seeds, size=(RESAMPLES, regime.seeds))
    found = {name: [0, 0, 0.0] for name in ("compare", "t", "bootstrap")}
    for i in range(repetitions):
        for which, values in enumerate((null[:, i], apart[:, i])):
            differences = values[0] - values[1]
            mean = mean_of([differences], -1.0, 1.0)
            ends = np.quantile(differences[pick].mean(axis=1), [UNSURE / 2, 1 - UNSURE / 2])
            if which:
                found["compare"][1] += mean.low <= truth <= mean.high
                found["compare"][2] += mean.high - mean.low
                found["bootstrap"][1] += ends[0] <= truth <= ends[1]
                found["bootstrap"][2] += ends[1] - ends[0]
                found["t"][1] += paired([*(differences - truth)]) >= UNSURE
            else:
                found["compare"][0] += mean.p_value < UNSURE
                found["bootstrap"][0] += not ends[0] <= 0 <= ends[1]
                found["t"][0] += paired([*differences]) < UNSURE
    return {name: Counted(*(n / repetitions for n in counts)) for name, counts in found.items()}


def row(task: tuple[int, int]) -> list[str]:
    """Return the cells of a regime."""
    number, repetitions = task
    regime = REGIMES[number]
    found = measured(regime, repetitions, number)
    cells = facts(regime)
    for name, one in found.items():
        cells += [f"{100 * one.false:.1f} %", f"{100 * one.held:.1f} %"]
        if name == "compare":
            cells.append(f"{100 * one.width:.1f}")
    return cells


def table(repetitions: int, processes: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|{'|'.join(['---:'] * 3 + ['---'] + ['---:'] * 7)}|"
    tasks = [(number, repetitions) for number in range(len(REGIMES))]
    with ProcessPoolExecutor(processes) as pool:
        for cells in pool.map(row, tasks):
            yield f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    given = parser.parse_args()
    show(table(given.repetitions, given.processes), PAGE, "over_seeds.py", given.write)


if __name__ == "__main__":
    main()
