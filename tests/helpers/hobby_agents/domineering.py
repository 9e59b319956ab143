"""A game: Domineering in a frozen dataclass."""

# ruff: noqa
# mypy: ignore-errors

from dataclasses import dataclass
from enum import IntEnum

from arena import Game


class Side(IntEnum):
    VERTICAL = 0
    HORIZONTAL = 1


@dataclass(frozen=True)
class Domineering4:
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
