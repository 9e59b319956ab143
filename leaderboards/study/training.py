"""Learners trained in this process, and the CPU time that it takes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time
from typing import Any

import arena
from arena.registry.plugins import registry
from arena.training.learners import untrained

CLOSE, AIM = 0.7, 0.85  # of the budget that a measured run has to take at least, and is to take
STEP = 8  # times as many episodes, at most, for the next run
HERE: dict[str, Any] = {"executor": "serial", "workers": 1, "progress": False}  # for arena's calls


def warm(learner: str, game: str) -> None:
    """Have a learner compiled, or its code read, by an episode that is forgotten."""
    untrained(registry().spec("agent", learner), registry().spec("game", game)).learn_many(
        range(1), [0, 0, 0]
    )


def learning_seconds(learner: str, game: str) -> float:
    """CPU seconds that a warm learner takes, from nothing to the end of its episodes."""
    on, spec = registry().spec("game", game), registry().spec("agent", learner)
    begun = process_time()
    made = untrained(spec, on)
    made.learn_many(range(made.episodes), [0, 0, 0])
    return process_time() - begun


@contextmanager
def trained(learner: str, game: str) -> Iterator[float]:
    """Train a learner, whose model is there inside; CPU seconds that it took, with writing that."""
    warm(learner, game)
    begun = process_time()
    found = arena.train(learner, game=game, retrain=True, **HERE)
    try:
        yield process_time() - begun
    finally:
        found.path.unlink(missing_ok=True)


def rounded(episodes: float) -> int:
    """To two digits, and one at least."""
    return max(1, int(float(f"{episodes:.1e}")))
