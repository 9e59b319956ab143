"""An agent's policy: the probability of each move, in all positions of a game."""

from __future__ import annotations

import numpy as np

from arena.analysis.graph import Graph
from arena.analysis.solution import Floats
from arena.api.agent import Agent
from arena.api.answers import probabilities


def policy(agent: Agent, graph: Graph) -> Floats:
    """float64 [moves]: the probability that the agent makes a move of the graph in its position.

    The agent's game has to be the graph's. Unsaid if the agent does not say; whatever it raises.
    """
    open_positions = graph.open_positions(range(len(graph)))
    each = [p for _, state, moves in open_positions for p in probabilities(agent, state, moves)]
    return np.array(each, np.float64)
