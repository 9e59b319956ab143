"""Choosing among moves of equal score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import Rng


def pick_best(scores: Sequence[float], moves: Sequence[Any], ties: str, rng: Rng) -> Any:
    """A move of the highest score: the first, or with `ties="random"` any, uniformly.

    Draws from `rng` only if there is something to choose.
    """
    top = max(scores)
    best = [move for move, score in zip(moves, scores, strict=True) if score == top]
    return best[rng.below(len(best))] if ties == "random" and len(best) > 1 else best[0]
