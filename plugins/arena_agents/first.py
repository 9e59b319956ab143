"""The first legal move."""

from __future__ import annotations

import sys

from arena import FastAgent
from arena.kernel import Arrays, Int, IntPointer, Rules, State


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    return 0


class First(FastAgent):
    """Plays the first legal move, always the same one in a position."""

    kernel = sys.modules[__name__]
