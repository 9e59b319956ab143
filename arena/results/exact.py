"""What matches come to exactly, where nothing is played and all is reckoned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Expected(NamedTuple):
    """What a pairing comes to exactly, from the first player's side.

    win, draw, loss: their chances, forfeits among them. first_forfeit, second_forfeit: the chances that the
    one or the other forfeits. plies: of a match on average; first_moves, second_moves: likewise, how many of
    them the one or the other chooses, and first_blunders, second_blunders: how many of those give away value.
    """

    win: float
    draw: float
    loss: float
    first_forfeit: float
    second_forfeit: float
    plies: float
    first_moves: float
    second_moves: float
    first_blunders: float
    second_blunders: float

    @property
    def score(self) -> float:
        """The first player's, from 0 to 1."""
        return self.win + self.draw / 2

    def swapped(self) -> Expected:
        """The same from the second player's side."""
        return Expected(
            self.loss, self.draw, self.win, self.second_forfeit, self.first_forfeit, self.plies,
            self.second_moves, self.first_moves, self.second_blunders, self.first_blunders,
        )  # fmt: skip


class AgainstPerfect(NamedTuple):
    """By how much an entry's score falls short of perfect play, against perfect play, from either seat.

    fault: why it forfeits in some position, if it does.
    """

    as_first: float
    as_second: float
    fault: str | None

    @property
    def expected_loss(self) -> float:
        """In a match from either seat, on average."""
        return (self.as_first + self.as_second) / 2


@dataclass(frozen=True)
class ExactResults:
    """What a plan's matches come to.

    pairings: by first and second entry. against_perfect: of each entry.
    """

    pairings: dict[tuple[int, int], Expected]
    against_perfect: list[AgainstPerfect]
