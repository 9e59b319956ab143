"""Learners of the registry, timed while they learn."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np

from arena import Component, Learner
from arena.compiler import is_compiled
from arena.registry.plugins import registry
from arena.training.learners import untrained


class TimedTraining:
    """A learner, made anew and trained on all its games whenever it is timed; `learner` is the last one."""

    learner: Any

    def __init__(self, game: str, entry: str) -> None:
        self.game, self.entry = registry().spec("game", game), registry().spec("agent", entry)
        self.begin().learn_many(range(1), [0, 0, 0])  # by which time it has been compiled

    def begin(self) -> Learner:
        """A new learner, ready to learn."""
        learner = untrained(self.entry, self.game)
        learner._begin_learning()
        if not is_compiled(learner):
            raise SystemExit(f"{self.entry} is not compiled here: is ARENA_COMPILED set to 0?")
        self.learner = learner
        return learner

    def rate(self) -> float:
        """Games learned from in a second of CPU time."""
        learner = self.begin()
        start = process_time()
        learner.learn_many(range(learner.episodes), [0, 0, 0])
        return learner.episodes / (process_time() - start)

    def positions(self) -> int:
        """How many positions the last learner has values of, or moves in positions."""
        return len(self.learner.model()["states"])

    def megabytes(self) -> float:
        """What its arrays take."""
        return sum(array.nbytes for array in arrays(self.learner)) / 1e6


def arrays(thing: Component) -> Iterator[Any]:
    """The arrays of a component, and of its tables."""
    for value in vars(thing).values():
        if isinstance(value, np.ndarray):
            yield value
    for part in thing.components():
        yield from arrays(part)
