"""Tic-tac-toe: three in a row on 3 x 3.

A state is (own, other): the pieces of the player to move and of the opponent, one bit per cell.

    0 1 2
    3 4 5
    6 7 8
"""

from __future__ import annotations

from collections.abc import Iterator

from arena import ArenaError, Game, lowest, popcount

State = tuple[int, int]

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)  # rows, columns, diagonals


def has_line(coins: int) -> bool:
    for line in LINES:
        if coins & line == line:
            return True
    return False


def turn(coins: int, i: int) -> int:
    """Return the coins under symmetry `i`: bit 0 mirrors left-right, 1 top-bottom, 2 swaps x and y."""
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


class TicTacToe(Game):
    """Tic-tac-toe: the first player with three in a row, column or diagonal wins.

    Positions are nine letters, row by row, `X.O......`; a move is a cell number, 1 to 9. X moves first.
    """

    sides = ("X", "O")
    max_moves = 9
    max_plies = 9
    alternating = True
    reachable = 5478

    def initial(self) -> State:
        return (0, 0)

    def moves(self, state: State) -> Iterator[int]:
        own, other = state
        if not has_line(other):
            for cell in range(9):
                if not ((own | other) >> cell) & 1:
                    yield cell

    def play(self, state: State, move: int) -> State:
        own, other = state
        return (other, own | (1 << move))

    def to_move(self, state: State) -> int:
        own, other = state
        return popcount(own | other) & 1

    def value(self, state: State) -> int:
        return -1 if has_line(state[1]) else 0

    def evaluate(self, state: State) -> float:
        """Return the number of lines open to the player to move minus the opponent's (Nilsson 1971)."""
        own, other = state
        balance = 0.0
        for line in LINES:
            balance += (other & line == 0) - (own & line == 0)
        return balance

    # --- symmetries -----------------------------------------------------------------------------------

    symmetries = 8

    def image(self, state: State, i: int) -> State:
        return (turn(state[0], i), turn(state[1], i))

    def image_move(self, move: int, i: int) -> int:
        return lowest(turn(1 << move, i))

    # --- grid -----------------------------------------------------------------------------------------

    cells = tuple((cell % 3, cell // 3) for cell in range(9))

    def piece(self, state: State, cell: int) -> int:
        own, other = state
        mover = self.to_move(state)
        if (own >> cell) & 1:
            return 1 + mover
        if (other >> cell) & 1:
            return 2 - mover
        return 0

    def anchor(self, state: State, move: int) -> int:
        return move

    def shape(self, state: State, move: int) -> int:
        return 0

    def shape_image(self, shape: int, i: int) -> int:
        return shape

    # --- features: windows of three -------------------------------------------------------------------

    feature_names = ("one of three", "two in a row", "two in a column", "two on a diagonal", "three")

    def features(self, state: State) -> Iterator[float]:
        """Yield counts of lines with only own pieces, by number and direction, minus the opponent's."""
        own, other = state
        windows = [0.0, 0.0, 0.0, 0.0, 0.0]
        for i in range(8):
            a = popcount(own & LINES[i])
            b = popcount(other & LINES[i])
            if a == 0 or b == 0:
                coins = a + b
                sign = 1.0 if a > 0 else -1.0
                if coins == 1:
                    windows[0] += sign
                elif coins == 2:
                    windows[1 + i // 3] += sign
                elif coins == 3:
                    windows[4] += sign
        yield from windows

    # --- notation -------------------------------------------------------------------------------------

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
            raise ArenaError(f"{text!r} continues after three in a row; remove the last moves")
        return (o, x) if surplus else (x, o)

    def board_text(self, state: State) -> str:
        text = self.position_text(state)
        return "\n".join(" ".join(text[row : row + 3]) for row in (0, 3, 6))
