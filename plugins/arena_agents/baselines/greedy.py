"""An agent that searches one ply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from arena import Agent, Move, Rng, Spec, State, View, option
from arena_agents.ties import pick_best, probabilities
from arena_agents.verdicts import WIN, view


class Greedy(Agent):
    """Plays a move that wins at once, or else the move with the best evaluation after it."""

    needs = ("evaluation",)
    kept_attributes = ("scores",)

    evaluation: Spec = option("own", "evaluation of positions", kind="evaluation")
    ties: Literal["first", "random"] = option("random", "choice among equally good moves")

    def prepare(self) -> None:
        self.judge = self.evaluation.make(self.game)
        self.scores = np.zeros(self.game.max_moves)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.rate(state, moves)
        return moves[pick_best(self.scores, len(moves), self.ties == "random", rng)]

    def rate(self, state: State, moves: list[Move]) -> None:
        self.judge.root(state)
        for i in range(len(moves)):
            after = self.game.play(state, moves[i])
            value = self.value(after)
            passed = self.game.alternating or self.game.to_move(after) != self.game.to_move(state)
            self.scores[i] = -value if passed else value

    def value(self, state: State) -> float:
        """Return the outcome if the game is over, otherwise the evaluation, for the player to move."""
        if not self.game.moves(state):
            return self.game.value(state) * WIN
        return self.judge.evaluate(state)

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return probabilities(self.scores[: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the evaluation after the move; 10**15 if it wins."""
        self.choose(state, moves, Rng())
        return [view(score) for score in self.scores[: len(moves)]]
