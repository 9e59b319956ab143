"""Elo's ratings, match by match (Elo 1978).

A result is from the first player's side: 1 win, 0 draw, -1 loss. 400 points more mean ten wins to a loss.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from arena.api.options import option
from arena.api.rating import Rating, RatingSystem, Results
from arena.ratings.statistics import POINTS


class Elo(RatingSystem):
    """Elo's ratings, moved by each match in schedule order (Elo 1978). They have no interval."""

    k: float = option(16.0, "the most points a match moves a rating by", low=0, high=1000)
    initial: float = option(1500.0, "the rating to begin with")

    def rate(self, results: Results) -> list[Rating]:
        elo = EloRatings(len(results.entries), self.k, self.initial)
        elo.play(results.sequence())
        return [Rating(value) for value in elo.ratings]


class EloRatings:
    """Elo ratings of some entries, kept up to date match by match."""

    def __init__(self, entries: int, k: float = 16.0, initial: float = 1500.0) -> None:
        self.k = k
        self.ratings = [initial] * entries

    def play(self, matches: Iterable[tuple[int, int, int]]) -> None:
        """Take in matches, first, second and result of each. An entry against itself changes nothing."""
        ratings, k = self.ratings, self.k
        for first, second, result in matches:
            if first != second:
                ratings[first], ratings[second] = elo_update(ratings[first], ratings[second], result, k)


def elo_update(first: float, second: float, result: int, k: float) -> tuple[float, float]:
    """Both ratings after a match: k times score minus expected score, 1 / (1 + 10^(-difference / 400))."""
    # in terms of the hyperbolic tangent, which cannot overflow and is the same from either side
    change = k / 2 * (result - math.tanh((first - second) / (2 * POINTS)))
    return first + change, second - change
