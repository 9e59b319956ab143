"""How many episodes a learner gets through in a budget of seconds, measured by runs of growing length."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from training import AIM, CLOSE, STEP, learning_seconds, rounded, warm

FIRST = 8  # episodes of the first run
SHORT, TIMES = 0.1, 3  # seconds of a run that is measured so often, for the fastest counts


class Measured(NamedTuple):
    """The episodes of a budget, and the run that they are derived from: its episodes and CPU seconds."""

    episodes: int
    run: int
    seconds: float


def calibrated(learner: Callable[[int], str], game: str, budget: float, most: int | None) -> Measured:
    """Measured by a run of most of the budget, unless `most` episodes take less.

    learner: the entry that learns from so many episodes.
    """
    warm(learner(FIRST), game)
    run = min(FIRST, most or FIRST)
    while True:
        seconds = fastest(learner(run), game)
        if most and run >= most and seconds <= budget:
            return Measured(most, run, seconds)
        if seconds >= CLOSE * budget:
            return Measured(min(rounded(run * budget / seconds), most or 10**15), run, seconds)
        growth = min(STEP, AIM * budget / max(seconds, 1e-9))
        run = min(rounded(run * max(growth, 1.2)), most or 10**15)


def fastest(learner: str, game: str) -> float:
    """CPU seconds that it takes to learn, with the least of what else a machine does where that is short."""
    seconds = learning_seconds(learner, game)
    if seconds > SHORT:
        return seconds
    return min(seconds, *(learning_seconds(learner, game) for _ in range(TIMES - 1)))
