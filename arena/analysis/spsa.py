"""Simultaneous perturbation stochastic approximation on the score of matches.

J. C. Spall, "Multivariate Stochastic Approximation Using a Simultaneous Perturbation Gradient
Approximation" (1992), with the gains of his "Implementation of the Simultaneous Perturbation Algorithm"
(1998). What is found is the mean of the later half of all points (Polyak & Juditsky 1992).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from arena.rng import Rng, derive

PAIRS = 16  # of matches in an iteration
ALPHA, GAMMA = 0.602, 0.101  # how fast steps and perturbations shrink (Spall 1998)
STABILITY = 0.1  # of all iterations, which keeps the first steps from being too large (Spall 1998)
PERTURBATION = 0.2  # of a range, the first
STEP = 0.02  # of a range, the first, for a score that is off a half by a standard deviation
DEVIATION = 0.35  # of a match's score
DIGITS = 3  # of a range that values tell


@dataclass(frozen=True)
class Parameter:
    """A number that is sought from low to high, inclusive, and where that begins. whole: whether it is."""

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
        """Where it begins, from 0 at low to 1 at high."""
        return min(max((self.start - self.low) / self.width, 0.0), 1.0)

    def value(self, share: float, dither: float = 0.5) -> float:
        """The value that stands at a share of the range: three digits of the range, or a whole number.

        dither: from 0 to 1, how much is added before a whole number is taken of what is below; 1/2 rounds.
        """
        at = self.low + share * self.width
        if self.whole:
            return int(min(max(math.floor(at + dither), self.low), self.high))
        found = round(at, DIGITS - math.floor(math.log10(self.width)))
        return min(max(found, self.low), self.high)


class Spsa:
    """A search for the best values, by the scores of matches between two points near the best known.

    points: shares of the ranges, the first where it begins, and one more after each iteration. iterations: as
    many as gains are made for; more or fewer can be done. What follows from what depends on the seed alone.
    """

    def __init__(self, parameters: Sequence[Parameter], iterations: int, seed: int) -> None:
        self.parameters, self.seed = parameters, seed
        self.stability = STABILITY * iterations
        self.points = [[one.start_share for one in parameters]]

    @property
    def done(self) -> int:
        """How many iterations are."""
        return len(self.points) - 1

    def perturbation(self, parameter: Parameter) -> float:
        """Of this iteration, as a share of the range; at least a half of what whole numbers are apart."""
        now: float = PERTURBATION / (self.done + 1) ** GAMMA
        return max(now, 0.5 / parameter.width) if parameter.whole else now

    def signs(self) -> list[int]:
        """Of this iteration's perturbations, 1 or -1 each, as likely."""
        rng = Rng(derive(self.seed, self.done))
        return [1 if rng.below(2) else -1 for _ in self.parameters]

    def two(self) -> tuple[list[float], list[float]]:
        """The values of the two that meet in this iteration, a perturbation above and below."""
        rng = Rng(derive(self.seed, self.done, 1))
        above, below = list[float](), list[float]()
        for one, at, sign in zip(self.parameters, self.points[-1], self.signs(), strict=True):
            moved, dither = sign * self.perturbation(one), (rng.below(1 << 20) + 0.5) / (1 << 20)
            for found, share in ((above, at + moved), (below, at - moved)):
                found.append(one.value(min(max(share, 0.0), 1.0), dither))
        return above, below

    def take(self, score: float) -> None:
        """Go a step on, by the score from 0 to 1 of the first of the two."""
        gain = STEP * PERTURBATION / (2 * DEVIATION / math.sqrt(2 * PAIRS))
        gain *= ((self.stability + 1) / (self.stability + 1 + self.done)) ** ALPHA
        after = [
            min(max(at + gain * (2 * score - 1) / self.perturbation(one) * sign, 0.0), 1.0)
            for one, at, sign in zip(self.parameters, self.points[-1], self.signs(), strict=True)
        ]
        self.points.append(after)

    def values(self, iterations: int | None = None) -> list[float]:
        """The best values known after so many iterations, all that are done if None."""
        last = self.done if iterations is None else iterations
        later = self.points[(last + 1) // 2 : last + 1]
        means = (math.fsum(shares) / len(later) for shares in zip(*later, strict=True))
        return [one.value(share) for one, share in zip(self.parameters, means, strict=True)]
