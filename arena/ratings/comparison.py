"""Means over training seeds, and significance tests of their differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from arena.ratings import student

UNSURE = 0.05  # probability that an interval does not contain the mean


class Mean(NamedTuple):
    """A mean with its 95 % interval.

    It is formatted as `97.6 ± 0.7` and accepts the format specs of floats, as in `f"{mean:+.1f}"`. If the
    interval is infinite or empty, only the mean is shown.

    Attributes:
        value: The mean.
        half: Half of the width of the 95 % interval; infinite for a single value.
    """

    value: float
    half: float

    def __format__(self, form: str) -> str:
        told = format(self.value, form)
        return f"{told} ± {format(self.half, form.lstrip('+'))}" if 0 < self.half < math.inf else told


def mean_of(values: Sequence[float]) -> Mean:
    """Return the mean of one value per seed, with its Student's t interval."""
    n = len(values)
    if n < 2:
        return Mean(fmean(values), math.inf)
    return Mean(fmean(values), float(student.quantile(1 - UNSURE / 2, n - 1)) * stdev(values) / math.sqrt(n))


def predicted(values: Sequence[float], noise: float = 0.0) -> tuple[float, float]:
    """Return the 95 % prediction interval, by Student's t, for the value of another seed.

    Args:
        values: One value per seed, for at least two seeds.
        noise: Variance of the error with which the new value is measured, beyond that of `values`.

    Returns:
        The lower and the upper end.
    """
    n, middle = len(values), fmean(values)
    error = math.sqrt(stdev(values) ** 2 * (1 + 1 / n) + noise)
    half = float(student.quantile(1 - UNSURE / 2, n - 1)) * error
    return middle - half, middle + half


def paired(differences: Sequence[float]) -> float:
    """Return the p-value of the two-sided paired t-test that the mean difference is 0.

    Args:
        differences: One difference per seed, for at least two seeds.
    """
    n = len(differences)
    return two_sided(fmean(differences), stdev(differences) / math.sqrt(n), n - 1)


def welch(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the p-value of the two-sided test that two means are equal (Welch 1947).

    The samples are independent, not paired by seed.

    Args:
        one: One value per seed, for at least two seeds.
        other: One value per seed for the other sample.
    """
    parts = [stdev(sample) ** 2 / len(sample) for sample in (one, other)]
    both, freedom = math.fsum(parts), math.inf
    if both:
        freedom = both**2 / math.fsum(
            part**2 / (len(sample) - 1) for part, sample in zip(parts, (one, other), strict=True)
        )
    return two_sided(fmean(one) - fmean(other), math.sqrt(both), freedom)


def two_sided(difference: float, error: float, freedom: float = math.inf) -> float:
    """Return the p-value of a two-sided t-test that a difference is 0.

    Args:
        difference: The estimate.
        error: Its standard error. If it is 0, the result is 1 if `difference` is 0, and otherwise 0.
        freedom: Degrees of freedom of the standard error.
    """
    if not error:
        return 0.0 if difference else 1.0
    return 2 * float(student.cdf(-abs(difference) / error, freedom))


def holm(chances: Sequence[float]) -> list[float]:
    """Return the p-values of a family of tests, adjusted for multiple testing (Holm 1979).

    If p-values below 5 % are called significant, the family-wise error rate is at most 5 %.

    Args:
        chances: The p-values of the tests.
    """
    adjusted, least = [0.0] * len(chances), 0.0
    for rank, i in enumerate(sorted(range(len(chances)), key=lambda i: chances[i])):
        least = max(least, min(1.0, (len(chances) - rank) * chances[i]))
        adjusted[i] = least
    return adjusted
