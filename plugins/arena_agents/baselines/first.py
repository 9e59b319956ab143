"""An agent that plays the first legal move."""

from __future__ import annotations

from arena import Agent, Move, Rng, State


class First(Agent):
    """Plays the first legal move, which depends only on the position."""

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        return moves[0]
