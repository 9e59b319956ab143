"""A player that needs no agent's class."""

from __future__ import annotations


class Last:
    """Plays the last move."""

    def __init__(self, game):
        self.game = game

    def begin(self, seat):
        pass

    def choose(self, state, moves, rng):
        return moves[-1]
