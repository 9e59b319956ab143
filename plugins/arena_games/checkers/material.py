"""An evaluation of checkers by the material won and lost in a line of play."""

from __future__ import annotations

from arena import Evaluation, option, popcount
from arena_games.checkers.draughts import State


class Material(Evaluation):
    """Checkers: own minus opponent's men and kings, as the change since the search began.

    An even balance therefore counts the same as keeping an advantage.
    """

    needs = ("enemy_half",)
    man: float = option(1.0, "value of a man")
    king: float = option(2.0, "value of a king")

    def prepare(self) -> None:
        self.before = 0.0  # player 0's balance in the position where the search begins

    def root(self, state: State) -> None:
        self.before = self.balance(state) if self.game.to_move(state) == 0 else -self.balance(state)

    def evaluate(self, state: State) -> float:
        return self.balance(state) - (self.before if self.game.to_move(state) == 0 else -self.before)

    def balance(self, state: State) -> float:
        """Return own minus opponent's men and kings."""
        own, other, kings, _ = state
        men = popcount(own & ~kings) - popcount(other & ~kings)
        return self.man * men + self.king * (popcount(own & kings) - popcount(other & kings))
