"""Any legal move."""

from __future__ import annotations

from arena import Agent, Rng


class Random(Agent):
    """Plays a legal move uniformly at random."""

    def choose(self, state: object, moves: list[object], rng: Rng) -> object:
        return moves[rng.below(len(moves))]
