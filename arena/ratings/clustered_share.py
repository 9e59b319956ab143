"""Shares of moves, such as blunder rates, and their differences, with matches as clusters.

The moves of a match share an opponent and an opening and are not independent, so they contain less
information than the same number of moves from different matches. All functions expect sums by match.
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
LEVEL = 0.975  # probability of the quantile for a 95 % interval


class Share(NamedTuple):
    """A share with its 95 % interval, all from 0 to 1."""

    share: float
    low: float
    high: float


def share_of(hits: Floats, sizes: Floats) -> Share | None:
    """Return the share of hits among all moves with its 95 % interval; None without moves.

    The share is a ratio of sums, and its variance is that of the linearised ratio with matches as clusters.
    This variance gives the effective number of independent moves (Korn & Graubard 1998), for which Wilson's
    interval with a quantile of Student's t is returned. If all moves are hits, or none, each match counts as
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
    """Return the quantile of Student's t for a 95 % interval."""
    return float(student.quantile(LEVEL, float(freedom)))


def wilson_of(share: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a sample size that need not be an integer."""
    z = SURE**2 / n
    middle = (share + z / 2) / (1 + z)
    half = math.sqrt(z * share * (1 - share) + z * z / 4) / (1 + z)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def chance_of_more(hits: Floats, sizes: Floats, other_hits: Floats, other_sizes: Floats) -> float:
    """Return the one-sided p-value of the test that a share is not larger than another.

    This is a score test of the difference between two shares with matches as clusters, with Student's
    distribution. The moves of both shares may come from the same matches.

    Args:
        hits: float64 [matches], number of hits among the first share's moves.
        sizes: float64 [matches], number of the first share's moves.
        other_hits: float64 [matches], number of hits among the other share's moves.
        other_sizes: float64 [matches], number of the other share's moves.
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
    """Return the gain in log likelihood of two separate shares over a common share."""
    both = log_likelihood(hits + other_hits, size + other_size)
    return log_likelihood(hits, size) + log_likelihood(other_hits, other_size) - both


def log_likelihood(hits: float, size: float) -> float:
    """Return the maximum log likelihood of `hits` hits among `size` moves."""
    missed = size - hits
    won = hits * math.log(hits / size) if hits else 0.0
    return won + (missed * math.log(missed / size) if missed else 0.0)


def corrected(chances: list[float]) -> list[float]:
    """Return p-values corrected for multiple testing (Holm 1979), in the same order."""
    found, worst = [0.0] * len(chances), 0.0
    for rank, i in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        worst = max(worst, min(1.0, (len(chances) - rank) * chances[i]))
        found[i] = worst
    return found
