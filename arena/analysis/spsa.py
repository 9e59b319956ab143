"""Simultaneous perturbation stochastic approximation on the score of matches.

J. C. Spall, "Multivariate Stochastic Approximation Using a Simultaneous Perturbation Gradient Approximation"
(1992), with the gains of his "Implementation of the Simultaneous Perturbation Algorithm" (1998). The result
is the mean of the later half of all points (Polyak & Juditsky 1992).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from arena.rng import Rng, derive

PAIRS = 16  # number of pairs of matches in an iteration
ALPHA, GAMMA = 0.602, 0.101  # exponents by which steps and perturbations shrink (Spall 1998)
STABILITY = 0.1  # as a fraction of all iterations; keeps the first steps small (Spall 1998)
PERTURBATION = 0.2  # first perturbation as a fraction of the range
STEP = 0.02  # first step as a fraction of the range, for a score one standard deviation away from a half
DEVIATION = 0.35  # standard deviation of a match's score
DIGITS = 3  # number of digits of the range to which values are rounded


@dataclass(frozen=True)
class Parameter:
    """A number to tune.

    Attributes:
        name: Its name.
        low: Smallest value.
        high: Largest value.
        start: Value at which the search begins.
        whole: Whether it is an integer.
    """

    name: str
    low: float
    high: float
    start: float
    whole: bool = False

    @property
    def width(self) -> float:
        """The width of the range."""
        return self.high - self.low

    @property
    def start_share(self) -> float:
        """The start value as a fraction of the range, from 0 at `low` to 1 at `high`."""
        return min(max((self.start - self.low) / self.width, 0.0), 1.0)

    def value(self, share: float, dither: float = 0.5) -> float:
        """Return the value at a fraction of the range, rounded to three digits of the range or to an integer.

        Args:
            share: From 0 at `low` to 1 at `high`.
            dither: From 0 to 1, added before an integer is rounded down; 1/2 rounds to the nearest.
        """
        at = self.low + share * self.width
        if self.whole:
            return int(min(max(math.floor(at + dither), self.low), self.high))
        found = round(at, DIGITS - math.floor(math.log10(self.width)))
        return min(max(found, self.low), self.high)


class Spsa:
    """A search for the best values, by the scores of matches between two points near the current one.

    The results depend only on the scores and the seed.

    Args:
        parameters: The parameters to tune.
        iterations: Number of iterations for which the gains are chosen; the actual number may differ.
        seed: Seed of the perturbations.

    Attributes:
        points: Points as fractions of the ranges: the start, and one for each iteration done.
    """

    def __init__(self, parameters: Sequence[Parameter], iterations: int, seed: int) -> None:
        self.parameters, self.seed = parameters, seed
        self.stability = STABILITY * iterations
        self.points = [[one.start_share for one in parameters]]

    @property
    def done(self) -> int:
        """The number of iterations done."""
        return len(self.points) - 1

    def perturbation(self, parameter: Parameter) -> float:
        """Return this iteration's perturbation as a fraction of the range; at least 1/2 for integers."""
        now: float = PERTURBATION / (self.done + 1) ** GAMMA
        return max(now, 0.5 / parameter.width) if parameter.whole else now

    def signs(self) -> list[int]:
        """Return the signs of this iteration's perturbations, 1 or -1 with equal probability."""
        rng = Rng(derive(self.seed, self.done))
        return [1 if rng.below(2) else -1 for _ in self.parameters]

    def two(self) -> tuple[list[float], list[float]]:
        """Return the values of the two points that play each other in this iteration."""
        rng = Rng(derive(self.seed, self.done, 1))
        above, below = list[float](), list[float]()
        for one, at, sign in zip(self.parameters, self.points[-1], self.signs(), strict=True):
            moved, dither = sign * self.perturbation(one), (rng.below(1 << 20) + 0.5) / (1 << 20)
            for found, share in ((above, at + moved), (below, at - moved)):
                found.append(one.value(min(max(share, 0.0), 1.0), dither))
        return above, below

    def take(self, score: float) -> None:
        """Finish the iteration, given the score from 0 to 1 of the first point."""
        gain = STEP * PERTURBATION / (2 * DEVIATION / math.sqrt(2 * PAIRS))
        gain *= ((self.stability + 1) / (self.stability + 1 + self.done)) ** ALPHA
        after = [
            min(max(at + gain * (2 * score - 1) / self.perturbation(one) * sign, 0.0), 1.0)
            for one, at, sign in zip(self.parameters, self.points[-1], self.signs(), strict=True)
        ]
        self.points.append(after)

    def values(self, iterations: int | None = None) -> list[float]:
        """Return the best values after `iterations` iterations; None for all iterations done."""
        last = self.done if iterations is None else iterations
        later = self.points[(last + 1) // 2 : last + 1]
        means = (math.fsum(shares) / len(later) for shares in zip(*later, strict=True))
        return [one.value(share) for one, share in zip(self.parameters, means, strict=True)]
