"""Linear evaluation: the score is a weighted sum of features, with separate weights for each player."""

from __future__ import annotations

from typing import Any

from arena import Component, Game, State


class Linear(Component):
    """Scores positions by the weights of the player who is to move at the root of the search.

    weights: float64 [vectors, features]; vector: the index of the vector in use. player: the player at the
    root. draw: the score of a draw for that player.
    """

    rooted = True

    def __init__(self, game: Game, weights: Any, draw: float) -> None:
        self.game, self.weights, self.draw = game, weights, draw
        self.vector = self.player = 0

    def root(self, state: State) -> None:
        """Begin a search in this position."""
        self.player = self.game.to_move(state)

    def drawn(self, state: State) -> float:
        """Return the score of a draw, for the player to move."""
        return self.draw if self.game.to_move(state) == self.player else -self.draw

    def evaluate(self, state: State) -> float:
        """Return the score, for the player to move."""
        weights = self.weights[self.vector]
        signed = neutral = 0.0
        for f, feature in enumerate(self.game.features(state)):
            if self.game.neutral_features >> f & 1:
                neutral += weights[f] * feature
            else:
                signed += weights[f] * feature
        return signed + neutral if self.game.to_move(state) == self.player else signed - neutral
