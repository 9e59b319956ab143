"""Elo points per unit of log odds, and 95 % intervals of proportions."""

from __future__ import annotations

import math

POINTS = 400 / math.log(10)  # Elo points per unit of log odds
SURE = 1.96  # standard errors on each side of the mean that contain 95 % of a normal distribution


def wilson(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a proportion (Wilson 1927).

    Args:
        share: Observed proportion, from 0 to 1.
        n: Size of the sample.

    Returns:
        The lower and the upper end.
    """
    z = SURE**2 / n
    middle = (share + z / 2) / (1 + z)
    half = math.sqrt(z * share * (1 - share) + z * z / 4) / (1 + z)
    # return exactly 0 and 1 at the extremes, despite rounding
    return max(middle - half, 0.0) if share else 0.0, min(middle + half, 1.0) if share < 1 else 1.0
