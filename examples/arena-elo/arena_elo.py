"""A rating system plugin: the PyPI package `elo`, as `elo-package`."""

from __future__ import annotations

import elo

from arena import Rating, RatingSystem, Results, hookimpl, option


@hookimpl
def register_ratings(register):
    register("elo-package", "arena_elo:EloPackage")


class EloPackage(RatingSystem):
    """Elo's ratings in schedule order, as the package `elo` computes them."""

    k: float = option(16.0, "maximum rating change per match", low=0)
    initial: float = option(1500.0, "initial rating")

    def rate(self, results: Results) -> list[Rating]:
        system = elo.Elo(k_factor=self.k)
        ratings = [self.initial] * len(results.entries)
        for first, second, result in results.sequence():
            if first != second:
                one, other, score = ratings[first], ratings[second], (result + 1) / 2
                ratings[first] = system.rate(one, [(score, other)])
                ratings[second] = system.rate(other, [(1 - score, one)])
        return [Rating(value) for value in ratings]
