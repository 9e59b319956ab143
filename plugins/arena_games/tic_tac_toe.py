"""Tic-tac-toe: three in a row on 3 x 3.

A state is (own, other): the coins of the player to move and of the opponent, bit = cell.

    0 1 2
    3 4 5
    6 7 8
"""

from __future__ import annotations

import sys

from arena import ArenaError, FastGame
from arena.bits import lowest, popcount

State = tuple[int, int]

MAX_MOVES = 9
ALTERNATING = 1
FULL = 0o777
LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)  # rows, columns, diagonals


def initial() -> State:
    return (0, 0)


def has_line(coins: int) -> bool:
    for line in LINES:
        if coins & line == line:
            return True
    return False


def moves(s: State, buf: list[int], k: int) -> int:
    own, other = s
    if has_line(other):
        return 0
    n = 0
    for cell in range(9):
        if not ((own | other) >> cell) & 1:
            buf[k + n] = cell
            n += 1
    return n


def play(s: State, m: int) -> State:
    own, other = s
    return (other, own | (1 << m))


def to_move(s: State) -> int:
    own, other = s
    return popcount(own | other) & 1


def value(s: State) -> int:
    return -1 if has_line(s[1]) else 0


def evaluate(s: State) -> float:
    """Lines still open to oneself minus those open to the opponent (Nilsson 1971)."""
    own, other = s
    balance = 0.0
    for line in LINES:
        balance += (other & line == 0) - (own & line == 0)
    return balance


# --- symmetries: bit 0 of i mirrors left and right, bit 1 top and bottom, then bit 2 swaps x and y ---

SYMMETRIES = 8


def turn(coins: int, i: int) -> int:
    if i & 1:
        coins = ((coins & 0o111) << 2) | (coins & 0o222) | ((coins & 0o444) >> 2)
    if i & 2:
        coins = ((coins & 0o007) << 6) | (coins & 0o070) | ((coins & 0o700) >> 6)
    if i & 4:
        coins = (
            (coins & 0o421)
            | ((coins & 0o042) << 2)
            | ((coins & 0o210) >> 2)
            | ((coins & 0o004) << 4)
            | ((coins & 0o100) >> 4)
        )
    return coins


def image(s: State, i: int) -> State:
    return (turn(s[0], i), turn(s[1], i))


def image_move(m: int, i: int) -> int:
    return lowest(turn(1 << m, i))


# --- grid ---------------------------------------------------------------------------------------------

CELLS = tuple((cell % 3, cell // 3) for cell in range(9))


def piece(s: State, cell: int) -> int:
    own, other = s
    mover = to_move(s)
    if (own >> cell) & 1:
        return 1 + mover
    if (other >> cell) & 1:
        return 2 - mover
    return 0


def anchor(s: State, m: int) -> int:
    return m


def shape(s: State, m: int) -> int:
    return 0


def shape_image(shape: int, i: int) -> int:
    return shape


# --- features: windows of three ----------------------------------------------------------------------

FEATURES = ("one of three", "two in a row", "two in a column", "two on a diagonal", "three")


def features(s: State, buf: list[float], k: int) -> int:
    """Windows that hold own coins alone, by number and direction, minus the opponent's likewise."""
    own, other = s
    for f in range(5):
        buf[k + f] = 0.0
    for i in range(8):
        a = popcount(own & LINES[i])
        b = popcount(other & LINES[i])
        if a == 0 or b == 0:
            coins = a + b
            sign = 1.0 if a > 0 else -1.0
            if coins == 1:
                buf[k] += sign
            elif coins == 2:
                buf[k + 1 + (i // 3)] += sign
            elif coins == 3:
                buf[k + 4] += sign
    return 5


REACHABLE = 5478


class TicTacToe(FastGame):
    """Tic-tac-toe: who first has three in a row, column or diagonal wins.

    Positions are nine letters by rows, `X.O......`; a move is its cell, 1 to 9. X moves first.
    """

    rules = sys.modules[__name__]
    sides = ("X", "O")
    max_plies = 9

    def move_text(self, move: int) -> str:
        return str(move + 1)

    def position_text(self, state: State) -> str:
        return "".join(".XO"[self.piece(state, cell)] for cell in range(9))

    def read_position(self, text: str) -> State:
        letters = text.strip().upper()
        if len(letters) != 9 or set(letters) - set("XO."):
            raise ArenaError(f"{text!r} is not nine of X, O and '.', such as 'X.O......'")
        x, o = (sum(1 << cell for cell in range(9) if letters[cell] == side) for side in "XO")
        surplus = popcount(x) - popcount(o)
        if surplus not in (0, 1):
            raise ArenaError(f"{text!r} has {popcount(x)} X and {popcount(o)} O; X moves first, O second")
        if (has_line(x) and surplus == 0) or (has_line(o) and surplus == 1):
            raise ArenaError(f"{text!r} goes on after three in a row; take the last moves back")
        return (o, x) if surplus else (x, o)

    def board_text(self, state: State) -> str:
        text = self.position_text(state)
        return "\n".join(" ".join(text[row : row + 3]) for row in (0, 3, 6))
