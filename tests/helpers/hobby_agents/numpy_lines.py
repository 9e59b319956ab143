"""Numpy masks of lines."""

# ruff: noqa
# mypy: ignore-errors

import numpy as np

from arena import Agent

WIN_LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class NumpyLines(Agent):
    """Counts lines with a matrix of masks."""

    def prepare(self):
        self.lines = np.zeros((len(WIN_LINES), 9), dtype=int)
        for i, line in enumerate(WIN_LINES):
            self.lines[i, list(line)] = 1

    def to_array(self, state):
        own, other = state
        board = np.zeros(9, dtype=int)
        for cell in range(9):
            if own & (1 << cell):
                board[cell] = 1
            elif other & (1 << cell):
                board[cell] = -1
        return board

    def evaluate(self, state):
        sums = self.lines @ self.to_array(state)
        counts = self.lines @ np.abs(self.to_array(state))
        mine = np.sum((sums == counts) * sums)
        theirs = np.sum((sums == -counts) * -sums)
        return mine - theirs

    def choose(self, state, moves, rng):
        values = np.array([-self.evaluate(self.game.play(state, move)) for move in moves])
        return moves[int(np.argmax(values))]
