"""The evaluations that do for any game: its own, and none."""

from __future__ import annotations

from arena import Evaluation, State


class Nothing(Evaluation):
    """Every position is even."""

    def evaluate(self, state: State) -> float:
        return 0.0


class Own(Evaluation):
    """The game's own evaluation; where it offers none, every position is even."""

    uses = ("evaluation",)

    def prepare(self) -> None:
        self.offered = "evaluation" in self.game.capabilities

    def evaluate(self, state: State) -> float:
        return super().evaluate(state) if self.offered else 0.0
