"""Per cent with their intervals, over seeds and of matches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from arena.ratings.comparison import mean_of, predicted
from arena.ratings.statistics import wilson


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
    mean, half = mean_of(values)
    half = half if math.isfinite(half) else 0.0
    return Share(mean, mean - half, mean + half)


def one_more(values: Sequence[float], matches: int) -> tuple[float, float]:
    """What one more seed may come to in so many matches, with 95 %; values: one a seed."""
    mean = fmean(values)
    low, high = predicted(values, mean * (100 - mean) / matches)
    return max(low, 0.0), min(high, 100.0)


def binomial(wins: int, matches: int) -> Share:
    """Per cent won, with its 95 % interval (Wilson 1927)."""
    low, high = wilson(wins / matches, matches)
    middle = 100 * wins / matches
    return Share(middle, 100 * low, 100 * high)
