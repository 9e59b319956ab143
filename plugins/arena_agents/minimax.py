"""Full minimax search (von Neumann 1928), without pruning: every move's value is exact."""

from __future__ import annotations

import math
from typing import Any, Literal

from arena import Agent, Rng, option
from arena_agents.ties import pick_best

MEMORY = 1_000_000  # positions remembered at most, some 200 MB
SMALL = 1_000_000  # a game of so many positions is searched to the end


class Minimax(Agent):
    """Plays a move of the best minimax value, searched to the end or to a depth.

    A win is 1, a draw 0, a loss -1, no matter how far off. Where the depth runs out a position
    counts as its evaluation, squashed to between -1 and 1, or as 0 if the game offers none.
    """

    depth: int = option(0, "plies searched; 0 = to the end of a game known to be small, else 4", low=0)
    ties: Literal["first", "random"] = option("random", "which of several best moves is played")

    def prepare(self) -> None:
        self.known: dict[tuple[Any, float], float] = {}
        self.evaluates = "evaluation" in self.game.capabilities
        small = self.game.reachable is not None and self.game.reachable <= SMALL
        self.plies = self.depth or (math.inf if small else 4)

    def choose(self, state: Any, moves: list[Any], rng: Rng) -> Any:
        mover = self.game.to_move(state)
        scores = []
        for move in moves:
            after = self.game.play(state, move)
            value = self.search(after, self.plies - 1)
            scores.append(value if self.game.to_move(after) == mover else -value)
        return pick_best(scores, moves, self.ties, rng)

    def search(self, state: Any, depth: float) -> float:
        """Value for the player to move."""
        place = (state, depth)
        if place in self.known:
            return self.known[place]
        game = self.game
        moves = game.moves(state)
        if not moves:
            best: float = game.value(state)
        elif depth == 0:
            best = squash(game.evaluate(state)) if self.evaluates else 0.0
        else:
            best = -1.0
            mover = game.to_move(state)
            for move in moves:
                after = game.play(state, move)
                value = self.search(after, depth - 1)
                best = max(best, value if game.to_move(after) == mover else -value)
        if len(self.known) < MEMORY:
            self.known[place] = best
        return best


def squash(evaluation: float) -> float:
    """Any number to one strictly between -1 and 1, in the same order."""
    return evaluation / (1 + abs(evaluation))
