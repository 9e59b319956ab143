"""The scores that ratings predict for an entry's matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from arena.commands.coach.matches import Played
from arena.ratings.likelihood import outcomes
from arena.ratings.statistics import POINTS

MOST_DRAWS = 20.0  # largest absolute value of the draw parameter, in log odds
STEPS = 60  # number of bisections


def rated_matches(played: Sequence[Played], ratings: Mapping[str, float], entry: str) -> list[Played]:
    """Return the matches in which both players have a rating."""
    return [one for one in played if entry in ratings and one.opponent in ratings]


def predicted_scores(
    rated: Sequence[Played], ratings: Mapping[str, float], entry: str
) -> NDArray[np.float64]:
    """Return the score of each match that the ratings predict for the entry, float64 [matches].

    The model is that of the ratings (Davidson 1970), with as many draws as there were in these matches. How
    much more or less the entry scores from each seat, over all matches, is added.

    Args:
        rated: Matches in which both players have a rating.
        ratings: Ratings in Elo points, by entry.
        entry: The entry.
    """
    scores = np.array([one.score for one in rated])
    odds = np.array([ratings[entry] - ratings[one.opponent] for one in rated]) / POINTS
    win, draw, _ = outcomes(odds, draw_parameter(odds, int((scores == 0.5).sum())))[0]
    expected = np.asarray(win + draw / 2, np.float64)
    rest = scores - expected
    for seat in (0, 1):
        here = np.array([one.seat == seat for one in rated])
        if here.any():
            expected[here] += fmean(rest[here].tolist())
    return expected


def draw_parameter(odds: NDArray[np.float64], draws: int) -> float:
    """Return the draw parameter, in log odds, with which a number of draws is expected.

    Args:
        odds: float64 [matches]. Log odds of a win against a loss.
        draws: The number of draws.
    """
    low, high = -MOST_DRAWS, MOST_DRAWS
    for _ in range(STEPS):
        middle = (low + high) / 2
        if outcomes(odds, middle)[0][1].sum() < draws:
            low = middle
        else:
            high = middle
    return (low + high) / 2
