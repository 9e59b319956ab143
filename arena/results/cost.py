"""What it took to play and to learn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple


@dataclass(frozen=True)
class Cost:
    """seconds: of an entry's moves, in its own code by the clock. moves: how many these were.

    episodes: that it, and whoever it names, had learned from. training: seconds of that. All may be 0.
    """

    seconds: float = 0.0
    moves: int = 0
    episodes: int = 0
    training: float = 0.0

    def and_of(self, other: Cost) -> Cost:
        """Together with another tournament's, which has the same models if it has any."""
        last = other if other.episodes else self
        return replace(last, seconds=self.seconds + other.seconds, moves=self.moves + other.moves)

    @property
    def per_move(self) -> float | None:
        """Seconds; None where none were taken."""
        return self.seconds / self.moves if self.moves and self.seconds else None


class Learned(NamedTuple):
    """What a learner within an entry had learned: its text, its model's key, episodes, seconds."""

    learner: str
    model: str
    episodes: int
    seconds: float
