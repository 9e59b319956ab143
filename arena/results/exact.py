"""Expected results of matches, computed exactly without playing any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Expected(NamedTuple):
    """The exact expectation of a match of a pairing, from the first player's side.

    win, draw, loss: probabilities, which sum to 1; forfeits are wins and losses. first_forfeit,
    second_forfeit: the probability that this player forfeits. The others are means of a match: plies;
    first_moves, second_moves, those of the plies that this player chooses; first_blunders, second_blunders,
    those of these moves that give away value.
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
        """The first player's expected score, from 0 to 1."""
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
    """The exact results of a plan.

    pairings: by first and second entry. against_perfect: of each entry.
    """

    pairings: dict[tuple[int, int], Expected]
    against_perfect: list[AgainstPerfect]
