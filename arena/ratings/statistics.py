"""Elo points, and 95 % intervals as text."""

from __future__ import annotations

import math

from arena.api.rating import Rating

POINTS = 400 / math.log(10)  # Elo points to a unit of log odds
SURE = 1.96  # standard errors to either side hold 95 % of a normal distribution


def error_text(rating: Rating) -> str:
    """The interval beside a value: `± 36`; `−40 +85` where the sides differ by more than a tenth.

    `≥ 812` or `≤ 812` where an end is open, and nothing where both are.
    """
    value, low, high = rating
    if low is None or high is None:
        return f"≤ {high:.0f}" if high is not None else f"≥ {low:.0f}" if low is not None else ""
    below, above = value - low, high - value
    if abs(above - below) <= (above + below) / 20:
        return f"± {(high - low) / 2:.0f}"
    return f"−{below:.0f} +{above:.0f}"


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of n (Wilson 1927)."""
    z = SURE**2 / n
    middle = (share + z / 2) / (1 + z)
    half = math.sqrt(z * share * (1 - share) + z * z / 4) / (1 + z)
    # of none it begins at 0, of all it ends at 1, which rounding may miss
    return max(middle - half, 0.0) if share else 0.0, min(middle + half, 1.0) if share < 1 else 1.0
