"""An agent's chances of each move, in all positions of a game."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from arena.agent import Agent
from arena.errors import ArenaError
from arena.game import Move, State
from arena.graph import Graph
from arena.solution import Floats

EXACT = 1e-9  # by how much a sum of chances may differ from 1


class Unsaid(ArenaError):
    """An agent does not say with which chances it moves."""


def policy(agent: Agent, graph: Graph) -> Floats:
    """float64 [moves]: the chance that the agent makes a move when it is to move in its position.

    Unsaid if it does not say; whatever it raises. The game has to be the graph's.
    """
    asked = graph.open_positions(range(len(graph)))
    given = [chance for _, state, moves in asked for chance in chances(agent, state, moves)]
    return np.array(given, np.float64)


def chances(agent: Agent, state: State, moves: list[Move]) -> Sequence[float]:
    """The chances of its moves in one position. A match begins for the agent.

    Unsaid if it does not say; ValueError if it says what cannot be chances.
    """
    if type(agent).begin is not Agent.begin:  # which does nothing
        agent.begin(agent.game.to_move(state))
    given = agent.distribution(state, list(moves))
    name = agent.name or type(agent).__name__
    if given is None:
        raise Unsaid(f"{name} does not say with which chances it moves")
    if len(given) != len(moves):
        raise ValueError(f"distribution gives {len(given)} chances for {len(moves)} moves")
    if not all(chance >= 0 for chance in given) or not math.isclose(math.fsum(given), 1, abs_tol=EXACT):
        raise ValueError(f"distribution gives {list(given)!r}, no chances that sum to 1")
    return [float(chance) for chance in given]  # numpy's array would add itself to a list
