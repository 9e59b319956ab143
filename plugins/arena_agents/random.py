"""Any legal move."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from arena import FastAgent
from arena.game import Move
from arena.kernel import Arrays, Int, IntPointer, Rules, State
from arena.rng import below


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    return below(stream, n)


class Random(FastAgent):
    """Plays a legal move uniformly at random."""

    kernel = sys.modules[__name__]

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        return [1 / len(moves)] * len(moves)
