"""Expected results of matches, computed exactly without playing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Expected(NamedTuple):
    """The exact expected result of a match of a pairing, from the first player's side.

    Attributes:
        win: Probability of a win, including forfeits of the opponent.
        draw: Probability of a draw.
        loss: Probability of a loss, including own forfeits. The three probabilities sum to 1.
        first_forfeit: Probability that the first player forfeits.
        second_forfeit: Probability that the second player forfeits.
        plies: Mean number of plies.
        first_moves: Mean number of moves that the first player chooses.
        second_moves: Mean number of moves that the second player chooses.
        first_blunders: Mean number of blunders of the first player.
        second_blunders: Mean number of blunders of the second player.
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
        """Return the expected result from the second player's side."""
        return Expected(
            self.loss, self.draw, self.win, self.second_forfeit, self.first_forfeit, self.plies,
            self.second_moves, self.first_moves, self.second_blunders, self.first_blunders,
        )  # fmt: skip


class AgainstPerfect(NamedTuple):
    """How much an entry scores below perfect play against a perfect opponent.

    Attributes:
        as_first: Shortfall in the first seat.
        as_second: Shortfall in the second seat.
        fault: Why the entry forfeits in some position; None if it never does.
    """

    as_first: float
    as_second: float
    fault: str | None

    @property
    def expected_loss(self) -> float:
        """Mean shortfall over both seats."""
        return (self.as_first + self.as_second) / 2


@dataclass(frozen=True)
class ExactResults:
    """The exact results of a plan.

    Attributes:
        pairings: Expected results by indices of first and second entry.
        against_perfect: Results against perfect play, by index of the entry.
    """

    pairings: dict[tuple[int, int], Expected]
    against_perfect: list[AgainstPerfect]
