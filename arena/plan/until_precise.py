"""The format `precise`, which plays until ratings are precise enough."""

from __future__ import annotations

import math

import numpy as np

from arena.api.format import Format, Stage, Standing
from arena.api.options import option
from arena.errors import ArenaError
from arena.plan.design import Questions
from arena.plan.growing_stages import MATCHES, beginning, next_for
from arena.plan.ratings_so_far import Fitted
from arena.ratings.likelihood import Floats
from arena.ratings.profile import UNSURE, ends
from arena.ratings.statistics import POINTS
from arena.ratings.student import quantile

NEAR = 2.0  # multiple of the target variance above which intervals are not computed in full
NARROWER = 0.9  # share of the target variance to aim for: intervals are wider than their estimate


class Precise(Format):
    """Play until each rating is known to ± `points`, choosing the most informative pairings.

    The criterion is half the width of the leaderboard's 95 % intervals, which are relative to the mean
    rating. Open intervals, those of entries that win or lose all matches, are never narrow enough.
    """

    points: float = option(20.0, "half the width of each 95 % interval, in Elo points", low=1, high=1000)

    def check_entries(self, entries: int) -> None:
        if entries < 2:
            raise ArenaError(f"{self.name or 'precise'}: ratings are relative; name two entries or more")

    def usual_rounds(self, entries: int) -> int:
        return math.ceil(MATCHES / max(entries * (entries - 1), 1))

    def next_stage(self, standing: Standing) -> Stage | None:
        if standing.matches >= standing.limit:
            return None
        if not standing.stages:
            return beginning(standing)
        fitted = Fitted(standing)
        if not len(fitted.entries):
            return None
        asked = questions(fitted, self.points)
        if near(fitted, asked) and float(widths(fitted).max()) <= self.points:
            return None
        return next_for(standing, fitted, asked)

    def progress(self, standing: Standing) -> str:
        """Return how many ratings are precise enough: `5 of 8 within ± 20`."""
        found = widths(Fitted(standing))
        return f"{int((found <= self.points).sum())} of {len(found)} within ± {self.points:g}"

    def notes(self, standing: Standing) -> list[str]:
        found = widths(Fitted(standing))
        enough = int((found <= self.points).sum())
        if not len(found):
            return []
        if enough == len(found):
            widest = f"the widest ± {found.max():.1f}"
            return [f"Each rating is within ± {self.points:g} points at 95 %, {widest}."]
        return [f"Of {len(found)} ratings {enough} are within ± {self.points:g} points at 95 %."]


def widths(fitted: Fitted) -> Floats:
    """Return half the width of each rating's interval, in Elo points; float64 [playing].

    Ratings are relative to the mean of the playing entries, best first.
    """
    likelihood, contrasts = fitted.likelihood, about_mean(fitted)
    above, below = (flags[fitted.entries] for flags in likelihood.unbounded())
    ratios, freedom = fitted.dependent(contrasts, above | below)
    low, high = ends(
        likelihood, fitted.values, fitted.covariance, contrasts, above, below, 1 / ratios, freedom=freedom
    )
    half: Floats = POINTS * (high - low) / 2
    return half


def questions(fitted: Fitted, points: float) -> Questions:
    """Return the precision of ratings that is needed for intervals of ± `points`.

    The variances are those of a fit that treats matches as independent.
    """
    ratios, freedom = fitted.dependent(about_mean(fitted))
    errors = points / POINTS / quantile(1 - UNSURE / 2, freedom)
    n = len(fitted.entries)
    return Questions(np.eye(n) - 1 / n, NARROWER * errors**2 / ratios)


def near(fitted: Fitted, asked: Questions) -> bool:
    """Return whether intervals may be narrow enough, by a quick check with the curvature at the maximum."""
    places = fitted.entries
    known = fitted.covariance[np.ix_(places, places)]
    variances = ((asked.contrasts @ known) * asked.contrasts).sum(axis=1)
    return bool((variances <= NEAR * asked.variances).all())


def about_mean(fitted: Fitted) -> Floats:
    """Return the contrast of each playing entry, best first, to their mean; [playing, all entries + 2]."""
    places = fitted.entries
    contrasts = np.zeros((len(places), fitted.likelihood.entries + 2))
    contrasts[:, places] = -1 / max(len(places), 1)
    contrasts[np.arange(len(places)), places] += 1
    return contrasts
