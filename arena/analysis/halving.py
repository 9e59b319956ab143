"""Sequential halving: find the best of some candidates with a limited number of noisy measurements.

Z. Karnin, T. Koren & O. Somekh, "Almost Optimal Exploration in Multi-Armed Bandits" (2013). Each round spends
an equal part of the budget on the remaining candidates, and drops the worse half. Measurements from earlier
rounds are kept; the paper discards them only for its proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple


class Round(NamedTuple):
    """A round of sequential halving.

    Attributes:
        candidates: Number of candidates measured.
        before: Number of measurements of each candidate in earlier rounds.
        until: Number of measurements of each candidate after this round.
    """

    candidates: int
    before: int
    until: int


def least_budget(candidates: int) -> int:
    """Return the minimum number of measurements: one for each candidate in each round."""
    return sum(sizes(candidates))


def sizes(candidates: int) -> list[int]:
    """Return the number of candidates in each round, down to two."""
    found = []
    while candidates > 1:
        found.append(candidates)
        candidates = -(-candidates // 2)
    return found


def rounds_of(candidates: int, budget: int) -> list[Round]:
    """Return the rounds that find the best of some candidates.

    Args:
        candidates: Number of candidates, at least two.
        budget: Total number of measurements, at least `least_budget`.
    """
    left = sizes(candidates)
    found, until = [], 0
    for i, many in enumerate(left):
        share = budget // ((len(left) - i) * many)  # divide evenly among remaining rounds
        most = (budget - sum(left[i + 1 :])) // many
        before, until = until, until + max(1, min(share, most))
        budget -= many * (until - before)
        found.append(Round(many, before, until))
    return found


def survivors(scores: Sequence[Sequence[float]], among: Sequence[int], many: int) -> list[int]:
    """Return the candidates with the best mean scores, in order; ties are broken by order.

    Args:
        scores: The measurements of each candidate.
        among: The remaining candidates.
        many: Number of candidates to keep.
    """
    ranked = sorted(among, key=lambda i: -fmean(scores[i]))
    return sorted(ranked[:many])
