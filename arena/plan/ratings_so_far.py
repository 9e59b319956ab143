"""Ratings fitted to the results so far, as on the leaderboard."""

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
    """The most likely ratings for a standing, and the ranking of the entries that still play.

    Attributes:
        likelihood: The likelihood of the results.
        values: float64 [all entries + 2]. The parameters at the likelihood's maximum, see
            `Likelihood.maximum`.
        covariance: float64 [all entries + 2, all entries + 2]. The covariance at the maximum.
        entries: int64 [playing]. The entries that still play, best first.
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
        """Ratings of the entries that still play, best first, in log odds."""
        found: Floats = self.values[self.entries]
        return found

    @cached_property
    def information(self) -> Floats:
        """Fisher information about these ratings, with other parameters free; float64 [playing, playing]."""
        inverse = np.linalg.inv(self.likelihood.at(self.values).information)
        known: Floats = np.linalg.inv(inverse[np.ix_(self.entries, self.entries)])
        return known

    @cached_property
    def dependence(self) -> Dependence | None:
        """The dependence between results through shared openings; None if there are no openings."""
        rows = self.openings() if self.openings else None
        return Dependence(self.likelihood, self.values, rows) if rows is not None and len(rows) else None

    def dependent(self, contrasts: Floats, open: Flags | None = None) -> tuple[Floats, Floats]:
        """Return the ratio of each contrast's variance to the model's, and its degrees of freedom.

        See `Dependence.of`.
        """
        if self.dependence is None:
            return np.ones(len(contrasts)), np.full(len(contrasts), np.inf)
        return self.dependence.of(contrasts, open)

    @cached_property
    def wider(self) -> Floats:
        """Factors by which shared openings increase variances of differences; float64 [playing, playing].

        They are at least 1, and include their own uncertainty, as for a confidence interval.
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
        """The number of results."""
        return float(self.likelihood.counts.sum())

    @cached_property
    def less(self) -> float:
        """Divisor for drops of the log likelihood, which are overestimated when there are few matches.

        It is the same correction as for intervals in `arena.ratings.profile`.
        """
        less: float = 1 + FEW * (self.likelihood.entries + 1) / max(self.matches, 1.0)
        return less
