"""Estimate how much the seeds of a learner differ in strength, from the results of each seed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from arena.api.rating import CONFIDENCE, Spread
from arena.ratings.likelihood import Floats, Likelihood, derivatives
from arena.ratings.statistics import POINTS

if TYPE_CHECKING:
    from arena.api.rating import ByOpening

PRIOR = (POINTS / 1000) ** 2  # precision of a normal prior with a standard deviation of 1000 points
STEPS = 100
PRECISE = 1e-16  # size of the last term of a series, relative to the sum
CLOSE = 1e-9  # tolerance of differences in log odds, and relative tolerance of quantiles


def ratings_of(likelihood: Likelihood, values: Floats, entry: int, rows: ByOpening) -> tuple[Floats, Floats]:
    """Estimate the difference between the rating of each seed and that of its learner.

    All other parameters are fixed at `values`.

    Args:
        likelihood: Likelihood of all results.
        values: float64 [entries + 2]. The parameters at its maximum, in log odds.
        entry: Index of the learner.
        rows: The learner's results by seed, int64 [rows, 6], see `Results.seeds`.

    Returns:
        The differences and their variances, float64 [seeds] each, in log odds.
    """
    n = likelihood.entries
    numbers, seed = np.unique(rows[:, 0], return_inverse=True)
    counts = np.zeros((3, len(numbers), n, n))
    for k in range(3):
        np.add.at(counts[k], (seed, rows[:, 1], rows[:, 2]), rows[:, 3 + k])
    offsets = np.zeros(len(numbers))
    for _ in range(STEPS):
        here = np.repeat(values[None], len(numbers), axis=0)
        here[:, entry] += offsets
        found = derivatives(counts, here)
        information = found.information[:, entry, entry] + PRIOR
        step = (found.gradient[:, entry] - PRIOR * offsets) / information
        offsets += np.sign(step) * np.log1p(np.abs(step))  # shortened to prevent overshooting
        if np.abs(step).max() < CLOSE:
            break
    return offsets, 1 / information


def spread_between(likelihood: Likelihood, values: Floats, entry: int, rows: ByOpening) -> Spread:
    """Estimate the standard deviation of the true ratings of a learner's seeds.

    The variance is estimated as the variance of the estimated ratings minus the mean variance of their
    errors. Its interval is the chi-squared interval for the variance of normal deviates, with the error
    variance subtracted in the same way (the first form of Hartung & Knapp 2005).

    Args:
        likelihood: Likelihood of all results.
        values: float64 [entries + 2]. The parameters at its maximum, in log odds.
        entry: Index of the learner.
        rows: The learner's results by seed, int64 [rows, 6], see `Results.seeds`.

    Returns:
        The estimate and its interval in Elo points. With a single seed the estimate is 0 and the interval is
        from 0 to infinity.
    """
    offsets, variances = ratings_of(likelihood, values, entry, rows)
    freedom = len(offsets) - 1
    if freedom < 1:
        return Spread(0.0, 0.0, float("inf"))
    seen, errors = float(offsets.var(ddof=1)), float(variances.mean())
    unsure = (1 - CONFIDENCE) / 2
    low, high = (seen * freedom / chi_square(share, freedom) for share in (1 - unsure, unsure))
    return Spread(*(POINTS * max(variance - errors, 0.0) ** 0.5 for variance in (seen, low, high)))


def chi_square(share: float, freedom: int) -> float:
    """Return a quantile of the chi-squared distribution.

    Args:
        share: Probability of a value below the quantile, from 0 to 1.
        freedom: Degrees of freedom.
    """
    low, high = 0.0, 1.0
    while below(high, freedom) < share:
        low, high = high, 2 * high
    while high - low > CLOSE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle, freedom) < share else (low, middle)
    return high


def below(x: float, freedom: float) -> float:
    """Return the probability that a chi-squared variable is at most `x`.

    This is the regularized lower incomplete gamma function, computed as a series. Do not use it far in the
    upper tail: for a very large `x` the first term underflows to 0.

    Args:
        x: Above 0.
        freedom: Degrees of freedom, above 0.
    """
    a, z = freedom / 2, x / 2
    term = total = math.exp(a * math.log(z) - z - math.lgamma(a + 1))
    n = 0
    while term > total * PRECISE:
        n += 1
        term *= z / (a + n)
        total += term
    return total
