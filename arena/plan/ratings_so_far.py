"""Ratings by the results so far, as the leaderboard has them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from arena.api.format import Standing
from arena.plan.design import Ints
from arena.ratings.dependence import Dependence
from arena.ratings.likelihood import Flags, Floats, Likelihood
from arena.ratings.profile import FEW, UNSURE
from arena.ratings.statistics import POINTS
from arena.ratings.student import quantile

PRIOR = 1000.0  # standard deviation of the prior of a rating, in Elo points


class Fitted:
    """The most likely ratings by a standing, and the order they make of those entries that still play.

    values, covariance: as `Likelihood.maximum` gives them, of all entries. entries: int64 [playing], those
    that play, the best first.
    """

    def __init__(self, standing: Standing) -> None:
        counts = np.moveaxis(np.asarray(standing.results, np.float64), 2, 0)
        self.likelihood = Likelihood(counts, (POINTS / PRIOR) ** 2)
        self.values, self.covariance = self.likelihood.maximum()
        playing = [entry for entry in range(standing.entries) if entry not in standing.withdrawn]
        playing.sort(key=lambda entry: (-self.values[entry], entry))
        self.entries: Ints = np.array(playing, np.int64)
        self.openings = standing.openings

    @property
    def ratings(self) -> Floats:
        """Of those that play, the best first, in log odds."""
        found: Floats = self.values[self.entries]
        return found

    @cached_property
    def information(self) -> Floats:
        """What is known about these ratings, whatever all the rest is; float64 [playing, playing]."""
        inverse = np.linalg.inv(self.likelihood.at(self.values).information)
        known: Floats = np.linalg.inv(inverse[np.ix_(self.entries, self.entries)])
        return known

    @cached_property
    def dependence(self) -> Dependence | None:
        """What matches of an opening share, None where they begin with none."""
        rows = self.openings() if self.openings else None
        return Dependence(self.likelihood, self.values, rows) if rows is not None and len(rows) else None

    def dependent(self, contrasts: Floats, open: Flags | None = None) -> tuple[Floats, Floats]:
        """Of each contrast its variance over the model's, and the degrees of freedom; see `Dependence`."""
        if self.dependence is None:
            return np.ones(len(contrasts)), np.full(len(contrasts), np.inf)
        return self.dependence.of(contrasts, open)

    @cached_property
    def wider(self) -> Floats:
        """By what factor the variances of differences are larger as matches share openings, at least 1.

        float64 [playing, playing]. How surely that is known counts as it does for an interval.
        """
        n = len(self.entries)
        found = np.ones((n, n))
        if self.dependence is None:
            return found
        ones, others = np.triu_indices(n, 1)
        unit = np.eye(self.likelihood.entries + 2)
        ratios, freedom = self.dependent(unit[self.entries[ones]] - unit[self.entries[others]])
        ratios = ratios * (quantile(1 - UNSURE / 2, freedom) / quantile(1 - UNSURE / 2, np.inf)) ** 2
        found[ones, others] = found[others, ones] = np.maximum(ratios, 1.0)
        return found

    @property
    def matches(self) -> float:
        """How many results there are."""
        return float(self.likelihood.counts.sum())

    @cached_property
    def less(self) -> float:
        """By what a fall of the log likelihood is divided, since it is too large where matches are few.

        As for intervals in `arena.ratings.profile`.
        """
        less: float = 1 + FEW * (self.likelihood.entries + 1) / max(self.matches, 1.0)
        return less
