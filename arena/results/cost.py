"""The cost of playing and of learning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple


@dataclass(frozen=True)
class Cost:
    """The cost of an entry's moves and of its training. All values may be 0.

    Attributes:
        seconds: Elapsed time of its moves, in seconds.
        moves: Number of these moves.
        episodes: Number of episodes from which the entry, and the learners in its options, had learned.
        training: Elapsed time of that training, in seconds.
    """

    seconds: float = 0.0
    moves: int = 0
    episodes: int = 0
    training: float = 0.0

    def and_of(self, other: Cost) -> Cost:
        """Add the cost of a later tournament: moves are summed, and the later training, if any, counts."""
        last = other if other.episodes else self
        return replace(last, seconds=self.seconds + other.seconds, moves=self.moves + other.moves)

    @property
    def per_move(self) -> float | None:
        """Seconds per move; None if there are no moves or no time was recorded."""
        return self.seconds / self.moves if self.moves and self.seconds else None


class Learned(NamedTuple):
    """The amount of training of a learner that is part of an entry.

    Attributes:
        learner: The learner's text.
        model: Key of its model.
        episodes: Episodes learned from.
        seconds: Elapsed time of training.
    """

    learner: str
    model: str
    episodes: int
    seconds: float
