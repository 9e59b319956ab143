"""The games of hobby_agents whose positions are as the compiler's messages say."""

# ruff: noqa
# mypy: ignore-errors

from enum import IntEnum
from typing import NamedTuple

from arena import Game

# 16 -------------------------------------------------------------- a game: Pig-like... kayles with a tuple


class Kayles(Game):
    """Kayles: a row of pins; knock down one or two neighbours. Whoever takes the last pin wins."""

    max_moves = 32

    def __init__(self, pins: int = 9):
        self.pins = pins

    def initial(self):
        return (*([1] * self.pins), 0)

    def moves(self, state):
        pins = state[:-1]
        single = [i for i in range(len(pins)) if pins[i]]
        double = [100 + i for i in range(len(pins) - 1) if pins[i] and pins[i + 1]]
        return single + double

    def play(self, state, move):
        pins, player = state[:-1], state[-1]
        row = list(pins)
        row[move % 100] = 0
        if move >= 100:
            row[move % 100 + 1] = 0
        return (*row, 1 - player)

    def to_move(self, state):
        return state[-1]

    def value(self, state):
        return -1


# 17 ---------------------------------------------------------------- a game: Domineering in a frozen dataclass


class Side(IntEnum):
    VERTICAL = 0
    HORIZONTAL = 1


class Domineering4(NamedTuple):
    taken: int
    side: int


class Domineering(Game):
    """Domineering on 4 x 4: one places dominoes upright, the other lying. Whoever cannot, loses."""

    SIZE = 4
    max_moves = 16

    def initial(self):
        return Domineering4(taken=0, side=Side.VERTICAL)

    def cells(self, move, side):
        return (1 << move) | (1 << (move + (self.SIZE if side == Side.VERTICAL else 1)))

    def moves(self, state):
        found = []
        for row in range(self.SIZE):
            for column in range(self.SIZE):
                if state.side == Side.VERTICAL and row == self.SIZE - 1:
                    continue
                if state.side == Side.HORIZONTAL and column == self.SIZE - 1:
                    continue
                move = row * self.SIZE + column
                if not state.taken & self.cells(move, state.side):
                    found.append(move)
        return found

    def play(self, state, move):
        return Domineering4(state.taken | self.cells(move, state.side), 1 - state.side)

    def to_move(self, state):
        return state.side

    def value(self, state):
        return -1
