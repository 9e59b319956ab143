"""How well entries play by the exact solution of a game: blunders, and what they lose to perfect play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.results.exact import AgainstPerfect, Expected


class Mastery(NamedTuple):
    """What is known of an entry.

    blunder_rate: the share of its moves that give away value, from 0 to 1. blunder_error: half the 95 %
    interval of that, None if it is exact. expected_loss: by how much its score falls short of perfect play in
    a match against that, the mean of both seats.
    """

    blunder_rate: float | None = None
    blunder_error: float | None = None
    expected_loss: float | None = None


UNKNOWN = Mastery()


def mastery_of(
    pairings: Mapping[tuple[str, str], tuple[Expected, float]], perfect: Mapping[str, AgainstPerfect]
) -> dict[str, Mastery]:
    """Of entries whose pairings were evaluated, each standing for so many matches."""
    moves: dict[str, float] = {}
    blunders: dict[str, float] = {}
    for (first, second), (found, n) in pairings.items():
        for name, own in ((first, found), (second, found.swapped())):
            moves[name] = moves.get(name, 0.0) + n * own.first_moves
            blunders[name] = blunders.get(name, 0.0) + n * own.first_blunders
    rates = {name: blunders[name] / moves[name] if moves[name] else None for name in moves}
    return {
        name: Mastery(rate, None, perfect[name].expected_loss if name in perfect else None)
        for name, rate in rates.items()
    }
