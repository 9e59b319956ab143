"""Means over seeds with their intervals, and what is to be said of differences between them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.ratings.statistics import wilson
from arena.ratings.student import cdf, quantile


class Share(NamedTuple):
    """A mean, with 95 % from `low` to `high`; of one seed these are the mean as well."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """`85.1 ± 0.6`, or `89.9` of one seed."""
        return f"{self.mean:.1f}" + (f" ± {self.high - self.mean:.1f}" if self.high > self.low else "")


def of_seeds(values: Sequence[float]) -> Share:
    """The mean over seeds, with its interval by Student's t."""
    mean, n = statistics.fmean(values), len(values)
    margin = 0.0
    if n > 1:
        margin = float(quantile(0.975, n - 1)) * statistics.stdev(values) / math.sqrt(n)
    return Share(mean, mean - margin, mean + margin)


def binomial(wins: int, matches: int) -> Share:
    """Per cent won, with its 95 % interval (Wilson 1927)."""
    low, high = wilson(wins / matches, matches)
    middle = 100 * wins / matches
    return Share(middle, 100 * low, 100 * high)


def p_value(differences: Sequence[float]) -> float:
    """Of a mean difference of 0, two-sided, by Student's t of the differences seed by seed."""
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    if error == 0:
        return 1.0 if statistics.fmean(differences) == 0 else 0.0
    t = abs(statistics.fmean(differences)) / error
    return 2 * float(cdf(-t, len(differences) - 1))


def holm(values: Mapping[str, float]) -> dict[str, float]:
    """P values of several comparisons, adjusted (Holm 1979)."""
    found, least = {}, 0.0
    for rank, (name, p) in enumerate(sorted(values.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, (len(values) - rank) * p))
        found[name] = least
    return found
