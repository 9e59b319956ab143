"""Softmax policy."""

# ruff: noqa
# mypy: ignore-errors

import math

from arena import Agent, View, option


class Softmax(Agent):
    """Samples moves by a softmax of their evaluations."""

    temperature: float = option(0.5, "how random it is", low=0.01)

    def probabilities(self, state, moves):
        scores = [-self.game.evaluate(self.game.play(state, move)) / self.temperature for move in moves]
        top = max(scores)
        weights = [math.exp(score - top) for score in scores]
        total = sum(weights)
        return [w / total for w in weights]

    def choose(self, state, moves, rng):
        r = rng.random()
        for move, p in zip(moves, self.probabilities(state, moves)):
            r -= p
            if r <= 0:
                return move
        return moves[-1]

    def distribution(self, state, moves):
        return self.probabilities(state, moves)

    def explain(self, state, moves):
        return [View({"probability": p}, f"p = {p:.3f}") for p in self.probabilities(state, moves)]
