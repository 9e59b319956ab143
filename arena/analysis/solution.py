"""The exact solution of a small game, by retrograde analysis over its graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.analysis.graph import Ints, Outline

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Solution:
    """What every position is worth if both play perfectly, and which moves are perfect.

    values: int64 [positions], for the player to move: 1 won, -1 lost, 0 drawn, be it that neither can force
        an end. plies: int64 [positions], how many are left if the winner hurries and the loser delays; -1
        where nobody wins.
    given_away: int64 [moves], by how much a move leaves less than there was: 0, 1 or 2.
    probabilities: float64 [moves], of perfect play: the same for all moves that keep the value; where it is
        won, only for those that win soonest, and where it is lost, for those that hold out longest.
    """

    values: Ints
    plies: Ints
    given_away: Ints
    probabilities: Floats


def solve(graph: Outline) -> Solution:
    """The solution of a game, in which neither length nor repetition makes a draw."""
    open_ = np.flatnonzero(~graph.over)
    starts = graph.first[open_]
    before = graph.before
    turn = np.where(graph.movers[before] == graph.movers[graph.after], 1, -1)
    values = graph.values.copy()
    plies = np.where(graph.over, 0, -1)
    ply, settled = 0, len(open_) > 0
    while settled:
        ply += 1
        best = np.maximum.reduceat(turn * values[graph.after], starts)
        found = open_[(best != 0) & (plies[open_] < 0)]
        values[open_] = best
        plies[found] = ply
        settled = len(found) > 0
    plies[values == 0] = -1
    gains, value = turn * values[graph.after], values[before]
    kept = (gains == value) & ((value == 0) | (plies[graph.after] == plies[before] - 1))
    alike = np.bincount(before[kept], minlength=len(graph))
    return Solution(values, plies, value - gains, kept / alike[before])
