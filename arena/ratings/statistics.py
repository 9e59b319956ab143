"""Conversion to Elo points, and 95 % intervals as text."""

from __future__ import annotations

import math

from arena.api.rating import Rating

POINTS = 400 / math.log(10)  # Elo points per unit of log odds
SURE = 1.96  # standard errors on each side of the mean that contain 95 % of a normal distribution


def error_text(rating: Rating) -> str:
    """Return the 95 % interval of a rating as text, to be shown after the rating.

    The text is `± 36`, or `−40 +85` if the two sides differ by more than a tenth of their mean. It is `≥ 812`
    or `≤ 812` if one end is open, and empty if both ends are.
    """
    value, low, high = rating
    if low is None or high is None:
        return f"≤ {high:.0f}" if high is not None else f"≥ {low:.0f}" if low is not None else ""
    below, above = value - low, high - value
    if abs(above - below) <= (above + below) / 20:
        return f"± {(high - low) / 2:.0f}"
    return f"−{below:.0f} +{above:.0f}"


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
