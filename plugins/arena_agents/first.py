"""The first legal move."""

from __future__ import annotations

from arena import Agent, Rng


class First(Agent):
    """Plays the first legal move in the game's order of generation."""

    def choose(self, state: object, moves: list[object], rng: Rng) -> object:
        return moves[0]
