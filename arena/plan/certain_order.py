"""The significant ranking of entries: which entries are above which, and which neighbours are close."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from arena.api.format import Standing
from arena.plan.design import Ints, Questions
from arena.plan.evidence import evidence, falls, variance_needed
from arena.plan.ratings_so_far import Fitted
from arena.ratings.likelihood import Flags, Floats
from arena.ratings.statistics import POINTS

UNSURE = 0.05  # maximum probability that any claim is ever false
DOUBTFUL = 0.5, 3.0  # ratios of approximate to required evidence between which evidence is computed in full
FAR = 1.0  # log odds; beyond this distance from the maximum, the approximation by curvature is unreliable
QUESTIONS = 3  # maximum number of questions about cuts, per entry


class Order:
    """The significant ranking of the entries that still play.

    There are two kinds of claims. A *cut* between two neighbours in the ranking means that each entry above
    it is better than each entry below it. Two neighbours without a cut between them may be *close*: their
    ratings differ by less than the indifference, with evidence on both sides.

    The probability that any claim is ever false is at most `UNSURE`:

    - If a cut is false, some entry below it is in truth better than some entry above it. Between these two in
      the true ranking there are two adjacent entries of which the better one is below the cut. A false cut,
      whichever it is, therefore requires false evidence about one of n - 1 pairs.
    - Entries between two cuts form a block. If the cuts are correct, two entries in a block of size s are at
      most s - 1 places apart in the true ranking. There are n - k pairs that are k places apart, and the
      probability that one of them is falsely called close decreases as 1 / k.
    - Any false claim about a pair requires false evidence against the same bound: against 0 if the two are
    truly close, otherwise against the indifference, because an order is only claimed together with a
    difference larger than the indifference.

    Args:
        standing: The results so far.
        indifference: A difference in Elo points; entries that are closer need not be ranked.
    """

    def __init__(self, standing: Standing, indifference: float) -> None:
        self.standing = standing
        self.fitted = Fitted(standing)
        self.unit = indifference / POINTS
        self.n = len(self.fitted.entries)
        ratings, places = self.fitted.ratings, self.fitted.entries
        covariance = self.fitted.covariance[np.ix_(places, places)]
        own = np.diag(covariance)
        self.gaps = ratings[:, None] - ratings  # [n, n], row minus column
        self.variances = self.fitted.wider * np.maximum(own[:, None] + own - 2 * covariance, 1e-12)

    def wanted(self, apart: Ints) -> Floats:
        """Return the log evidence required for claims about pairs of entries.

        Args:
            apart: int64 [pairs]. Maximum number of places between the two in the true ranking.

        Returns:
            float64 [pairs].
        """
        n = self.standing.entries
        shares = math.fsum((n - k) / k for k in range(1, n))
        # withdrawn entries may lie between the two
        found: Floats = np.log((apart + len(self.standing.withdrawn)) * shares / UNSURE)
        return found

    def against(self, bound: float, way: int, ones: Ints, others: Ints, wanted: Floats) -> Floats:
        """Return the log evidence that rating differences lie beyond a bound.

        Args:
            bound: The bound, in log odds.
            way: 1 for evidence that the difference is above the bound, -1 for evidence that it is below.
            ones: int64 [pairs]. The upper entry of each pair, by place.
            others: int64 [pairs]. The lower entry of each pair, by place.
            wanted: float64 [pairs]. The required evidence. Evidence is computed in full only where an
                approximation does not suffice.

        Returns:
            float64 [pairs].
        """
        distance = way * (self.gaps[ones, others] - bound)
        fitted = self.fitted
        fall: Floats = distance**2 / (2 * self.variances[ones, others])
        found = evidence(distance, fall / fitted.less, self.unit)
        low, high = DOUBTFUL
        doubtful = np.flatnonzero(((found > low * wanted) | (distance > FAR)) & (found < high * wanted))
        unit = np.eye(self.standing.entries + 2)
        one, other = fitted.entries[ones[doubtful]], fitted.entries[others[doubtful]]
        bounds = np.full(len(doubtful), bound)
        fall = falls(fitted.likelihood, fitted.values, fitted.covariance, unit[one] - unit[other], bounds)
        less = fitted.less * fitted.wider[ones, others][doubtful]
        found[doubtful] = evidence(distance[doubtful], fall / less, self.unit)
        return found

    def sure(self, bounds: tuple[tuple[float, int], ...], ones: Ints, others: Ints, wanted: Floats) -> Flags:
        """Return for which pairs there is enough evidence against all bounds, see `against`.

        Args:
            bounds: Each bound with its `way`.
            ones: int64 [pairs]. The upper entry of each pair, by place.
            others: int64 [pairs]. The lower entry of each pair, by place.
            wanted: float64 [pairs]. The required evidence.

        Returns:
            bool [pairs].
        """
        left = np.arange(len(ones))
        for bound, way in bounds:
            evidence = self.against(bound, way, ones[left], others[left], wanted[left])
            left = left[evidence >= wanted[left]]
        found = np.zeros(len(ones), bool)
        found[left] = True
        return found

    @cached_property
    def above(self) -> Flags:
        """Whether entry i is significantly better than the lower-ranked entry j; bool [n, n]."""
        ones, others = np.triu_indices(self.n, 1)
        found = np.zeros((self.n, self.n), bool)
        bounds = (0.0, 1), (-self.unit, 1)
        found[ones, others] = self.sure(bounds, ones, others, self.wanted(np.ones_like(ones)))
        return found

    @cached_property
    def cuts(self) -> Flags:
        """Whether there is a cut between neighbours; bool [n - 1]."""
        return np.array([bool(self.above[:i, i:].all()) for i in range(1, self.n)], bool)

    @cached_property
    def close(self) -> Flags:
        """Whether neighbours are significantly close and have no cut between them; bool [n - 1]."""
        ones = np.flatnonzero(~self.cuts)
        wanted = self.wanted(blocks(self.cuts)[ones] - 1)
        found = np.zeros(len(self.cuts), bool)
        found[ones] = self.sure(((self.unit, -1), (-self.unit, 1)), ones, ones + 1, wanted)
        return found

    @property
    def decided(self) -> Flags:
        """Whether neighbours have a cut between them or are close; bool [n - 1]."""
        return self.cuts | self.close

    def questions(self) -> Questions | None:
        """Return the open questions, or None if everything is decided.

        The estimated ratings are assumed to be roughly correct. For each pair of neighbours the easier claim
        is pursued: that there is a cut, or that they are close. Contrasts refer to entries by place in
        `fitted.entries`.
        """
        first = np.arange(self.n - 1)
        for_cut, for_close = self.variances_for_cut(first, first + 1), self.variances_for_close()
        cut = ~self.decided & (for_cut >= for_close)
        across = np.zeros_like(self.above)
        for i in np.flatnonzero(cut):
            across[: i + 1, i + 1 :] |= ~self.above[: i + 1, i + 1 :]
        ones, others = np.nonzero(across)
        needed = self.variances_for_cut(ones, others)
        hardest = np.argsort(needed / self.variances[ones, others], kind="stable")[: QUESTIONS * self.n]
        joins = np.flatnonzero(~self.decided & ~cut)
        ones, others = np.append(ones[hardest], joins), np.append(others[hardest], joins + 1)
        if not len(ones):
            return None
        unit = np.eye(self.n)
        return Questions(unit[ones] - unit[others], np.append(needed[hardest], for_close[joins]))

    def plausible(self, ones: Ints, others: Ints) -> Floats:
        """Return plausible rating differences, float64 [pairs].

        Unless a difference is known to be small, it is likely to be larger than estimated.
        """
        found: Floats = np.sqrt(self.gaps[ones, others] ** 2 + self.variances[ones, others])
        return found

    def variances_for_cut(self, ones: Ints, others: Ints) -> Floats:
        """Return the variances of rating differences required for evidence of a cut, float64 [pairs]."""
        wanted = self.wanted(np.ones_like(ones))
        return variance_needed(self.plausible(ones, others), wanted, self.unit)

    def variances_for_close(self) -> Floats:
        """Return the variances of differences required for evidence of closeness, float64 [n - 1].

        0 if the estimated difference is too large.
        """
        first = np.arange(self.n - 1)
        room = self.unit - self.gaps[first, first + 1]
        likely = self.cuts | (self.plausible(first, first + 1) > self.unit / 2)
        wanted = self.wanted(np.maximum(blocks(likely) - 1, 1))
        return np.where(room > 0, variance_needed(np.maximum(room, 1e-9), wanted, self.unit), 0.0)


def blocks(cuts: Flags) -> Ints:
    """Return the size of the block of each pair of neighbours, 1 if a cut separates them; int64 [n - 1]."""
    sizes = np.ones(len(cuts), np.int64)
    start = 0
    for stop in [*np.flatnonzero(cuts).tolist(), len(cuts)]:
        sizes[start:stop] = stop - start + 1
        start = stop + 1
    return sizes
