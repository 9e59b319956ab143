"""Elo points, and intervals that hold 95 % of a normal distribution."""

from __future__ import annotations

import math

from arena.api.rating import Rating

POINTS = 400 / math.log(10)  # Elo points to a unit of log odds


SURE = 1.96  # standard errors to either side hold 95 % of a normal distribution


def interval(value: float, variance: float) -> Rating:
    """A value in Elo points with its 95 % interval; variance: of its error, in squared points."""
    error = SURE * math.sqrt(max(variance, 0.0))  # rounding may leave less than nothing
    return Rating(value, value - error, value + error)
