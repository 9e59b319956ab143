"""An agent's chances of each move, in all positions of a game."""

from __future__ import annotations

import numpy as np

from arena.analysis.graph import Graph
from arena.analysis.solution import Floats
from arena.api.agent import Agent
from arena.api.answers import chances


def policy(agent: Agent, graph: Graph) -> Floats:
    """float64 [moves]: the chance that the agent makes a move when it is to move in its position.

    Unsaid if it does not say; whatever it raises. The game has to be the graph's.
    """
    asked = graph.open_positions(range(len(graph)))
    given = [chance for _, state, moves in asked for chance in chances(agent, state, moves)]
    return np.array(given, np.float64)
