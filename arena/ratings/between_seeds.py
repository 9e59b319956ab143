"""How far the seeds of a learner are apart in strength, by the results of each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from arena.api.rating import CONFIDENCE, Spread
from arena.ratings.likelihood import Floats, Likelihood, derivatives
from arena.ratings.statistics import POINTS

if TYPE_CHECKING:
    from arena.api.rating import ByOpening

PRIOR = (POINTS / 1000) ** 2  # a seed that wins everything is about so far from the others
STEPS = 100
PRECISE = 1e-16
CLOSE = 1e-9  # in log odds


def ratings_of(likelihood: Likelihood, values: Floats, entry: int, rows: ByOpening) -> tuple[Floats, Floats]:
    """By how much each seed is above its learner, and the variance of that: float64 [seeds], in log odds.

    All other ratings are as they are. rows: as in `Results.seeds`.
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
        offsets += np.sign(step) * np.log1p(np.abs(step))  # shortened, so that it does not overshoot
        if np.abs(step).max() < CLOSE:
            break
    return offsets, 1 / information


def spread_between(likelihood: Likelihood, values: Floats, entry: int, rows: ByOpening) -> Spread:
    """The standard deviation between the seeds' true ratings.

    It is what the variance of their ratings has over that of their errors, with the interval that such a
    variance has of normal numbers, less the errors' (Hartung & Knapp 2005, in their first form).
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
    """The value that this share of sums of so many squares of normal numbers lies below."""
    low, high = 0.0, 1.0
    while below(high, freedom) < share:
        low, high = high, 2 * high
    while high - low > CLOSE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle, freedom) < share else (low, middle)
    return high


def below(x: float, freedom: float) -> float:
    """The probability of a sum of so many squares up to x > 0: the incomplete gamma function's series.

    Up to an x at which little is left.
    """
    a, z = freedom / 2, x / 2
    term = total = math.exp(a * math.log(z) - z - math.lgamma(a + 1))
    n = 0
    while term > total * PRECISE:
        n += 1
        term *= z / (a + n)
        total += term
    return total
