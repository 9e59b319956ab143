"""Choosing among moves of equal score."""

from __future__ import annotations

from typing import Any

from arena.kernel import FloatPointer, Int, IntPointer
from arena.rng import below

FIRST, RANDOM = 0, 1
TIES = ("first", "random")  # as options say it


def pick_best(scores: FloatPointer, n: Int, ties: Int, stream: IntPointer) -> Int:
    """The index of the highest of `n` scores: the first, or with RANDOM any, uniformly.

    Draws a random number only if there is something to choose.
    """
    best: float = scores[0]
    count = 0
    for i in range(n):
        if scores[i] > best:
            best = scores[i]
            count = 0
        if scores[i] == best:
            count += 1
    wanted = below(stream, count) if ties == RANDOM and count > 1 else 0
    for i in range(n):
        if scores[i] == best:
            if wanted == 0:
                return i
            wanted -= 1
    return 0


def chances(scores: Any, ties: str) -> list[float]:
    """With which chance `pick_best` takes each."""
    best = max(scores)
    tied = [score == best for score in scores]
    if ties == "first":
        return [float(i == tied.index(True)) for i in range(len(tied))]
    return [one / sum(tied) for one in tied]
