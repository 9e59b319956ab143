"""One ply of search on the game's evaluation."""

from __future__ import annotations

import math
from typing import Any, Literal

from arena import Agent, Rng, option
from arena_agents.ties import pick_best


class Greedy(Agent):
    """Plays the move after which the game's own evaluation is best, a win above everything."""

    needs = ("evaluation",)
    ties: Literal["first", "random"] = option("random", "which of several best moves is played")

    def choose(self, state: Any, moves: list[Any], rng: Rng) -> Any:
        return pick_best([self.score(state, move) for move in moves], moves, self.ties, rng)

    def score(self, state: Any, move: Any) -> float:
        """The position after `move`, for the player who makes it."""
        game = self.game
        after = game.play(state, move)
        if game.moves(after):
            value = game.evaluate(after)
        else:
            value = {1: math.inf, 0: 0.0, -1: -math.inf}[game.value(after)]
        return value if game.to_move(after) == game.to_move(state) else -value
