"""Many decisions of an agent in one call of compiled code, as in compiled matches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena import Agent, Component, Rng, States, compiled
from arena.api.game import State


class Decisions(Component):
    """An agent that decides in a sequence of positions.

    Attributes:
        chosen: int64 [positions]. The moves it chose last.
    """

    def __init__(self, agent: Agent, states: Sequence[State]) -> None:
        self.game, self.agent = agent.game, agent
        self.states = States(agent.game, len(states))
        for i, state in enumerate(states):
            self.states[i] = state
        self.chosen = np.zeros(len(states), np.int64)

    @compiled
    def decide(self, times: int, rng: Rng) -> None:
        """Find the moves and choose one in each of the positions, `times` times."""
        for _ in range(times):
            for i in range(len(self.chosen)):
                state = self.states[i]
                self.chosen[i] = self.agent.choose(state, self.game.moves(state), rng)
