"""Verify endings: that codes agree with those of successors, and that the numbering is valid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.analysis.position_codes import DRAWN, Codes
from arena.api.component import compiled
from arena.api.endings import Endings, Slice
from arena.api.game import State

PROMISES = (
    "`slice` assigns it to another slice",
    "`number` of the result of `position` differs",
    "a move leads to a slice that is not in its `leads`",
    "`number` of a position after a move is not below the size of its slice",
    "`unmoves` returns a position of another slice",
    "`unmoves` returns a position from which no move leads there",
    "`unmoves` of a position after a move does not return it once for each move that leads there",
)
KINDS = len(PROMISES)


class Verifier(Codes):
    """Verifies positions one by one.

    Attributes:
        sizes: int64 [slices].
        leads: bool [slices, slices], whether moves may lead from the first slice to the second.
    """

    def __init__(
        self, endings: Endings, values: np.ndarray, starts: np.ndarray, slices: Sequence[Slice]
    ) -> None:
        super().__init__(endings, values, starts)
        self.sizes = np.array([slice.size for slice in slices])
        self.leads = np.zeros((len(slices), len(slices)), np.bool_)
        for i, slice in enumerate(slices):
            self.leads[i, [i, *slice.leads]] = True

    @compiled
    def wrong(self, slice: int, first: int, last: int) -> int:
        """Return the first position from `first` to `last` - 1 whose code is wrong, or -1."""
        for i in range(first, last):
            if self.values[self.starts[slice] + i] != self.follows(slice, i):
                return i
        return -1

    def follows(self, slice: int, i: int) -> int:
        """Compute the code of a position from the codes of its successors."""
        state = self.endings.position(slice, i)
        moves = self.game.moves(state)
        if len(moves) == 0:
            value = self.game.value(state)
            return self.code(value > 0, 0) if value != 0 else DRAWN
        win, loss, drawn = -1, -1, False  # plies of the shortest win and the longest loss
        for move in moves:
            after = self.game.play(state, move)
            code = self.values[self.starts[self.endings.slice(after)] + self.endings.number(after)]
            if code == DRAWN:
                drawn = True
            else:
                plies = self.plies(code) + 1
                if (code & 1 == 0) != self.turns(state, after):
                    win = plies if win < 0 else min(win, plies)
                else:
                    loss = max(loss, plies)
        if win >= 0:
            return self.code(True, win)
        return DRAWN if drawn else self.code(False, loss)

    @compiled
    def broken(self, slice: int, step: int) -> int:
        """Check every `step`-th position; return the first that breaks a promise, -1 if none does.

        The result is the position's number times `KINDS`, plus the index of the promise.
        """
        i = 0
        while i < self.sizes[slice]:
            promise = self.promise_broken(slice, i)
            if promise >= 0:
                return i * KINDS + promise
            i += step
        return -1

    def promise_broken(self, slice: int, i: int) -> int:
        """Return the index in `PROMISES` of the promise that a position breaks, or -1."""
        state = self.endings.position(slice, i)
        if self.endings.slice(state) != slice:
            return 0
        if self.endings.number(state) != i:
            return 1
        for move in self.game.moves(state):
            after = self.game.play(state, move)
            to = self.endings.slice(after)
            if to < 0 or to >= len(self.sizes) or not self.leads[slice, to]:
                return 2
            number = self.endings.number(after)
            if number < 0 or number >= self.sizes[to]:
                return 3
            if self.takes_back and to == slice:
                times = 0
                for before in self.endings.unmoves(self.endings.position(slice, number)):
                    if self.endings.slice(before) == slice and self.endings.number(before) == i:
                        times += 1
                for other in self.game.moves(state):
                    reached = self.game.play(state, other)
                    if self.endings.slice(reached) == slice and self.endings.number(reached) == number:
                        times -= 1
                if times != 0:
                    return 6
        return self.unmove_broken(slice, i, state) if self.takes_back else -1

    def unmove_broken(self, slice: int, i: int, state: State) -> int:
        """Return the index of the promise that `unmoves` breaks in a position, or -1."""
        for before in self.endings.unmoves(state):
            if self.endings.slice(before) != slice:
                return 4
            found = False
            for move in self.game.moves(before):
                after = self.game.play(before, move)
                if self.endings.slice(after) == slice and self.endings.number(after) == i:
                    found = True
            if not found:
                return 5
        return -1
