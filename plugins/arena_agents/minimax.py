"""Full minimax search (von Neumann 1928), without pruning: every move's value is exact."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Literal

from arena import FastAgent, Rng, Spec, View, option
from arena.evaluation import evaluate, root
from arena.game import Move
from arena.kernel import (
    Arrays,
    Float,
    Int,
    IntPointer,
    Rules,
    State,
    alternating,
    floats,
    ints,
    variant,
)
from arena_agents import table
from arena_agents.table import EXACT, NOWHERE, depth_at, find, store
from arena_agents.ties import TIES, chances, pick_best
from arena_agents.verdicts import view

WIN = 10**15  # more than any evaluation
PLACES = 1 << 18  # of the table

# what a variant of this module may change
SOONEST = 0  # 1: of two wins the shorter is better, and the longer of two losses
ROOTED = 0  # 1: evaluations depend on where the search begins, so values kept count for one search alone

# the agent's arrays
SETTINGS, WEIGHTS, STATES, TAGS, MOVES, VALUES, SCORES = range(7)

# settings
DEPTH, TIES_PICKED, AGE = range(3)


def minimax(G: Rules, s: State, depth: Int, work: IntPointer, k: Int, arrays: Arrays) -> Float:
    """The value of `s` for the player to move, searched `depth` plies; moves go to `work` from `k` on."""
    n: int = G.moves(s, work, k)
    if n == 0:
        outcome: int = G.value(s)
        return float(outcome * (WIN + depth if SOONEST else WIN))
    if depth == 0:
        return evaluate(G, s, floats(arrays, WEIGHTS))
    states, tags, values = ints(arrays, STATES), ints(arrays, TAGS), floats(arrays, VALUES)
    age = ints(arrays, SETTINGS)[AGE]
    place = find(s, age, states, tags, PLACES)
    if place != NOWHERE and depth_at(tags[place]) == depth:
        return values[place]
    best = -2.0 * WIN
    for i in range(n):
        after = G.play(s, work[k + i])
        found = minimax(G, after, depth - 1, work, k + n, arrays)
        if alternating(G) or G.to_move(after) != G.to_move(s):
            found = -found
        best = max(best, found)
    store(s, age, depth, EXACT, 0, best, states, tags, ints(arrays, MOVES), values, PLACES)
    return best


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    settings, scores = ints(arrays, SETTINGS), floats(arrays, SCORES)
    if ROOTED:
        settings[AGE] += 1
    root(G, s, floats(arrays, WEIGHTS))
    for i in range(n):
        after = G.play(s, work[i])
        scores[i] = minimax(G, after, settings[DEPTH] - 1, work, n, arrays)
        if alternating(G) or G.to_move(after) != G.to_move(s):
            scores[i] = -scores[i]
    return pick_best(scores, n, settings[TIES_PICKED], stream)


class Minimax(FastAgent):
    """Plays a move of the best minimax value, searched to the end or to a depth.

    Where the depth runs out a position counts as its evaluation. Values found are kept with their positions,
    so that lines which meet are searched once.
    """

    depth: int = option(
        0, "plies searched; 0 = to the end of a game known to be small, else 4", low=0, high=1000
    )
    evaluation: Spec = option("own", "what a position counts where the depth runs out", kind="evaluation")
    ties: Literal["first", "random"] = option("random", "which of several best moves is played")
    wins: Literal["soonest", "any"] = option("any", "whether of two wins the shorter is better")

    def prepare(self) -> None:
        self.plies = self.depth or table.plies_to_the_end(self.game, otherwise=4)
        self.judge = self.evaluation.make(self.game)
        self.lists = self.plies + 1
        self.kernel = variant(
            sys.modules[__name__],
            {
                "SOONEST": int(self.wins == "soonest"),
                **self.judge.parts(),
            },
        )

    def arrays(self) -> Sequence[Any]:
        settings = [self.plies, TIES.index(self.ties), 0]
        weights = list(map(float, self.judge.weights()))
        return settings, weights, *table.arrays(PLACES), [0.0] * self.game.max_moves

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return chances(self.player.arrays[SCORES][: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: the evaluation that best play leads to, from 10**15 on for a win."""
        self.choose(state, moves, Rng())
        horizon = self.plies if self.wins == "soonest" else None
        return [view(score, horizon) for score in self.player.arrays[SCORES][: len(moves)]]
