"""The significant order of entries: which is above which, and which neighbours are close."""

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

UNSURE = 0.05  # maximum probability that any claim is ever wrong
DOUBTFUL = 0.5, 3.0  # evidence by curvature / evidence wanted: in between it is computed in full
FAR = 1.0  # log odds; farther from the maximum, curvature says little, however small the evidence
QUESTIONS = 3  # maximum number of questions about cuts, for each entry


class Order:
    """The significant order of the entries that still play.

    Two kinds of claims are made. A *cut* between neighbours: each entry above it is better than each entry
    below. And two neighbours without a cut between them may be *close*: their ratings differ by less than the
    indifference, with evidence on both sides.

    The probability that any claim is ever wrong is at most `UNSURE`:

    - If a cut is wrong, some entry below it is in truth better than some entry above. On the way from one to
      the other, in the true order, there are two true neighbours of which the better one is below the cut. So
      a wrong cut takes false evidence about one of n - 1 pairs, whichever cut it is.
    - Entries between two cuts are a block. If the cuts are right, two entries in a block of s are truly at
      most s - 1 places apart. There are n - k pairs k places apart, and each may be called close wrongly with
      a probability that falls as 1 / k.
    - Any wrong claim about a pair takes false evidence against the same bound: against 0 if the two are truly
    close, else against the indifference, since who is above is claimed only along with that.

    Args:
        standing: The results so far.
        indifference: In Elo points. Entries closer than this need no order.
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
        """Return the log evidence needed about pairs of entries.

        Args:
            apart: int64 [pairs]. Maximum number of places between the two in the true order.

        Returns:
            float64 [pairs].
        """
        n = self.standing.entries
        shares = math.fsum((n - k) / k for k in range(1, n))
        # withdrawn entries may be between them
        found: Floats = np.log((apart + len(self.standing.withdrawn)) * shares / UNSURE)
        return found

    def against(self, bound: float, way: int, ones: Ints, others: Ints, wanted: Floats) -> Floats:
        """Return the log evidence that rating differences lie beyond a bound.

        Args:
            bound: In log odds.
            way: 1 for evidence that the difference is larger than the bound, -1 that it is smaller.
            ones: int64 [pairs]. The upper entry of each pair, by place.
            others: int64 [pairs]. The lower entry.
            wanted: float64 [pairs]. Evidence that is needed. It is computed in full only where that may
                matter.

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
            bounds: Each bound with its way.
            ones: int64 [pairs]. The upper entry of each pair, by place.
            others: int64 [pairs]. The lower entry.
            wanted: float64 [pairs]. Evidence that is needed.

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
        """Whether there is evidence that the row's entry is better than a later column's; bool [n, n]."""
        ones, others = np.triu_indices(self.n, 1)
        found = np.zeros((self.n, self.n), bool)
        bounds = (0.0, 1), (-self.unit, 1)
        found[ones, others] = self.sure(bounds, ones, others, self.wanted(np.ones_like(ones)))
        return found

    @cached_property
    def cuts(self) -> Flags:
        """Between which neighbours there is a cut; bool [n - 1]."""
        return np.array([bool(self.above[:i, i:].all()) for i in range(1, self.n)], bool)

    @cached_property
    def close(self) -> Flags:
        """Flags of neighbours that are certainly close and have no cut between them; bool [n - 1]."""
        ones = np.flatnonzero(~self.cuts)
        wanted = self.wanted(blocks(self.cuts)[ones] - 1)
        found = np.zeros(len(self.cuts), bool)
        found[ones] = self.sure(((self.unit, -1), (-self.unit, 1)), ones, ones + 1, wanted)
        return found

    @property
    def decided(self) -> Flags:
        """Flags of neighbours that have a cut between them or are close; bool [n - 1]."""
        return self.cuts | self.close

    def questions(self) -> Questions | None:
        """Return what is still to be found out, or None if everything is decided.

        The ratings are taken to be about what they seem. Of any two neighbours the easier claim is pursued:
        that there is a cut, or that they are close. Contrasts are of entries by place in `fitted.entries`.
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
        """Return plausible gaps, float64 [pairs].

        Unless a gap is known to be small, it is likely to be larger than estimated.
        """
        found: Floats = np.sqrt(self.gaps[ones, others] ** 2 + self.variances[ones, others])
        return found

    def variances_for_cut(self, ones: Ints, others: Ints) -> Floats:
        """Return the variances of gaps that evidence for a cut takes, float64 [pairs]."""
        wanted = self.wanted(np.ones_like(ones))
        return variance_needed(self.plausible(ones, others), wanted, self.unit)

    def variances_for_close(self) -> Floats:
        """Return the variances of gaps that evidence for closeness of neighbours takes, float64 [n - 1].

        0 if the estimated gap is too large.
        """
        first = np.arange(self.n - 1)
        room = self.unit - self.gaps[first, first + 1]
        likely = self.cuts | (self.plausible(first, first + 1) > self.unit / 2)
        wanted = self.wanted(np.maximum(blocks(likely) - 1, 1))
        return np.where(room > 0, variance_needed(np.maximum(room, 1e-9), wanted, self.unit), 0.0)


def blocks(cuts: Flags) -> Ints:
    """Return the size of the block of each two neighbours, 1 if there is a cut between; int64 [n - 1]."""
    sizes = np.ones(len(cuts), np.int64)
    start = 0
    for stop in [*np.flatnonzero(cuts).tolist(), len(cuts)]:
        sizes[start:stop] = stop - start + 1
        start = stop + 1
    return sizes
