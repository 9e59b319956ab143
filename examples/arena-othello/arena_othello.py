"""Othello on 8 x 8 cells, and on 4 x 4, 6 x 6: whoever has more discs at the end wins.

A state is (own upper, own lower, other upper, other lower, second): the discs of the player to move and of
the other one, each in two ints of up to 32 bits, since 64 do not fit into one; and who is to move. Cell
8 * row + column, row 0 at the top, is bit `cell` of the upper half, or `cell - 32` of the lower one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from arena import ArenaError, Game, hookimpl, option
from arena.api.bits import popcount

State = tuple[int, int, int, int, int]

HALF = 0xFFFFFFFF
NOT_LEFT, NOT_RIGHT = 0xFEFEFEFE, 0x7F7F7F7F  # of a half: all but its first column, its last
PASS = 64


def shifted(upper: int, lower: int, way: int) -> tuple[int, int]:
    """All cells moved one step: 0 right, 1 left, 2 down, 3 up, then the diagonals; what leaves the board is gone."""
    if way == 0:
        return ((upper << 1) & NOT_LEFT, (lower << 1) & NOT_LEFT)
    if way == 1:
        return ((upper >> 1) & NOT_RIGHT, (lower >> 1) & NOT_RIGHT)
    if way == 4 or way == 6:
        upper, lower = (upper << 1) & NOT_LEFT, (lower << 1) & NOT_LEFT
    elif way == 5 or way == 7:
        upper, lower = (upper >> 1) & NOT_RIGHT, (lower >> 1) & NOT_RIGHT
    if way == 2 or way == 4 or way == 5:
        return ((upper << 8) & HALF, ((lower << 8) & HALF) | (upper >> 24))
    return ((upper >> 8) | ((lower & 0xFF) << 24), lower >> 8)


def flow(own: tuple[int, int], other: tuple[int, int], way: int) -> tuple[int, int]:
    """The cells that own discs reach one way over discs of the other alone, these not among them."""
    upper, lower = shifted(own[0], own[1], way)
    over_upper, over_lower = upper & other[0], lower & other[1]
    for _ in range(5):
        upper, lower = shifted(over_upper, over_lower, way)
        over_upper |= upper & other[0]
        over_lower |= lower & other[1]
    return shifted(over_upper, over_lower, way)


def reach(own: tuple[int, int], other: tuple[int, int], free: tuple[int, int]) -> tuple[int, int]:
    """The free cells where a disc would turn others."""
    upper = lower = 0
    for way in range(8):
        to_upper, to_lower = flow(own, other, way)
        upper |= to_upper & free[0]
        lower |= to_lower & free[1]
    return (upper, lower)


def turned(own: tuple[int, int], other: tuple[int, int], cell: tuple[int, int]) -> tuple[int, int]:
    """The discs of the other that one put on a cell turns."""
    upper = lower = 0
    for way in range(8):
        at_upper, at_lower = shifted(cell[0], cell[1], way)
        line_upper = line_lower = 0
        while (at_upper & other[0]) | (at_lower & other[1]):
            line_upper |= at_upper
            line_lower |= at_lower
            at_upper, at_lower = shifted(at_upper, at_lower, way)
        if (at_upper & own[0]) | (at_lower & own[1]):
            upper |= line_upper
            lower |= line_lower
    return (upper, lower)


class Othello(Game):
    """Othello on 8 x 8 cells: discs are turned between two of the other's; whoever has more at the end wins.

    A move is a cell, such as `d3`, or `pass` where no disc can be put. A position is its rows from the top and
    who is to move, `......../…/........ X`. X, with the black discs, moves first.
    """

    size: Literal[4, 6, 8] = option(8, "rows and columns")
    sides = ("X", "O")
    max_moves = 34
    max_plies = 128
    alternating = True

    def board(self) -> tuple[int, int]:
        """All cells."""
        if self.size == 4:
            return (0x0F0F0F0F, 0)
        if self.size == 6:
            return (0x3F3F3F3F, 0x3F3F)
        return (HALF, HALF)

    def free(self, state: State) -> tuple[int, int]:
        board = self.board()
        return (board[0] & ~(state[0] | state[2]), board[1] & ~(state[1] | state[3]))

    def initial(self) -> State:
        if self.size == 4:
            return (0x00020400, 0, 0x00040200, 0, 0)
        if self.size == 6:
            return (1 << 19 | 1 << 26, 0, 1 << 18 | 1 << 27, 0, 0)
        return (1 << 28, 1 << 3, 1 << 27, 1 << 4, 0)

    def moves(self, state: State) -> Iterator[int]:
        own, other = (state[0], state[1]), (state[2], state[3])
        free = self.free(state)
        upper, lower = reach(own, other, free)
        if upper | lower:
            for cell in range(32):
                if (upper >> cell) & 1:
                    yield cell
            for cell in range(32):
                if (lower >> cell) & 1:
                    yield cell + 32
        else:
            upper, lower = reach(other, own, free)
            if upper | lower:
                yield PASS

    def play(self, state: State, move: int) -> State:
        if move == PASS:
            return (state[2], state[3], state[0], state[1], 1 - state[4])
        upper = 1 << move if move < 32 else 0
        lower = 1 << (move - 32) if move >= 32 else 0
        to_upper, to_lower = turned((state[0], state[1]), (state[2], state[3]), (upper, lower))
        return (
            state[2] & ~to_upper,
            state[3] & ~to_lower,
            state[0] | to_upper | upper,
            state[1] | to_lower | lower,
            1 - state[4],
        )

    def to_move(self, state: State) -> int:
        return state[4]

    def value(self, state: State) -> int:
        own = popcount(state[0]) + popcount(state[1])
        other = popcount(state[2]) + popcount(state[3])
        return (own > other) - (own < other)
