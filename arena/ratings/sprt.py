"""The generalised sequential probability ratio test between two entries, over pairs of matches.

A pair is two matches of one opening, a seat each. Its score is 0, 1/4, 1/2, 3/4 or 1, and *counts* are how
many pairs have had each. What is tested is the normalised difference: how far the mean score is from a
half, in standard deviations of a match, as Elo points. How many pairs a test takes then depends on its
bounds alone.

M. Van den Bergh, "Normalized Elo: practical" and "The generalized maximum likelihood ratio for the
expectation value of a distribution"; D. Siegmund, "Sequential Analysis" (1985), for the estimate afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from arena.errors import ArenaError

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
SCALE = 800 / math.log(10)  # points to a standard deviation of a match
NONE_YET = 1e-3  # stands for a count of 0
CLOSE = 1e-10
MOST = 200  # steps of an iteration that comes close in a few
REFLECTIONS = 40  # of a path between two bounds, of which the later ones hardly count
FARTHEST_BOUND = 150  # normalised Elo, up to which `likeliest` comes close from anywhere
FARTHEST = 50  # from the middle of its bounds that a difference is looked for, in distances between these
Counts = Sequence[float]


class Moments(NamedTuple):
    """Of a pair's score. deviation: its standard deviation."""

    mean: float
    deviation: float

    @property
    def normalised(self) -> float:
        """The difference in normalised Elo."""
        return SCALE * (self.mean - 0.5) / (math.sqrt(2) * self.deviation)


def moments(counts: Counts) -> Moments:
    """Of so many pairs, at least one."""
    shares = shares_of(counts)
    mean = math.fsum(p * a for a, p in zip(SCORES, shares, strict=True))
    variance = math.fsum(p * (a - mean) ** 2 for a, p in zip(SCORES, shares, strict=True))
    return Moments(mean, math.sqrt(variance))


def shares_of(counts: Counts) -> list[float]:
    """Of each score, none of them 0."""
    seen = [count or NONE_YET for count in counts]
    return [count / math.fsum(seen) for count in seen]


def log_likelihood_ratio(counts: Counts, low: float, high: float) -> float:
    """The log of how much likelier counts are if the normalised difference is `high` than if it is `low`."""
    shares = shares_of(counts)
    at_low, at_high = (likeliest(shares, elo) for elo in (low, high))
    pairs = math.fsum(count or NONE_YET for count in counts)
    return pairs * math.fsum(
        p * math.log(above / below) for p, above, below in zip(shares, at_high, at_low, strict=True)
    )


def likeliest(shares: Sequence[float], elo: float) -> list[float]:
    """The probabilities of scores with this normalised difference under which shares are the likeliest.

    They are such that mean - 1/2 = t deviation. Linear in the probabilities near a mean and a deviation, this
    has the solution of `tilted`; it is taken again near that solution until nothing changes.
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
    """The probabilities under which values have a mean of 0 and shares are the likeliest.

    They are shares / (1 + x values), x being between the reciprocals of the least and greatest value.
    """
    least, greatest = min(values), max(values)

    def excess(x: float) -> float:
        return math.fsum(p * value / (1 + x * value) for p, value in zip(shares, values, strict=True))

    x = root(excess, -1 / greatest, -1 / least)
    return [p / (1 + x * value) for p, value in zip(shares, values, strict=True)]


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls from low to high is 0, the ends excluded, by halving."""
    for _ in range(MOST):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class Sprt:
    """A test whether the normalised difference is `high` rather than `low`.

    alpha: the probability to accept `high` where `low` is so, beta: to accept `low` where `high` is so.
    ArenaError for what is no test.
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -FARTHEST_BOUND <= self.low < self.high <= FARTHEST_BOUND:
            raise ArenaError(
                f"sprt {self.low:g},{self.high:g}: give LOW,HIGH, LOW below HIGH, "
                f"from -{FARTHEST_BOUND} to {FARTHEST_BOUND}"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ArenaError(f"{name} is {getattr(self, name):g}, and must lie between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Of the log likelihood ratio (Wald 1945): `low` is accepted at the one, `high` at the other."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, counts: Counts) -> float:
        """The log likelihood ratio of so many pairs."""
        return log_likelihood_ratio(counts, self.low, self.high) if sum(counts) else 0.0

    def decision(self, counts: Counts) -> Literal["low", "high"] | None:
        """What is accepted after these pairs, None while that is open."""
        ratio, (lower, upper) = self.ratio(counts), self.bounds
        if ratio >= upper:
            return "high"
        return "low" if ratio <= lower else None

    @property
    def variance(self) -> float:
        """Of what a pair adds to the log likelihood ratio."""
        return 2 * ((self.high - self.low) / SCALE) ** 2

    def drift(self, elo: float) -> float:
        """What a pair adds to the log likelihood ratio on average."""
        return 2 * (self.high - self.low) * (elo - (self.low + self.high) / 2) / SCALE**2

    def estimate(self, counts: Counts) -> tuple[float, float, float]:
        """The difference once the test has ended with these counts, and its 95 % interval, in normalised Elo.

        The difference so far would be too far out, for the test ends where it happens to be so. This is the
        one with which the test ends sooner, or at the other bound, as often as not: a median without bias,
        and an interval that holds the truth as often as it says (Siegmund, chapter 3).
        """
        ratio, (lower, upper) = self.ratio(counts), self.bounds
        ends_high = ratio >= upper
        if not ends_high and ratio > lower:
            raise ValueError("the test has not ended")
        bound, other = (upper, -lower) if ends_high else (-lower, upper)
        pairs = sum(counts) * bound / abs(ratio)  # when it was at the bound that it has passed
        deviation, way = math.sqrt(self.variance), 1 if ends_high else -1

        def at(share: float) -> float:
            def excess(elo: float) -> float:
                sooner = left_by(pairs, bound, other, way * self.drift(elo), deviation)
                return share - (sooner if ends_high else 1 - sooner)

            middle, width = (self.low + self.high) / 2, FARTHEST * (self.high - self.low)
            return root(excess, middle - width, middle + width)

        return at(0.5), at(0.025), at(0.975)


def left_by(time: float, bound: float, other: float, drift: float, deviation: float) -> float:
    """The probability that a Brownian motion from 0 has reached `bound` by a time, and `-other` not before.

    drift, deviation: of a unit of time. By reflections at either bound, each of which has a path of one
    bound alone (Borodin & Salminen, "Handbook of Brownian Motion", 3.0.6).
    """
    gamma, spread = drift / deviation**2, deviation * math.sqrt(2 * time)
    total = 0.0
    for n in range(REFLECTIONS):
        added = 0.0
        first = bound + 2 * n * (bound + other)
        for sign, height in ((1, first), (-1, first + 2 * other)):
            for way in (1, -1):  # with the drift, and against it
                exponent = gamma * (bound - way * height)
                added += sign * exp_erfc(exponent, (height - way * drift * time) / spread) / 2
        total += added
        if abs(added) < CLOSE * total:
            break
    return min(max(total, 0.0), 1.0)


def exp_erfc(exponent: float, x: float) -> float:
    """exp(exponent) erfc(x), where either alone may be too large or too small for a float."""
    if x < 20:
        return math.exp(exponent) * math.erfc(x) if exponent < 700 else math.inf
    return math.exp(exponent - x * x) / (x * math.sqrt(math.pi)) * (1 - 1 / (2 * x * x))
