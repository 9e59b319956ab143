"""Check whether intervals contain the true rating, for scripts that measure coverage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.api.rating import Rating
from arena.ratings.maximum_likelihood import Fit

Floats = NDArray[np.floating[Any]]
Regime = TypeVar("Regime")


def holds(fit: Fit, truth: Floats) -> list[bool]:
    """Return for each entry whether its interval contains the true rating."""
    return [within(rating, true) for rating, true in zip(fit.ratings, truth.tolist(), strict=True)]


def within(rating: Rating, true: float) -> bool:
    """Return whether an interval, which may be open, contains a value."""
    _, low, high = rating
    return (low is None or low <= true) and (high is None or true <= high)


def table(
    head: Sequence[str],
    row_of: Callable[[Regime, int], str],
    regimes: Sequence[Regime],
    repetitions: int,
    processes: int | None,
) -> list[str]:
    """Return the lines of a table with a row for each regime, and print them as they come."""
    lines = [*head]
    print(*lines, sep="\n", flush=True)
    with ProcessPoolExecutor(processes) as pool:
        for row in pool.map(row_of, regimes, [repetitions] * len(regimes)):
            print(row, flush=True)
            lines.append(row)
    return lines
