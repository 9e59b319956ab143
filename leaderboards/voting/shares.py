"""Per cent with their intervals, over seeds and of matches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from arena.ratings.comparison import mean_of, predicted
from arena.ratings.statistics import wilson


class Share(NamedTuple):
    """A mean over seeds, with 95 % from `low` to `high`; of one seed these are the mean as well."""

    mean: float
    low: float
    high: float
    values: Sequence[float] = ()

    def __str__(self) -> str:
        """`85.1 ± 0.6`, or `89.9` of one seed.

        Where that would leave 0 to 100, the range of seeds: `80.0 (0.0 to 100.0; 8 of 10 have 100)`.
        """
        text = f"{self.mean:.1f}"
        if self.low == self.high:
            return text
        if self.low >= 0 and self.high <= 100:
            return f"{text} ± {self.high - self.mean:.1f}"
        at, end = max((sum(abs(value - end) < 1e-9 for value in self.values), end) for end in (0, 100))
        count = f"; {at} of {len(self.values)} have {end}" if 2 * at >= len(self.values) else ""
        return f"{text} ({min(self.values):.1f} to {max(self.values):.1f}{count})"


def of_seeds(values: Sequence[float]) -> Share:
    """The mean over seeds, with its interval by Student's t."""
    mean, half = mean_of(values)
    half = half if math.isfinite(half) else 0.0
    return Share(mean, mean - half, mean + half, values)


def one_more(values: Sequence[float], matches: int) -> tuple[float, float]:
    """What one more seed would give in so many matches, with 95 %; values: one a seed."""
    mean = fmean(values)
    low, high = predicted(values, mean * (100 - mean) / matches)
    return max(low, 0.0), min(high, 100.0)


def binomial(wins: int, matches: int) -> Share:
    """Per cent won, with its 95 % interval (Wilson 1927)."""
    low, high = wilson(wins / matches, matches)
    middle = 100 * wins / matches
    return Share(middle, 100 * low, 100 * high)
