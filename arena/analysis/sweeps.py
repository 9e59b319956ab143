"""Solving a slice without `unmoves`: all positions are re-evaluated for each ply."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arena.analysis.position_codes import DRAWN, Codes
from arena.api.component import compiled
from arena.api.endings import Endings

CHUNK = 1 << 16  # positions between calls of `go_on`


class Sweeps(Codes):
    """Solves a slice, given the values of earlier slices.

    Attributes:
        last: Maximum plies of any successor examined so far.
    """

    def __init__(self, endings: Endings, values: np.ndarray, starts: np.ndarray) -> None:
        super().__init__(endings, values, starts)
        self.last = 0

    def solve(self, slice: int, size: int, go_on: Callable[[int], object]) -> None:
        """Compute the codes of a slice; the arguments are those of `Retrograde.solve`."""
        self.last = plies = 0
        found = True
        while found or plies <= self.last + 1:
            found = False
            for first in range(0, size, CHUNK):
                found |= self.sweep(slice, first, min(first + CHUNK, size), plies)
                go_on(0)
            plies += 1
        go_on(2 * size)

    @compiled
    def sweep(self, slice: int, first: int, last: int, plies: int) -> bool:
        """Store codes of positions in a range that are decided in `plies` plies; return whether any are."""
        found = False
        start = self.starts[slice]
        for i in range(first, last):
            if self.values[start + i] == DRAWN:
                code = self.at_ply(slice, i, plies)
                if code != DRAWN:
                    self.values[start + i] = code
                    found = True
        return found

    def at_ply(self, slice: int, i: int, plies: int) -> int:
        """Return the code of a position if it is won or lost in `plies` plies, otherwise that of a draw."""
        state = self.endings.position(slice, i)
        moves = self.game.moves(state)
        if len(moves) == 0:
            value = self.game.value(state)
            return self.code(value > 0, 0) if plies == 0 and value != 0 else DRAWN
        loses = True
        for move in moves:
            after = self.game.play(state, move)
            code = self.values[self.starts[self.endings.slice(after)] + self.endings.number(after)]
            if code == DRAWN:
                loses = False
            else:
                left = self.plies(code)
                self.last = max(self.last, left)
                if left >= plies:
                    loses = False
                elif (code & 1 == 0) != self.turns(state, after):
                    return self.code(True, plies)
        return self.code(False, plies) if loses else DRAWN
