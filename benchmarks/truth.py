"""Whether intervals hold the truth, for scripts that count how often they do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.api.rating import Rating
from arena.ratings.maximum_likelihood import Fit

Floats = NDArray[np.floating[Any]]


def holds(fit: Fit, truth: Floats) -> list[bool]:
    """Of each entry, whether its interval holds the truth."""
    return [within(rating, true) for rating, true in zip(fit.ratings, truth.tolist(), strict=True)]


def within(rating: Rating, true: float) -> bool:
    """Whether an interval, which may be open, holds the truth."""
    _, low, high = rating
    return (low is None or low <= true) and (high is None or true <= high)
