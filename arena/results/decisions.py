"""Moves that entries left to chance in their matches, and what each that they had is worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Decisions(NamedTuple):
    """Positions of matches in which an entry said with which probabilities it moves.

    match: int64 [decisions], the numbers of the matches. seat: int64 [decisions], who moved. ply: int64
    [decisions]. first: int64 [decisions + 1], where the moves of each begin. chosen: int64 [decisions], the
    move that was made, by its place among all. probability, score: float64 [moves]; the score the greater the
    better for the first player, NaN where there is none.
    """

    match: NDArray[np.int64]
    seat: NDArray[np.int64]
    ply: NDArray[np.int64]
    first: NDArray[np.int64]
    chosen: NDArray[np.int64]
    probability: NDArray[np.float64]
    score: NDArray[np.float64]

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.match)

    @classmethod
    def joined(cls, parts: list[Decisions]) -> Decisions:
        """All decisions of some, in their order."""
        if not parts:
            none, empty = np.zeros(0, np.int64), np.zeros(0)
            return cls(none, none, none, np.zeros(1, np.int64), none, empty, empty)
        offsets = np.cumsum([0, *(len(part.probability) for part in parts)])[: len(parts)]
        shifted = list(zip(parts, offsets.tolist(), strict=True))
        return cls(
            match=np.concatenate([part.match for part in parts]),
            seat=np.concatenate([part.seat for part in parts]),
            ply=np.concatenate([part.ply for part in parts]),
            first=np.concatenate([[0], *(part.first[1:] + offset for part, offset in shifted)]),
            chosen=np.concatenate([part.chosen + offset for part, offset in shifted]),
            probability=np.concatenate([part.probability for part in parts]),
            score=np.concatenate([part.score for part in parts]),
        )
