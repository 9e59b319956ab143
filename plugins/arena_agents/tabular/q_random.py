"""Play by a learner's table, and at random in unknown positions."""

from __future__ import annotations

from collections.abc import Sequence

from arena import Move, Rng, State
from arena_agents.tabular.over_table import OverTable


class QRandom(OverTable):
    """Plays the best move known to its learner, or a random move in unknown positions.

    This is random substitution in "Prior State Voting (PSV)".
    """

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        return self.trained.choose(state, moves, rng)

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        return self.trained.distribution(state, moves)
