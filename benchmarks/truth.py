"""Whether intervals hold the truth, for scripts that count how often they do."""

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
    """Of each entry, whether its interval holds the truth."""
    return [within(rating, true) for rating, true in zip(fit.ratings, truth.tolist(), strict=True)]


def within(rating: Rating, true: float) -> bool:
    """Whether an interval, which may be open, holds the truth."""
    _, low, high = rating
    return (low is None or low <= true) and (high is None or true <= high)


def table(
    head: Sequence[str],
    row_of: Callable[[Regime, int], str],
    regimes: Sequence[Regime],
    repetitions: int,
    processes: int | None,
) -> list[str]:
    """The lines of a table with a row for each regime, which is printed as rows come."""
    lines = [*head]
    print(*lines, sep="\n", flush=True)
    with ProcessPoolExecutor(processes) as pool:
        for row in pool.map(row_of, regimes, [repetitions] * len(regimes)):
            print(row, flush=True)
            lines.append(row)
    return lines
