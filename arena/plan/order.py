"""What is sure of an order: who is above whom, and which neighbours are too close for that to matter."""

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

UNSURE = 0.05  # the probability that anything is said wrongly, whenever one looks
DOUBTFUL = 0.5, 3.0  # evidence by curvature, over what is wanted, between which it is worked out in full
FAR = 1.0  # in log odds: where the curvature at a maximum so far away says little, however small the evidence
QUESTIONS = 3  # of two entries apart, for each entry, at most


class Order:
    """What is sure of the order that a standing makes of those who still play.

    indifference: in Elo points; entries that are closer need no order.

    Two things may be sure. A *cut* between neighbours: each entry above it is better than each below. And
    that two neighbours without a cut between them are *close*, which takes evidence from either side.

    That anything sure is wrong, at any time, has a probability of at most `UNSURE`:

    - Were a cut wrong, somebody below it would in truth be better than somebody above. On the way from the
      one to the other, through the true order, there are two true neighbours of which the better one is
      below the cut. So it takes false evidence about one of n - 1 pairs, whichever the cut is.
    - Entries between two cuts are a block. If the cuts are right, two of s entries in a block are truly at
      most s - 1 places apart. There are n - k pairs k places apart, and each may be said to be close wrongly
      with a probability that falls as 1 / k.
    - Of a pair, whatever is said wrongly takes false evidence against the same bound: where the two are truly
      close against 0, else against the indifference, as who is above is said only along with that too.
    """

    def __init__(self, standing: Standing, indifference: float) -> None:
        self.standing = standing
        self.fitted = Fitted(standing)
        self.unit = indifference / POINTS
        self.n = len(self.fitted.entries)
        ratings, places = self.fitted.ratings, self.fitted.entries
        covariance = self.fitted.covariance[np.ix_(places, places)]
        own = np.diag(covariance)
        self.gaps = ratings[:, None] - ratings  # [n, n], of the row's entry above the column's
        self.variances = self.fitted.wider * np.maximum(own[:, None] + own - 2 * covariance, 1e-12)

    def wanted(self, apart: Ints) -> Floats:
        """The evidence that it takes about entries which are truly so many places apart, at most."""
        n = self.standing.entries
        shares = math.fsum((n - k) / k for k in range(1, n))
        # those who play no more may be between them
        found: Floats = np.log((apart + len(self.standing.withdrawn)) * shares / UNSURE)
        return found

    def against(self, bound: float, way: int, ones: Ints, others: Ints, wanted: Floats) -> Floats:
        """Evidence that the ones are above the others by more (way 1) or less (-1) than a bound, [pairs]."""
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
        """Which pairs have the evidence against each of these bounds, each with its way."""
        left = np.arange(len(ones))
        for bound, way in bounds:
            evidence = self.against(bound, way, ones[left], others[left], wanted[left])
            left = left[evidence >= wanted[left]]
        found = np.zeros(len(ones), bool)
        found[left] = True
        return found

    @cached_property
    def above(self) -> Flags:
        """Whether the evidence is that the row's entry is better than that of a later column; [n, n]."""
        ones, others = np.triu_indices(self.n, 1)
        found = np.zeros((self.n, self.n), bool)
        bounds = (0.0, 1), (-self.unit, 1)
        found[ones, others] = self.sure(bounds, ones, others, self.wanted(np.ones_like(ones)))
        return found

    @cached_property
    def cuts(self) -> Flags:
        """Between which neighbours there is a cut, bool [n - 1]."""
        return np.array([bool(self.above[:i, i:].all()) for i in range(1, self.n)], bool)

    @cached_property
    def close(self) -> Flags:
        """Which neighbours are surely close, and have no cut between them; bool [n - 1]."""
        ones = np.flatnonzero(~self.cuts)
        wanted = self.wanted(blocks(self.cuts)[ones] - 1)
        found = np.zeros(len(self.cuts), bool)
        found[ones] = self.sure(((self.unit, -1), (-self.unit, 1)), ones, ones + 1, wanted)
        return found

    @property
    def decided(self) -> Flags:
        """Which neighbours have a cut between them, or are close; bool [n - 1]."""
        return self.cuts | self.close

    def questions(self) -> Questions | None:
        """What is still to be found out, if ratings are about what they seem; None if nothing is.

        Entries are those of `fitted`. Of neighbours it is the easier of the two: that there is a cut, or that
        they are close.
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
        """Gaps as they may be: one that is not known to be small is likely to be larger than it seems."""
        found: Floats = np.sqrt(self.gaps[ones, others] ** 2 + self.variances[ones, others])
        return found

    def variances_for_cut(self, ones: Ints, others: Ints) -> Floats:
        """How exactly gaps have to be known for a cut, [pairs]."""
        wanted = self.wanted(np.ones_like(ones))
        return variance_needed(self.plausible(ones, others), wanted, self.unit)

    def variances_for_close(self) -> Floats:
        """How exactly gaps of neighbours have to be known to be close, [n - 1]; 0 where they are not."""
        first = np.arange(self.n - 1)
        room = self.unit - self.gaps[first, first + 1]
        likely = self.cuts | (self.plausible(first, first + 1) > self.unit / 2)
        wanted = self.wanted(np.maximum(blocks(likely) - 1, 1))
        return np.where(room > 0, variance_needed(np.maximum(room, 1e-9), wanted, self.unit), 0.0)


def blocks(cuts: Flags) -> Ints:
    """Of each two neighbours the size of their block, 1 where there is a cut between; int64 [n - 1]."""
    sizes = np.ones(len(cuts), np.int64)
    start = 0
    for stop in [*np.flatnonzero(cuts).tolist(), len(cuts)]:
        sizes[start:stop] = stop - start + 1
        start = stop + 1
    return sizes
