"""Elo ratings, updated match by match (Elo 1978).

Results are from the first player's side: 1 win, 0 draw, -1 loss. A difference of 400 points means odds of ten
wins to one loss.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from arena.api.options import option
from arena.api.rating import Rating, RatingSystem, Results
from arena.ratings.statistics import POINTS


class Elo(RatingSystem):
    """Elo ratings, updated after each match in schedule order (Elo 1978), without intervals."""

    k: float = option(16.0, "maximum rating change per match", low=0, high=1000)
    initial: float = option(1500.0, "initial rating")

    def rate(self, results: Results) -> list[Rating]:
        """Return Elo ratings after all matches in schedule order, without intervals."""
        elo = EloRatings(len(results.entries), self.k, self.initial)
        elo.play(results.sequence())
        return [Rating(value) for value in elo.ratings]


class EloRatings:
    """Elo ratings of some entries, updated match by match.

    Args:
        entries: Number of entries.
        k: Maximum number of points by which a match changes a rating.
        initial: Rating of each entry before its first match.
    """

    def __init__(self, entries: int, k: float = 16.0, initial: float = 1500.0) -> None:
        self.k = k
        self.ratings = [initial] * entries

    def play(self, matches: Iterable[tuple[int, int, int]]) -> None:
        """Update the ratings with matches, in order.

        Matches of an entry against itself change nothing.

        Args:
            matches: Index of the first and of the second entry, and the result, for each match.
        """
        ratings, k = self.ratings, self.k
        for first, second, result in matches:
            if first != second:
                ratings[first], ratings[second] = elo_update(ratings[first], ratings[second], result, k)


def elo_update(first: float, second: float, result: int, k: float) -> tuple[float, float]:
    """Return both ratings after a match.

    They change by k times the difference between the score and the expected score, which is 1 / (1 +
    10^(-difference / 400)).

    Args:
        first: Rating of the first player.
        second: Rating of the second player.
        result: From the first player's side: 1 win, 0 draw, -1 loss.
        k: Maximum change in points.
    """
    # the hyperbolic tangent cannot overflow, and is exactly symmetric in the two players
    change = k / 2 * (result - math.tanh((first - second) / (2 * POINTS)))
    return first + change, second - change
