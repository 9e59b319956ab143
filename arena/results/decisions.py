"""Random choices of moves by entries, with the probability and score of each alternative."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Decisions(NamedTuple):
    """Positions of matches in which an entry stated its move probabilities.

    Attributes:
        match: int64 [decisions], numbers of the matches.
        seat: int64 [decisions], the side to move, 0 or 1.
        ply: int64 [decisions], number of the ply.
        first: int64 [decisions + 1], index in `probability` and `score` of the first move of each decision.
        chosen: int64 [decisions], index in `probability` and `score` of the move played.
        probability: float64 [moves].
        score: float64 [moves], greater is better for the first player; NaN if unknown.
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
        """Number of decisions."""
        return len(self.match)

    @classmethod
    def joined(cls, parts: list[Decisions]) -> Decisions:
        """Concatenate decisions in order."""
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
