"""One test of a whole published curve against ours, and what difference it would have seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, variance
from typing import NamedTuple

UNSURE = 0.05  # the level of the test
POWER = 0.8  # the probability with which it sees the differences named


class Joint(NamedTuple):
    """The test that published points are each one more training of ours, and so many matches.

    statistic: the sum of squared deviations, each in its standard deviations. p: of a sum as large by chance.
    seen: the difference, in points of per cent and at all points alike, that it finds with probability
    `POWER`; alone: that which a test of a single point finds, on average.
    """

    points: int
    statistic: float
    p: float
    seen: float
    alone: float

    @property
    def compatible(self) -> bool:
        """Whether the test does not reject."""
        return self.p >= UNSURE


def joint(published: Mapping[int, float], ours: Mapping[int, Sequence[float]], matches: int) -> Joint:
    """Test a curve: per cent by number of games, of so many matches; ours with a value for each seed."""
    squares, weights = 0.0, []
    for games, value in published.items():
        seeds = ours[games]
        mean = fmean(seeds)
        spread = variance(seeds) * (1 + 1 / len(seeds)) + mean * (100 - mean) / matches
        squares += (value - mean) ** 2 / spread
        weights.append(1 / spread)
    least = noncentrality(len(weights))
    alone = math.sqrt(noncentrality(1) / fmean(weights))
    return Joint(len(weights), squares, beyond(squares, len(weights)), math.sqrt(least / sum(weights)), alone)


def beyond(x: float, freedom: int) -> float:
    """The probability that a chi-squared variable exceeds x."""
    half, odd = x / 2, freedom % 2
    total = math.erfc(math.sqrt(half)) if odd else math.exp(-half)
    term = math.exp(-half) * (math.sqrt(half) / math.gamma(1.5) if odd else half)
    for step in range(1, (freedom + 1) // 2):
        total += term
        term *= half / (step + (0.5 if odd else 1))
    return total


def noncentrality(freedom: int, power: float = POWER) -> float:
    """The noncentrality with which a chi-squared test rejects with this probability."""
    critical = halved(lambda x: beyond(x, freedom) > UNSURE, 1e3)

    def rejected(shift: float) -> float:
        """By the mixture of central variables, weighted as a Poisson variable is distributed."""
        weight, total = math.exp(-shift / 2), 0.0
        for step in range(200):
            total += weight * beyond(critical, freedom + 2 * step)
            weight *= shift / 2 / (step + 1)
        return total

    return halved(lambda shift: rejected(shift) < power, 100.0)


def halved(below: Callable[[float], bool], high: float) -> float:
    """Where a condition that holds from 0 on ends, by halving."""
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low
