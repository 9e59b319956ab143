"""A check that an agent's moves have the probabilities that it states."""

from __future__ import annotations

import math
from time import monotonic

from arena.api.agent import Agent
from arena.api.answers import Unsaid, probabilities
from arena.api.rulings import place_of, shown
from arena.rng import Rng, derive
from arena.testing.matches import Asked
from arena.testing.promise import Place, at

SAMPLES = 200  # number of samples in a position where moves are random
SURE_SAMPLES = 3  # number of samples where moves are not random
ERRORS = 5  # tolerance in standard errors
SECONDS = 5.0  # time limit; later positions are left out


def check_probabilities(agent: Agent, asked: Asked) -> None:
    """Raise Fault if an agent's moves in some positions disagree with the probabilities it states."""
    deadline = monotonic() + SECONDS
    for state, line, _ in (answered for match in asked for answered in match):
        moves = agent.game.moves(state)
        with at(Place(state, line)):
            try:
                stated = probabilities(agent, state, moves)
            except Unsaid:
                return
            n = SURE_SAMPLES if max(stated) == 1 else SAMPLES
            counts = [0] * len(moves)
            for sample in range(n):
                agent.begin(agent.game.to_move(state))
                counts[place_of(moves, agent.choose(state, list(moves), Rng(derive(sample))))] += 1
            for move, p, count in zip(moves, stated, counts, strict=True):
                tolerance = ERRORS * math.sqrt(n * p * (1 - p)) + (0 < p < 1)
                assert abs(count - n * p) <= tolerance, (
                    f"plays {shown(agent.game, move)} {count} times in {n}, but its probability is {p:.3g}"
                )
        if monotonic() > deadline:
            return
