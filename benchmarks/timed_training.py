"""Time registered learners while they learn."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np

from arena import Learner
from arena.compiler import is_compiled
from arena.registry.plugins import registry
from arena.training.learners import untrained


class TimedTraining:
    """A learner that is created anew and trained on all its games each time it is timed.

    Attributes:
        learner: The last instance.
    """

    learner: Any

    def __init__(self, game: str, entry: str) -> None:
        self.game, self.entry = registry().spec("game", game), registry().spec("agent", entry)
        self.begin().learn_many(range(1), [0, 0, 0])  # by which time it has been compiled

    def begin(self) -> Learner:
        """Create a learner that is ready to learn; exit with an error if it is not compiled."""
        learner = untrained(self.entry, self.game)
        learner._begin_learning()
        if not is_compiled(learner):
            raise SystemExit(f"{self.entry} is not compiled here: is ARENA_COMPILED set to 0?")
        self.learner = learner
        return learner

    def rate(self) -> float:
        """Return the games learned from per second of CPU time."""
        learner = self.begin()
        start = process_time()
        learner.learn_many(range(learner.episodes), [0, 0, 0])
        return learner.episodes / (process_time() - start)

    def positions(self) -> int:
        """Return the number of positions, or moves in positions, for which the last learner has values."""
        return len(self.learner.model()["states"])

    def megabytes(self) -> float:
        """Return the size of its arrays in megabytes."""
        return sum(array.nbytes for array in arrays(self.learner)) / 1e6


def arrays(thing: Any) -> Iterator[Any]:
    """Yield the arrays of a component and of its parts."""
    for value in vars(thing).values():
        if isinstance(value, np.ndarray):
            yield value
    for part in thing.components():
        yield from arrays(part)
