"""What speaks against an order by ratings: pairings that do not fit, cycles, a lead that a few results make.

Ratings take it that whoever beats a better one beats a worse one the more. Where entries are like rock, paper
and scissors, their order depends on who played whom how often.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import NormalDist

import numpy as np

from arena.ratings.between_seeds import below
from arena.ratings.likelihood import Flags, Floats, Likelihood, outcomes
from arena.ratings.student import cdf

FAR = 200.0  # in a distribution of chi squared, beyond which nothing is left
ROUND = 2.0  # the shape from which the cube root of a gamma distribution is near a normal one
UNSURE = 0.05  # the probability of a false alarm, of each kind, over a whole table
SHRINK = 0.5  # of a win and of a loss that are added to a pairing
NORMAL = NormalDist()
LEVEL = 1e-6  # of a rating: what differs by less is equal but for rounding


@dataclass(frozen=True)
class Cycle:
    """Three entries, by index, each of which beats the next; its scores against that, from 0 to 1."""

    entries: tuple[int, int, int]
    scores: tuple[float, float, float]


class Doubts:
    """What the results of a table say against its order.

    likelihood: of the results. values, covariance: its maximum. errors: standard errors of how far rows are
    above columns, and their degrees of freedom, float64 [n, n] each, where these are not what the covariance
    says, since matches depend on each other.
    """

    def __init__(
        self,
        likelihood: Likelihood,
        values: Floats,
        covariance: Floats,
        errors: tuple[Floats, Floats] | None = None,
    ) -> None:
        self.likelihood, self.values, self.covariance = likelihood, values, covariance
        self.n = likelihood.entries
        if errors is None:
            own = np.diag(covariance)[: self.n]
            variances = own[:, None] + own - 2 * covariance[: self.n, : self.n]
            errors = np.sqrt(np.maximum(variances, 1e-12)), np.full(variances.shape, np.inf)
        self.errors, self.freedom = errors

    # --- do the pairings fit ---------------------------------------------------------------------------

    @cached_property
    def expected(self) -> Floats:
        """Probabilities of win, draw and loss, float64 [3, n, n], of the row's entry moving first."""
        ratings, first_move, draws = self.values[: self.n], self.values[-2], self.values[-1]
        return outcomes(ratings[:, None] - ratings + first_move, draws)[0]

    @cached_property
    def misfit(self) -> float:
        """The probability that pairings differ from what ratings expect as much as these, or more, by chance.

        Pearson's statistic over all pairings and seats, its mean and variance as Haldane (1937) has them for
        counts however small, taken for those of a gamma distribution.
        """
        counts = self.likelihood.counts * (1 - np.eye(self.n))
        matches = counts.sum(axis=0)
        played = matches > 0
        p = self.expected[:, played]
        n = matches[played]
        statistic = float(((counts[:, played] - n * p) ** 2 / (n * p)).sum())
        pairings = int(played.sum())
        freedom = 2 * pairings - (self.n + 1)
        if freedom <= 0:
            return 1.0
        variance = float((4 + ((1 / p).sum(axis=0) - 13) / n).sum()) * freedom / (2 * pairings)
        shape = freedom**2 / max(variance, 1e-12)
        found = beyond(statistic / freedom, shape)
        # hardly anything but zero where draws, say, are hardly expected: then as if they were
        return found if shape >= ROUND else max(found, beyond(statistic / freedom, freedom / 2))

    # --- cycles ----------------------------------------------------------------------------------------

    @cached_property
    def edges(self) -> tuple[Floats, Floats]:
        """How far rows are above columns by their own matches alone, and the variances, float64 [n, n] each.

        In log odds, moving first and draws being worth what they are in the table; infinite variances where
        two have not met.
        """
        n = self.n
        counts = self.likelihood.counts * (1 - np.eye(n))
        counts = counts + SHRINK * np.array([1, 0, 1])[:, None, None] * (counts.sum(axis=0) > 0)
        x = np.zeros((n, n))
        for _ in range(100):
            slope, curve = slopes(counts, x, *self.values[-2:])
            gradient, information = slope - slope.T, curve + curve.T
            step = np.divide(gradient, information, out=np.zeros_like(x), where=information > 0)
            x = x + np.clip(step, -1, 1)
            if np.abs(step).max(initial=0) < 1e-10:
                break
        variances = np.divide(1, information, out=np.full_like(x, np.inf), where=information > 0)
        return x, variances

    @cached_property
    def cycles(self) -> list[Cycle]:
        """Threes of which each surely beats the next, the surest first.

        Of three each must beat the next at a level that is divided by all threes there are, so that over the
        whole table none is named where there is none with a probability of 95 %.
        """
        x, variances = self.edges
        sure = x / np.sqrt(variances)
        threes = math.comb(self.n, 3)
        if not threes:
            return []
        bound = NORMAL.inv_cdf(1 - UNSURE / (2 * threes))
        beats: Flags = sure > bound
        found = []
        for i, j, k in combinations(range(self.n), 3):
            for three in ((i, j, k), (i, k, j)):
                a, b, c = three
                if beats[a, b] and beats[b, c] and beats[c, a]:
                    weakest = min(sure[a, b], sure[b, c], sure[c, a])
                    scores = self.score(a, b), self.score(b, c), self.score(c, a)
                    found.append((weakest, Cycle(three, scores)))
        return [cycle for _, cycle in sorted(found, key=lambda pair: -pair[0])]

    @cached_property
    def cyclic_share(self) -> float:
        """How much of what tells entries apart goes round in circles, from 0 to 1.

        Differences of pairings are a part that ratings explain and a cyclic one (Jiang et al. 2011, Balduzzi
        et al. 2018); squares are weighted by the pairings' information, and what chance alone adds is taken
        off.
        """
        x, variances = self.edges
        weights = np.where(np.isfinite(variances), 1 / variances, 0.0)
        ratings = self.potential(x, weights)
        left = x - (ratings[:, None] - ratings)
        pairs = int((weights > 0).sum()) / 2
        chance = max(pairs - (self.n - 1), 0.0)
        cyclic = max(float((weights * left**2).sum()) / 2 - chance, 0.0)
        whole = max(float((weights * x**2).sum()) / 2 - pairs, cyclic)
        return cyclic / whole if whole > 0 else 0.0

    def potential(self, x: Floats, weights: Floats) -> Floats:
        """The ratings whose differences are nearest to those of the pairings."""
        laplacian = np.diag(weights.sum(axis=1)) - weights
        ratings: Floats = np.linalg.lstsq(laplacian, (weights * x).sum(axis=1), rcond=None)[0]
        return ratings

    def score(self, one: int, other: int) -> float:
        """Of the one against the other over both seats, from 0 to 1."""
        wins, draws, losses = self.likelihood.counts
        points = wins[one, other] + losses[other, one] + (draws[one, other] + draws[other, one]) / 2
        return float(points / self.likelihood.counts[:, [one, other], [other, one]].sum())

    # --- who is better ---------------------------------------------------------------------------------

    @cached_property
    def superiority(self) -> Floats:
        """The likelihood that rows are better than columns, float64 [n, n]; a half on the diagonal."""
        differences = self.values[: self.n, None] - self.values[: self.n]
        return cdf(differences / self.errors, self.freedom)

    def swaps(self, one: int, other: int) -> int:
        """How many results, changed to the contrary, would put the other above the one; about the fewest.

        Wins of the one that would be losses, and losses of the other that would be wins, those first that
        weigh most; how many are enough is found by fitting anew.
        """
        contrast = np.zeros(self.n + 2)
        contrast[[one, other]] = 1, -1
        weight = self.covariance @ contrast  # by what a parameter's gradient moves the difference
        flips: list[tuple[float, int, int, int, int]] = []  # effect of one, outcomes from and to, row, column
        wins, _, losses = self.likelihood.counts
        for a in range(self.n):
            for b in range(self.n):
                effect = float(weight[a] - weight[b])
                if a != b and effect > 0 and wins[a, b]:
                    flips.append((effect, 0, 2, a, b))
                elif a != b and effect < 0 and losses[a, b]:
                    flips.append((-effect, 2, 0, a, b))
        flips.sort(reverse=True)
        numbers = [int(self.likelihood.counts[source, a, b]) for _, source, _, a, b in flips]

        def is_enough(so_many: int) -> bool:
            counts = self.likelihood.counts.copy()
            left = so_many
            for (_, source, target, a, b), number in zip(flips, numbers, strict=True):
                taken = min(left, number)
                counts[source, a, b] -= taken
                counts[target, a, b] += taken
                left -= taken
                if not left:
                    break
            values, _ = Likelihood(counts, self.likelihood.precision).maximum()
            return bool(values[one] - values[other] <= LEVEL)

        low, high = 0, 1
        while not is_enough(high):
            low, high = high, 2 * high
            if low > sum(numbers):
                return sum(numbers)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high


def beyond(ratio: float, shape: float) -> float:
    """The probability that a number of a gamma distribution is more than so many times its mean.

    From the shape `ROUND` on by its cube root (Wilson & Hilferty 1931).
    """
    if shape >= ROUND:
        return 1 - NORMAL.cdf((ratio ** (1 / 3) - 1 + 1 / (9 * shape)) * 3 * math.sqrt(shape))
    twice = 2 * shape * ratio
    return 1.0 if twice <= 0 else 0.0 if twice > FAR else max(1 - below(twice, 2 * shape), 0.0)


def slopes(counts: Floats, x: Floats, first_move: float, draws: float) -> tuple[Floats, Floats]:
    """The derivative of a log likelihood by each pairing's difference, and minus its second one, [n, n].

    x: the difference of the row's entry, moving first, to the column's.
    """
    (win, draw, loss), _ = outcomes(x + first_move, draws)
    wins, drawn, losses = counts
    slope: Floats = wins * (loss + draw / 2) - losses * (win + draw / 2) - drawn * (win - loss) / 2
    curve: Floats = counts.sum(axis=0) * (win * loss + draw * (win + loss) / 4)
    return slope, curve
