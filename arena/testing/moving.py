"""What is held against an agent that says with which chances it moves: that it moves so."""

from __future__ import annotations

import math
from time import monotonic

from arena.api.agent import Agent
from arena.api.answers import Unsaid, chances
from arena.rng import Rng, derive
from arena.testing.blame import blaming
from arena.testing.matches import Asked

SAMPLES = 200  # choices in a position where chance has a part
SURE_SAMPLES = 3  # where it has none
ERRORS = 5  # standard errors that a share may be off
SECONDS = 5.0  # that looking may take, which leaves out the later positions


def check_chances(agent: Agent, asked: Asked) -> None:
    """Hold an agent to the chances it gives of its moves in these positions, if it gives any."""
    deadline = monotonic() + SECONDS
    for state, _ in (answered for match in asked for answered in match):
        moves = agent.game.moves(state)
        with blaming(type(agent), state):
            try:
                given = chances(agent, state, moves)
            except Unsaid:
                return
            n = SURE_SAMPLES if max(given) == 1 else SAMPLES
            counts = [0] * len(moves)
            for sample in range(n):
                agent.begin(agent.game.to_move(state))
                counts[moves.index(agent.choose(state, list(moves), Rng(derive(sample))))] += 1
            for move, chance, count in zip(moves, given, counts, strict=True):
                room = ERRORS * math.sqrt(n * chance * (1 - chance)) + (0 < chance < 1)
                assert abs(count - n * chance) <= room, (
                    f"plays {move!r} {count} times in {n}, and gives it a chance of {chance:.3g}"
                )
        if monotonic() > deadline:
            return
