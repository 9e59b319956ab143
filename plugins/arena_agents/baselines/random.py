"""An agent that plays random moves."""

from __future__ import annotations

from collections.abc import Sequence

from arena import Agent, Move, Rng, State


class Random(Agent):
    """Plays a legal move uniformly at random."""

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        return rng.choice(moves)

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        return [1 / len(moves)] * len(moves)
