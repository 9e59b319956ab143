"""The generalised sequential probability ratio test between two entries, over pairs of matches.

A pair consists of two matches with the same opening and seats exchanged. Its score is 0, 1/4, 1/2, 3/4 or 1,
and *counts* are the numbers of pairs with each score. The test concerns the normalised difference: the
distance of the mean score from a half, in standard deviations of a match, converted to Elo points. The number
of pairs that a test needs then depends only on its bounds.

M. Van den Bergh, "Normalized Elo: practical" and "The generalized maximum likelihood ratio for the
expectation value of a distribution"; D. Siegmund, "Sequential Analysis" (1985), for the estimate after the
test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from arena.errors import ArenaError

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
SCALE = 800 / math.log(10)  # Elo points per standard deviation of a match
NONE_YET = 1e-3  # replaces a count of 0
CLOSE = 1e-10
MOST = 200  # maximum number of iterations; a few usually suffice
REFLECTIONS = 40  # number of reflection terms for two bounds; later terms are negligible
FARTHEST_BOUND = 150  # maximum bound in normalised Elo, up to which `likeliest` always converges
FARTHEST = 50  # search range about the middle of the bounds, in multiples of their distance
Counts = Sequence[float]


class Moments(NamedTuple):
    """Mean and standard deviation of the score of a pair.

    Attributes:
        mean: The mean, from 0 to 1.
        deviation: The standard deviation.
    """

    mean: float
    deviation: float

    @property
    def normalised(self) -> float:
        """The difference in normalised Elo."""
        return SCALE * (self.mean - 0.5) / (math.sqrt(2) * self.deviation)


def moments(counts: Counts) -> Moments:
    """Return the mean and the standard deviation of the scores of at least one pair."""
    shares = shares_of(counts)
    mean = math.fsum(p * a for a, p in zip(SCORES, shares, strict=True))
    variance = math.fsum(p * (a - mean) ** 2 for a, p in zip(SCORES, shares, strict=True))
    return Moments(mean, math.sqrt(variance))


def shares_of(counts: Counts) -> list[float]:
    """Return the share of each score, with 0 replaced by a small number."""
    seen = [count or NONE_YET for count in counts]
    return [count / math.fsum(seen) for count in seen]


def log_likelihood_ratio(counts: Counts, low: float, high: float) -> float:
    """Return the log likelihood of the counts at the difference `high`, minus that at `low`.

    Args:
        counts: Number of pairs with each score.
        low: The lower difference, in normalised Elo.
        high: Normalised difference in Elo.
    """
    shares = shares_of(counts)
    at_low, at_high = (likeliest(shares, elo) for elo in (low, high))
    pairs = math.fsum(count or NONE_YET for count in counts)
    return pairs * math.fsum(
        p * math.log(above / below) for p, above, below in zip(shares, at_high, at_low, strict=True)
    )


def likeliest(shares: Sequence[float], elo: float) -> list[float]:
    """Return the score probabilities with a given normalised difference that make the shares most likely.

    The constraint is mean - 1/2 = t deviation. It is linearised about the current mean and deviation and
    solved by `tilted`, repeatedly until the solution is stable.

    Args:
        shares: Observed share of each score.
        elo: The normalised difference.
    """
    t = math.sqrt(2) * elo / SCALE
    found = [1 / len(SCORES)] * len(SCORES)
    for _ in range(MOST):
        mean = math.fsum(p * a for a, p in zip(SCORES, found, strict=True))
        deviation = math.sqrt(math.fsum(p * (a - mean) ** 2 for a, p in zip(SCORES, found, strict=True)))
        gradient = [a - 0.5 - t * deviation * (1 + ((a - mean) / deviation) ** 2) / 2 for a in SCORES]
        before, found = found, tilted(shares, gradient)
        if max(abs(p - q) for p, q in zip(before, found, strict=True)) < CLOSE:
            break
    return found


def tilted(shares: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the probabilities under which `values` have a mean of 0 and the shares are most likely.

    They are shares / (1 + x values), with x between -1 / max(values) and -1 / min(values).

    Args:
        shares: Observed share of each score.
        values: A number for each score, some negative and some positive.
    """
    least, greatest = min(values), max(values)

    def excess(x: float) -> float:
        return math.fsum(p * value / (1 + x * value) for p, value in zip(shares, values, strict=True))

    x = root(excess, -1 / greatest, -1 / least)
    return [p / (1 + x * value) for p, value in zip(shares, values, strict=True)]


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Find the root of a decreasing function in the open interval from `low` to `high` by bisection."""
    for _ in range(MOST):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class Sprt:
    """A test of whether the normalised difference is `high` or `low`.

    Attributes:
        low: The lower difference, in normalised Elo.
        high: The higher difference, in normalised Elo.
        alpha: Probability of accepting `high` if `low` is true.
        beta: Probability of accepting `low` if `high` is true.

    Raises:
        ArenaError: If a parameter is out of range.
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -FARTHEST_BOUND <= self.low < self.high <= FARTHEST_BOUND:
            raise ArenaError(
                f"sprt {self.low:g},{self.high:g}: use LOW,HIGH with LOW below HIGH, "
                f"from -{FARTHEST_BOUND} to {FARTHEST_BOUND}"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ArenaError(f"{name} is {getattr(self, name):g}, but must lie between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which `low` and `high` are accepted (Wald 1945)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, counts: Counts) -> float:
        """Return the log likelihood ratio of the counts; 0 without pairs."""
        return log_likelihood_ratio(counts, self.low, self.high) if sum(counts) else 0.0

    def decision(self, counts: Counts) -> Literal["low", "high"] | None:
        """Return the hypothesis that the test accepts after these pairs, None if it continues."""
        ratio, (lower, upper) = self.ratio(counts), self.bounds
        if ratio >= upper:
            return "high"
        return "low" if ratio <= lower else None

    @property
    def variance(self) -> float:
        """The variance of a pair's contribution to the log likelihood ratio."""
        return 2 * ((self.high - self.low) / SCALE) ** 2

    def drift(self, elo: float) -> float:
        """Return a pair's mean contribution to the log likelihood ratio at a true normalised difference."""
        return 2 * (self.high - self.low) * (elo - (self.low + self.high) / 2) / SCALE**2

    def estimate(self, counts: Counts) -> tuple[float, float, float]:
        """Estimate the difference after the test has ended, with its 95 % interval, in normalised Elo.

        The observed difference is biased away from the middle, because the test ends when the difference
        happens to be large. The estimate is the true difference for which the test would end sooner, or at
        the other bound, with a probability of one half. It is median-unbiased, and the interval has exact
        coverage (Siegmund, chapter 3) to the extent that the log likelihood ratio is a Brownian motion.

        Args:
            counts: Number of pairs with each score.

        Returns:
            The estimate, and the lower and upper ends of the interval.

        Raises:
            ValueError: If the test has not ended.
        """
        ratio, (lower, upper) = self.ratio(counts), self.bounds
        ends_high = ratio >= upper
        if not ends_high and ratio > lower:
            raise ValueError("the test has not ended")
        bound, other = (upper, -lower) if ends_high else (-lower, upper)
        pairs = sum(counts) * bound / abs(ratio)  # estimated number of pairs at which the bound was crossed
        deviation, way = math.sqrt(self.variance), 1 if ends_high else -1

        def at(share: float) -> float:
            def excess(elo: float) -> float:
                sooner = left_by(pairs, bound, other, way * self.drift(elo), deviation)
                return share - (sooner if ends_high else 1 - sooner)

            middle, width = (self.low + self.high) / 2, FARTHEST * (self.high - self.low)
            return root(excess, middle - width, middle + width)

        return at(0.5), at(0.025), at(0.975)


def left_by(time: float, bound: float, other: float, drift: float, deviation: float) -> float:
    """Return the probability that Brownian motion from 0 hits `bound` by `time` and before `-other`.

    It is a sum over reflections at both bounds, each of which is a path with one bound (Borodin & Salminen,
    "Handbook of Brownian Motion", 3.0.6).

    Args:
        time: The time.
        bound: The upper bound, above 0.
        other: Distance of the lower bound from 0.
        drift: Mean change in a unit of time.
        deviation: Standard deviation of the change in a unit of time.
    """
    gamma, spread = drift / deviation**2, deviation * math.sqrt(2 * time)
    total = 0.0
    for n in range(REFLECTIONS):
        added = 0.0
        first = bound + 2 * n * (bound + other)
        for sign, height in ((1, first), (-1, first + 2 * other)):
            for way in (1, -1):  # terms in the direction of the drift, and against it
                exponent = gamma * (bound - way * height)
                added += sign * exp_erfc(exponent, (height - way * drift * time) / spread) / 2
        total += added
        if abs(added) < CLOSE * total:
            break
    return min(max(total, 0.0), 1.0)


def exp_erfc(exponent: float, x: float) -> float:
    """Return exp(exponent) erfc(x), even if one factor overflows or underflows."""
    if x < 20:
        return math.exp(exponent) * math.erfc(x) if exponent < 700 else math.inf
    return math.exp(exponent - x * x) / (x * math.sqrt(math.pi)) * (1 - 1 / (2 * x * x))
