"""What the paper says of the board of checkers, worked out from ours."""

from __future__ import annotations

from math import comb
from typing import Any

SIZE, PIECES = 8, 12  # rows and columns; pieces of either player at most
HOME, MIDDLE = 4, 24  # cells of the row where one player's men may not be; those where both players' may


def positions() -> int:
    """How many ways there are to put pieces on the board of checkers, with either player to be thought of.

    Up to 12 of either, one at least, men not on their last row: all that rules do not forbid at sight.
    """
    found = 0
    for black in range(PIECES + 1):
        for white in range(PIECES + 1):
            free = HOME * SIZE - black - white
            kings = sum(
                comb(free, own) * comb(free - own, other)
                for own in range(PIECES + 1 - black)
                for other in range(PIECES + 1 - white)
                if own <= free
            )
            found += men(black, white) * kings
    return found - 1  # the empty board


def men(black: int, white: int) -> int:
    """Ways to put so many men of either player, neither's on its last row."""
    return sum(
        comb(HOME, a) * comb(MIDDLE, black - a) * comb(HOME, b) * comb(MIDDLE - black + a, white - b)
        for a in range(min(black, HOME) + 1)
        for b in range(min(white, HOME) + 1)
        if black - a <= MIDDLE
    )


def place(n: int) -> tuple[int, int]:
    """Column and row of a cell from black's home row, as equations 5 and 6 have them."""
    y = n // 4
    return 2 * (3 - n % 4) + y % 2, y


def places_agree(game: Any) -> int:
    """How many cells of the game lie where figure 1 and equations 5 and 6 have them."""
    return sum(game.cells[n] == (place(n)[0], SIZE - 1 - place(n)[1]) for n in range(len(game.cells)))


def neighbours_agree(game: Any) -> int:
    """How many cells have the cells above, to the left and right, that the paper's formula gives."""
    at = {where: cell for cell, where in enumerate(game.cells)}
    agree = 0
    for n, (x, y) in enumerate(game.cells):
        left, right = (n + 5, n + 4) if n % 8 < 4 else (n + 4, n + 3)
        seen = at.get((x - 1, y - 1)), at.get((x + 1, y - 1))
        agree += all(there in (None, said) for there, said in zip(seen, (left, right), strict=True))
    return agree


def overlap(dx: int, dy: int) -> int:
    """Squares where a board lies on one shifted by so many columns and rows."""
    return (SIZE - abs(dx)) * (SIZE - abs(dy))
