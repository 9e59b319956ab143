"""Ratings by the results so far, as the leaderboard has them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from arena.api.format import Standing
from arena.ratings.likelihood import Floats, Likelihood
from arena.ratings.profile import FEW
from arena.ratings.statistics import POINTS
from arena.scheduling.design import Ints

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
