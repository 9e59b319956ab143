"""An agent's policy: the probability of each move, in all positions of a game."""

from __future__ import annotations

import numpy as np

from arena.analysis.graph import Graph
from arena.analysis.solution import Floats
from arena.api.agent import Agent
from arena.api.answers import probabilities


def policy(agent: Agent, graph: Graph) -> Floats:
    """Return the probability of each move of a graph under an agent, float64 [moves].

    Args:
        agent: An agent that plays the graph's game.
        graph: The game's graph.

    Raises:
        Unsaid: If the agent does not state its move probabilities. Errors of the agent propagate.
    """
    open_positions = graph.open_positions(range(len(graph)))
    each = [p for _, state, moves in open_positions for p in probabilities(agent, state, moves)]
    return np.array(each, np.float64)
