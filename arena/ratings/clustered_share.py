"""Shares of moves, and differences between them, from matches whose moves depend on each other.

A match is a cluster: its moves share an opponent, an opening and a position, so they tell less than as many
moves of different matches. All functions take sums by match.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings import student
from arena.ratings.statistics import SURE, wilson

Floats = NDArray[np.float64]
LEVEL = 0.975  # of the quantile for an interval of 95 %


class Share(NamedTuple):
    """A share with its 95 % interval, all from 0 to 1."""

    share: float
    low: float
    high: float


def share_of(hits: Floats, sizes: Floats) -> Share | None:
    """Return the share of hits among all moves with its 95 % interval; None without moves.

    The share is a ratio of sums, and its variance is that of the linearised ratio with matches as clusters.
    From it follows the number of independent moves that would be as precise (Korn & Graubard 1998), for which
    Wilson's interval is taken, with Student's quantile. If all moves are hits, or none, each match counts as
    one observation.

    Args:
        hits: float64 [matches], number of hits.
        sizes: float64 [matches], number of moves.
    """
    hits, sizes = hits[sizes > 0], sizes[sizes > 0]
    total, matches = float(sizes.sum()), len(sizes)
    if not matches:
        return None
    share = float(hits.sum()) / total
    if matches == 1:
        return Share(share, *wilson(share, int(total)))
    if share in (0, 1):
        return Share(share, *wilson(share, matches))
    rest = hits - share * sizes
    variance = matches / (matches - 1) * float((rest * rest).sum()) / total**2
    like = share * (1 - share) / variance if variance > 0 else total
    return Share(share, *wilson_of(share, min(like, total) * (SURE / quantile(matches - 1)) ** 2))


@lru_cache
def quantile(freedom: int) -> float:
    """Return Student's quantile for an interval of 95 %."""
    return float(student.quantile(LEVEL, float(freedom)))


def wilson_of(share: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a sample whose size need not be whole."""
    z = SURE**2 / n
    middle = (share + z / 2) / (1 + z)
    half = math.sqrt(z * share * (1 - share) + z * z / 4) / (1 + z)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def chance_of_more(hits: Floats, sizes: Floats, other_hits: Floats, other_sizes: Floats) -> float:
    """Return how likely so much larger a share would be by chance, if both shares were the same.

    A score test of the difference between two shares with matches as clusters, one-sided, with Student's
    distribution. The moves of both may come from the same matches.

    Args:
        hits: float64 [matches], number of hits among the moves in question.
        sizes: float64 [matches], number of the moves in question.
        other_hits: float64 [matches], number of hits among the others.
        other_sizes: float64 [matches], number of the others.
    """
    size, other = float(sizes.sum()), float(other_sizes.sum())
    if not size or not other:
        return 1.0
    pooled = float(hits.sum() + other_hits.sum()) / (size + other)
    difference = float(hits.sum()) / size - float(other_hits.sum()) / other
    rest = (hits - pooled * sizes) / size - (other_hits - pooled * other_sizes) / other
    matches = int(np.count_nonzero((sizes > 0) | (other_sizes > 0)))
    if matches < 2 or difference <= 0:
        return 1.0
    spread = math.sqrt(matches / (matches - 1) * float((rest * rest).sum()))
    return float(student.cdf(-difference / spread, float(matches - 1))) if spread else 1.0


def gain_of(hits: float, size: float, other_hits: float, other_size: float) -> float:
    """Return by how much two shares explain hits better than one: the gain in log likelihood."""
    both = log_likelihood(hits + other_hits, size + other_size)
    return log_likelihood(hits, size) + log_likelihood(other_hits, other_size) - both


def log_likelihood(hits: float, size: float) -> float:
    """Return the largest log likelihood of so many hits among so many moves."""
    missed = size - hits
    won = hits * math.log(hits / size) if hits else 0.0
    return won + (missed * math.log(missed / size) if missed else 0.0)


def corrected(chances: list[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979), in the same order."""
    found, worst = [0.0] * len(chances), 0.0
    for rank, i in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        worst = max(worst, min(1.0, (len(chances) - rank) * chances[i]))
        found[i] = worst
    return found
