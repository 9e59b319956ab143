"""Evaluations for any game: the game's own evaluation, and no evaluation."""

from __future__ import annotations

from arena import Evaluation, State


class Nothing(Evaluation):
    """Evaluates every position as even."""

    def evaluate(self, state: State) -> float:
        return 0.0


class Own(Evaluation):
    """The game's own evaluation; if it has none, every position is even."""

    uses = ("evaluation",)

    def prepare(self) -> None:
        self.offered = "evaluation" in self.game.capabilities

    def evaluate(self, state: State) -> float:
        return super().evaluate(state) if self.offered else 0.0
