"""Means over training seeds, and the probability that two of them differ by chance alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from arena.ratings import student

UNSURE = 0.05  # of intervals: how often the mean lies outside


class Mean(NamedTuple):
    """A mean and half of its 95 % interval, infinite of a single value.

    As text `97.6 ± 0.7`, by the format of a number: `f"{mean:+.1f}"`; without an interval the mean alone.
    """

    value: float
    half: float

    def __format__(self, form: str) -> str:
        told = format(self.value, form)
        return f"{told} ± {format(self.half, form.lstrip('+'))}" if 0 < self.half < math.inf else told


def mean_of(values: Sequence[float]) -> Mean:
    """The mean of one value a seed, with the interval of Student's t."""
    n = len(values)
    if n < 2:
        return Mean(fmean(values), math.inf)
    return Mean(fmean(values), float(student.quantile(1 - UNSURE / 2, n - 1)) * stdev(values) / math.sqrt(n))


def predicted(values: Sequence[float], noise: float = 0.0) -> tuple[float, float]:
    """Where one more seed would be with 95 %, from two values or more, one a seed (Student's t).

    noise: the variance with which it would be measured, beyond that of these values.
    """
    n, middle = len(values), fmean(values)
    error = math.sqrt(stdev(values) ** 2 * (1 + 1 / n) + noise)
    half = float(student.quantile(1 - UNSURE / 2, n - 1)) * error
    return middle - half, middle + half


def paired(differences: Sequence[float]) -> float:
    """The probability of a mean as far from 0, were there no difference: the paired t-test, two-sided.

    differences: seed by seed, of two seeds at least.
    """
    n = len(differences)
    return two_sided(fmean(differences), stdev(differences) / math.sqrt(n), n - 1)


def welch(one: Sequence[float], other: Sequence[float]) -> float:
    """The probability of means as far apart, were there no difference (Welch 1947), two-sided.

    Of two samples that do not belong together seed by seed, of two seeds at least each.
    """
    parts = [stdev(sample) ** 2 / len(sample) for sample in (one, other)]
    both, freedom = math.fsum(parts), math.inf
    if both:
        freedom = both**2 / math.fsum(
            part**2 / (len(sample) - 1) for part, sample in zip(parts, (one, other), strict=True)
        )
    return two_sided(fmean(one) - fmean(other), math.sqrt(both), freedom)


def two_sided(difference: float, error: float, freedom: float = math.inf) -> float:
    """The probability of a difference as far from 0, by its standard error and the freedom of that."""
    if not error:
        return 0.0 if difference else 1.0
    return 2 * float(student.cdf(-abs(difference) / error, freedom))


def holm(chances: Sequence[float]) -> list[float]:
    """Probabilities of a family of tests, adjusted for their number (Holm 1979).

    To call those below 5 % different errs, in whatever it may be, one time in twenty.
    """
    adjusted, least = [0.0] * len(chances), 0.0
    for rank, i in enumerate(sorted(range(len(chances)), key=lambda i: chances[i])):
        least = max(least, min(1.0, (len(chances) - rank) * chances[i]))
        adjusted[i] = least
    return adjusted
