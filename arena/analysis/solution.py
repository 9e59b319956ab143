"""The exact solution of a small game, by retrograde analysis of its graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.analysis.graph import Ints, Outline

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Solution:
    """The value of every position under perfect play, and the perfect moves.

    Attributes:
        values: int64 [positions], for the side to move: 1 won, -1 lost, 0 drawn, also if neither side can
            force an end.
        plies: int64 [positions], plies left if the winner plays for the fastest and the loser for the slowest
            end; -1 if drawn.
        given_away: int64 [moves], the value that a move loses: 0, 1 or 2.
        probabilities: float64 [moves], of perfect play: uniform over the moves that keep the value; in a won
            position only the fastest wins, in a lost one only the slowest losses.
    """

    values: Ints
    plies: Ints
    given_away: Ints
    probabilities: Floats


def solve(graph: Outline) -> Solution:
    """Solve a game in which draws do not depend on length or repetition."""
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
