"""Retrograde analysis: the values of a slice's positions, computed backward from the ends of the game."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arena.analysis.position_codes import DRAWN, Codes
from arena.api.component import compiled
from arena.api.endings import Endings

CHUNK = 1 << 16  # positions between calls of `go_on`
LEVELS = 1 << 15  # more plies than any code can represent


class Retrograde(Codes):
    """Solves a slice, given the values of earlier slices.

    Positions enter a queue in the order of their plies (Thompson 1986, Ströhlein 1970). A position is won as
    soon as one of its moves leads to a position lost for the opponent. It is lost once all its moves lead to
    positions won for the opponent, which is found by counting moves. For moves to other slices the number of
    plies to the win or loss is known immediately, and the position becomes due at that ply.

    Attributes:
        left: [size], number of moves not yet known to lose; `done` if the position is solved.
        queue: int32 [size], solved positions that are not drawn, by plies.
        due: int32, positions sorted by the ply at which a move to another slice takes effect.
        first_due: int64, index in `due` at which each ply begins.
        level: The current ply.
        head: Index in `queue` of the next position to process.
        tail: Number of positions in `queue`.
    """

    def __init__(self, endings: Endings, values: np.ndarray, starts: np.ndarray) -> None:
        super().__init__(endings, values, starts)
        kind = np.uint8 if self.game.max_moves < 254 else np.uint16
        self.done = int(np.iinfo(kind).max)
        self.left: np.ndarray = np.zeros(0, kind)
        self.queue: np.ndarray = np.zeros(0, np.int32)
        self.due: np.ndarray = np.zeros(0, np.int32)
        self.first_due = np.zeros(LEVELS + 1, np.int64)
        self.slice = self.start = self.level = self.head = self.tail = 0

    def solve(self, slice: int, size: int, go_on: Callable[[int], object]) -> None:
        """Compute the codes of a slice.

        Args:
            slice: Index of the slice.
            size: Its number of positions.
            go_on: Called with the number of positions processed since the last call; the sum is twice the
                size. May raise an exception to stop.
        """
        self.slice, self.start = slice, int(self.starts[slice])
        self.left = np.zeros(size, self.left.dtype)
        self.first_due[:] = 0
        for first in range(0, size, CHUNK):
            self.survey(first, min(first + CHUNK, size))
            go_on(min(CHUNK, size - first))
        np.cumsum(self.first_due, out=self.first_due)
        self.due = np.zeros(self.first_due[-1], np.int32)
        self.enter(size)
        self.queue = np.zeros(size, np.int32)
        self.level = self.head = self.tail = seen = 0
        while self.head < self.tail or self.first_due[self.level] < len(self.due):
            self.admit()
            end = self.tail
            while self.head < end:
                seen += min(CHUNK, end - self.head)
                go_on(min(CHUNK, end - self.head))
                self.spread(min(self.head + CHUNK, end))
            self.level += 1
        self.settle(size)
        go_on(size - seen)
        self.left, self.queue, self.due = self.left[:0], self.queue[:0], self.due[:0]

    @compiled
    def survey(self, first: int, last: int) -> None:
        """Evaluate the moves of positions to other slices, and count the moves within the slice."""
        for i in range(first, last):
            state = self.endings.position(self.slice, i)
            moves = self.game.moves(state)
            left = 0
            win, loss, drawn = LEVELS, -1, False  # plies of the shortest win and the longest loss
            for move in moves:
                after = self.game.play(state, move)
                slice = self.endings.slice(after)
                if slice == self.slice:
                    left += 1
                else:
                    code = self.values[self.starts[slice] + self.endings.number(after)]
                    if code == DRAWN:
                        drawn = True
                    elif (code & 1 == 0) != self.turns(state, after):
                        win = min(win, self.plies(code) + 1)
                    else:
                        loss = max(loss, self.plies(code) + 1)
            if len(moves) == 0:
                value = self.game.value(state)
                if value > 0:
                    if self.paired:
                        raise ValueError("an end is won for who is to move, and its endings are `paired`")
                    win = 0
                elif value < 0:
                    loss = 0
                else:
                    drawn = True
            if win < LEVELS:
                self.promise(i, True, win)
                left += 1
            elif drawn:
                left = left + 1 if left > 0 else self.done
            elif loss >= 0:
                self.promise(i, False, loss)
            self.left[i] = left

    def promise(self, i: int, won: bool, plies: int) -> None:
        """Record the code that a position will have when it becomes due."""
        self.values[self.start + i] = self.code(won, plies)
        self.first_due[plies + 1] += 1

    @compiled
    def enter(self, size: int) -> None:
        """Sort the positions that become due by plies."""
        for i in range(size):
            code = self.values[self.start + i]
            if code != DRAWN:
                plies = self.plies(code)
                self.due[self.first_due[plies]] = i
                self.first_due[plies] += 1
        for plies in range(LEVELS, 0, -1):
            self.first_due[plies] = self.first_due[plies - 1]
        self.first_due[0] = 0

    @compiled
    def admit(self) -> None:
        """Append the positions due at this ply to the queue, unless they were solved earlier."""
        for k in range(self.first_due[self.level], self.first_due[self.level + 1]):
            i = self.due[k]
            left = self.left[i]
            if left == 0 or (left != self.done and self.values[self.start + i] & 1 == 0):
                self.append(i)

    def append(self, i: int) -> None:
        """Mark a position as solved, and append it to the queue."""
        self.left[i] = self.done
        self.queue[self.tail] = i
        self.tail += 1

    @compiled
    def spread(self, until: int) -> None:
        """Update the predecessors of the positions in the queue, up to index `until`."""
        plies = self.level + 1
        while self.head < until:
            i = self.queue[self.head]
            self.head += 1
            state = self.endings.position(self.slice, i)
            won = self.values[self.start + i] & 1 == 0
            for before in self.endings.unmoves(state):
                j = self.endings.number(before)
                left = self.left[j]
                if left != self.done:
                    if won != self.turns(before, state):
                        self.values[self.start + j] = self.code(True, plies)
                        self.append(j)
                    else:
                        self.left[j] = left - 1
                        if left == 1:
                            code = self.values[self.start + j]
                            if code == DRAWN or self.plies(code) <= plies:
                                self.values[self.start + j] = self.code(False, plies)
                                self.append(j)

    @compiled
    def settle(self, size: int) -> None:
        """Mark all unsolved positions as drawn."""
        for i in range(size):
            if self.left[i] != self.done:
                self.values[self.start + i] = DRAWN
