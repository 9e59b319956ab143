"""One ply of looking ahead."""

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
from arena_agents.ties import TIES, chances, pick_best
from arena_agents.verdicts import view

WIN = 10**15  # more than any evaluation

# the agent's arrays
SETTINGS, WEIGHTS, SCORES = range(3)


def judge(G: Rules, s: State, work: IntPointer, k: Int, arrays: Arrays) -> Float:
    """A position's outcome if it is over, else its evaluation, for the player to move."""
    if G.moves(s, work, k) == 0:
        value: int = G.value(s)
        return float(value * WIN)
    return evaluate(G, s, floats(arrays, WEIGHTS))


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    scores = floats(arrays, SCORES)
    root(G, s, floats(arrays, WEIGHTS))
    for i in range(n):
        after = G.play(s, work[i])
        scores[i] = judge(G, after, work, n, arrays)
        if alternating(G) or G.to_move(after) != G.to_move(s):
            scores[i] = -scores[i]
    return pick_best(scores, n, ints(arrays, SETTINGS)[0], stream)


class Greedy(FastAgent):
    """Plays the move after which the evaluation is best, a win above everything."""

    needs = ("evaluation",)
    evaluation: Spec = option("own", "how positions are judged", kind="evaluation")
    ties: Literal["first", "random"] = option("random", "which of several best moves is played")
    lists = 2

    def prepare(self) -> None:
        self.judge = self.evaluation.make(self.game)
        self.kernel = variant(sys.modules[__name__], self.judge.parts())

    def arrays(self) -> Sequence[Any]:
        weights = list(map(float, self.judge.weights()))
        return [TIES.index(self.ties)], weights, [0.0] * self.game.max_moves

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return chances(self.player.arrays[SCORES][: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: the evaluation after the move; 10**15 if it wins."""
        self.choose(state, moves, Rng())
        return [view(score) for score in self.player.arrays[SCORES][: len(moves)]]
