"""An evaluation of checkers by what a line of play wins and loses."""

from __future__ import annotations

from arena import Evaluation, option, popcount
from arena_games.checkers.draughts import State


class Material(Evaluation):
    """Checkers: men and kings, own minus other, as the change since where the search begins.

    So a tie on the board counts as much as keeping what one has.
    """

    needs = ("enemy_half",)
    man: float = option(1.0, "value of a man")
    king: float = option(2.0, "value of a king")

    def prepare(self) -> None:
        self.before = 0.0  # player 0's balance where the search begins

    def root(self, state: State) -> None:
        self.before = self.balance(state) if self.game.to_move(state) == 0 else -self.balance(state)

    def evaluate(self, state: State) -> float:
        return self.balance(state) - (self.before if self.game.to_move(state) == 0 else -self.before)

    def balance(self, state: State) -> float:
        """Men and kings, own minus other."""
        own, other, kings, _ = state
        men = popcount(own & ~kings) - popcount(other & ~kings)
        return self.man * men + self.king * (popcount(own & kings) - popcount(other & kings))
