"""Reasons to doubt a ranking by ratings: misfit of pairings, cycles, and leads based on few results.

A rating model assumes that an entry which beats a strong opponent beats a weaker one even more often. If
entries beat each other like rock, paper and scissors, their ranking depends on how often each pairing was
played.
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

FAR = 200.0  # chi squared above this value is given probability 0
ROUND = 2.0  # shape parameter from which the cube root of a gamma variable is nearly normal
UNSURE = 0.05  # maximum probability of any false cycle in a whole table
SHRINK = 0.5  # number of wins and of losses added to a pairing
NORMAL = NormalDist()
LEVEL = 1e-6  # in log odds; smaller differences are rounding errors


@dataclass(frozen=True)
class Cycle:
    """Three entries, each of which beats the next.

    Attributes:
        entries: Their indices.
        scores: The score of each entry against the next, from 0 to 1; the last score is against the first
            entry.
    """

    entries: tuple[int, int, int]
    scores: tuple[float, float, float]


class Doubts:
    """Evidence in the results of a table against its ranking.

    Args:
        likelihood: Likelihood of the results, of `n` entries.
        values: float64 [n + 2]. The parameters at its maximum, in log odds.
        covariance: float64 [n + 2, n + 2]. Covariance of the parameters.
        errors: float64 [n, n] each. Standard errors of the rating differences, row minus column, and their
            degrees of freedom, if matches depend on each other. Default: those that follow from `covariance`.
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

    # --- fit of the pairings ---------------------------------------------------------------------------

    @cached_property
    def expected(self) -> Floats:
        """Probabilities of win, draw and loss if the row's entry moves first, float64 [3, n, n]."""
        ratings, first_move, draws = self.values[: self.n], self.values[-2], self.values[-1]
        return outcomes(ratings[:, None] - ratings + first_move, draws)[0]

    @cached_property
    def misfit(self) -> float:
        """The p-value of Pearson's test that the results of all pairings, by seat, fit the ratings.

        The distribution of the statistic is approximated by a gamma distribution with the same mean and
        variance, for which Haldane (1937) has formulas for counts of any size. The p-value is 1 if there are
        no degrees of freedom.
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
        # with a very small shape, for example if draws are very unlikely, use chi squared if its p-value is
        # larger
        return found if shape >= ROUND else max(found, beyond(statistic / freedom, freedom / 2))

    # --- cycles ----------------------------------------------------------------------------------------

    @cached_property
    def edges(self) -> tuple[Floats, Floats]:
        """Rating differences from each pairing's own matches, and their variances, float64 [n, n] each.

        Differences are row minus column, in log odds. The first-move advantage and the draw parameter are
        fitted to the whole table. Half a win and half a loss are added to each pairing and seat order that
        was played. The variance is infinite if two entries have not met.
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
        """Triples of entries in which each significantly beats the next, the most significant first.

        The significance level of each test is divided by the number of triples. If there are no cycles, the
        probability that none is reported in the whole table is therefore at least 95 %.
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
        """The cyclic share of the differences between entries, from 0 to 1.

        The differences of the pairings are the sum of a part explained by ratings and a cyclic part (Jiang et
        al. 2011, Balduzzi et al. 2018). The share compares sums of squares, weighted by the information of
        each pairing, after subtracting the contribution of chance.
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
        """Return the ratings that best fit the differences of the pairings, by weighted least squares.

        Args:
            x: float64 [n, n]. Differences of pairings, row minus column.
            weights: float64 [n, n]. Information of each difference; 0 for pairings that were not played.

        Returns:
            float64 [n].
        """
        laplacian = np.diag(weights.sum(axis=1)) - weights
        ratings: Floats = np.linalg.lstsq(laplacian, (weights * x).sum(axis=1), rcond=None)[0]
        return ratings

    def score(self, one: int, other: int) -> float:
        """Return the score of one entry against another over both seats, from 0 to 1."""
        wins, draws, losses = self.likelihood.counts
        points = wins[one, other] + losses[other, one] + (draws[one, other] + draws[other, one]) / 2
        return float(points / self.likelihood.counts[:, [one, other], [other, one]].sum())

    # --- superiority -----------------------------------------------------------------------------------

    @cached_property
    def superiority(self) -> Floats:
        """The likelihood of a row's entry to be better than a column's, float64 [n, n]; diagonal 0.5."""
        differences = self.values[: self.n, None] - self.values[: self.n]
        return cdf(differences / self.errors, self.freedom)

    def swaps(self, one: int, other: int) -> int:
        """Return approximately the smallest number of results to reverse to rank `other` above `one`.

        Candidates are the wins and losses whose reversal would reduce the difference between the two entries,
        the most influential first. Bisection finds how many of them suffice, with a new fit for each number.

        Args:
            one: Index of the entry that is ahead.
            other: Index of the entry behind it.
        """
        contrast = np.zeros(self.n + 2)
        contrast[[one, other]] = 1, -1
        weight = self.covariance @ contrast  # effect of each component of the gradient on the difference
        flips: list[tuple[float, int, int, int, int]] = []  # effect, outcome before and after, row, column
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
    """Return the probability that a gamma variable exceeds a multiple of its mean.

    If the shape is at least `ROUND`, the cube root of the variable is treated as normal (Wilson & Hilferty
    1931); otherwise the probability is computed exactly.

    Args:
        ratio: The multiple of the mean.
        shape: Shape parameter of the distribution.
    """
    if shape >= ROUND:
        return 1 - NORMAL.cdf((ratio ** (1 / 3) - 1 + 1 / (9 * shape)) * 3 * math.sqrt(shape))
    twice = 2 * shape * ratio
    return 1.0 if twice <= 0 else 0.0 if twice > FAR else max(1 - below(twice, 2 * shape), 0.0)


def slopes(counts: Floats, x: Floats, first_move: float, draws: float) -> tuple[Floats, Floats]:
    """Return the first and the negated second derivatives of the log likelihood by each pairing's difference.

    Args:
        counts: float64 [3, n, n]. Wins, draws and losses of the row's entry moving first.
        x: float64 [n, n]. Rating differences, row minus column, in log odds.
        first_move: Advantage of the first seat, in log odds.
        draws: Draw parameter of the model.

    Returns:
        float64 [n, n] each.
    """
    (win, draw, loss), _ = outcomes(x + first_move, draws)
    wins, drawn, losses = counts
    slope: Floats = wins * (loss + draw / 2) - losses * (win + draw / 2) - drawn * (win - loss) / 2
    curve: Floats = counts.sum(axis=0) * (win * loss + draw * (win + loss) / 4)
    return slope, curve
