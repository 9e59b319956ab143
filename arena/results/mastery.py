"""Measures of how well entries play, according to the exact solution of a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.results.exact import AgainstPerfect, Expected


class Mastery(NamedTuple):
    """Measures of how close an entry is to perfect play; None if unknown.

    Attributes:
        blunder_rate: Share of its moves that are blunders, from 0 to 1.
        blunder_error: Half of the 95 % confidence interval of the rate; None if the rate is exact.
        expected_loss: How much it scores below perfect play against a perfect opponent; mean of both seats.
    """

    blunder_rate: float | None = None
    blunder_error: float | None = None
    expected_loss: float | None = None


UNKNOWN = Mastery()


def mastery_of(
    pairings: Mapping[tuple[str, str], tuple[Expected, float]], perfect: Mapping[str, AgainstPerfect]
) -> dict[str, Mastery]:
    """Return the mastery of exactly evaluated entries, by name.

    Args:
        pairings: Expected result and weight in matches, by names of first and second entry.
        perfect: Results against perfect play, by name.
    """
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
