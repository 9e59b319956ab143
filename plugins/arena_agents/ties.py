"""Choose among moves with equal scores."""

from __future__ import annotations

from typing import Any

from arena import Rng


def pick_best(scores: Any, n: int, at_random: bool, rng: Rng) -> int:
    """Return the index of the highest of the first `n` scores; ties go to the first or a random one.

    A random number is drawn only if there are ties.
    """
    best: float = scores[0]
    count = 0
    for i in range(n):
        if scores[i] > best:
            best = scores[i]
            count = 0
        if scores[i] == best:
            count += 1
    wanted = rng.below(count) if at_random and count > 1 else 0
    for i in range(n):
        if scores[i] == best:
            if wanted == 0:
                return i
            wanted -= 1
    return 0


def probabilities(scores: Any, ties: str) -> list[float]:
    """Return the probability that each score is taken, for `ties` "first", "last" or "random"."""
    best = max(scores)
    tied = [score == best for score in scores]
    if ties != "random":
        taken = tied.index(True) if ties == "first" else len(tied) - 1 - tied[::-1].index(True)
        return [float(i == taken) for i in range(len(tied))]
    return [one / sum(tied) for one in tied]
