"""What an agent promises that says with which probabilities it moves: that it moves so."""

from __future__ import annotations

import math
from time import monotonic

from arena.api.agent import Agent
from arena.api.answers import Unsaid, probabilities
from arena.api.moves import place_of
from arena.api.rulings import shown
from arena.rng import Rng, derive
from arena.testing.matches import Asked
from arena.testing.promise import Place, at

SAMPLES = 200  # choices in a position where a choice is random
SURE_SAMPLES = 3  # where none is
ERRORS = 5  # standard errors that a share may be off
SECONDS = 5.0  # that looking may take, which leaves out the later positions


def check_probabilities(agent: Agent, asked: Asked) -> None:
    """AssertionError if an agent moves with other probabilities than it says, in these positions."""
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
                    f"plays {shown(agent.game, move)} {count} times in {n}, "
                    f"and gives it a probability of {p:.3g}"
                )
        if monotonic() > deadline:
            return
