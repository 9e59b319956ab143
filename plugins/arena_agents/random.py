"""Any legal move."""

from __future__ import annotations

import sys

from arena import FastAgent
from arena.kernel import Arrays, Int, IntPointer, Rules, State
from arena.rng import below


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    return below(stream, n)


class Random(FastAgent):
    """Plays a legal move uniformly at random."""

    kernel = sys.modules[__name__]
