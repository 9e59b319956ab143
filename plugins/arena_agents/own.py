"""The evaluation that a game offers, and none."""

from __future__ import annotations

import sys

from arena import Evaluation
from arena.kernel import Float, FloatPointer, Int, Rules, State, variant


def evaluate(G: Rules, s: State, weights: FloatPointer) -> Float:
    value: float = G.evaluate(s)
    return value


def root(G: Rules, s: State, weights: FloatPointer) -> Int:
    return 0


def even(G: Rules, s: State, weights: FloatPointer) -> Float:
    return 0.0


class Own(Evaluation):
    """The game's own evaluation; where it offers none, every position is even."""

    kernel = sys.modules[__name__]

    def prepare(self) -> None:
        if "evaluation" not in self.game.capabilities:
            self.kernel = variant(self.kernel, {"evaluate": even})


class Nothing(Evaluation):
    """Every position is even."""

    kernel = variant(sys.modules[__name__], {"evaluate": even})
