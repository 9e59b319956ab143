"""What checkers of any size have in common on paper: positions as PDN's FEN, boards as letters."""

from __future__ import annotations

import re
from typing import ClassVar

from arena import ArenaError, Game

State = tuple[int, int, int, int]
FEN = re.compile(r"([BW])((?::[BW](?:K?\d+(?:,K?\d+)*)?){0,2})\.?")


class OnPaper(Game):
    """Reads and writes positions; comes before `FastGame` among the bases of a game.

    States are (own, other, kings, side), bit n being the square n + 1; B is player 0, W player 1. The rules
    have the grid, and `CROWNING`: for each player the row where men are crowned.

    example: a position's text. letters: of an empty square, the men of both players, their kings.
    """

    example: ClassVar[str]
    letters: ClassVar[str]

    def position_text(self, state: State) -> str:
        """Such as `B:W21,22,K30:B1,2,12`: the player to move, then the squares of both, K for kings."""
        own, other, kings, side = state
        black, white = (own, other) if side == 0 else (other, own)

        def squares(pieces: int) -> str:
            bits = (n for n in range(pieces.bit_length()) if (pieces >> n) & 1)
            return ",".join(("K" if (kings >> n) & 1 else "") + str(n + 1) for n in bits)

        return f"{'BW'[side]}:W{squares(white)}:B{squares(black)}"

    def read_position(self, text: str) -> State:
        found = FEN.fullmatch(text.strip().upper())
        if not found:
            raise ArenaError(f"{text!r} is not a position such as {self.example!r}")
        squares = len(self.rules.CELLS)
        pieces = {"B": 0, "W": 0}
        kings = 0
        for part in found[2].split(":")[1:]:
            if pieces[part[0]]:
                raise ArenaError(f"{text!r} names the pieces of {part[0]} twice")
            for square in part[1:].split(",") if part[1:] else ():
                number = int(square.lstrip("K"))
                if not 1 <= number <= squares:
                    raise ArenaError(f"{text!r} has a piece on square {number}; there are 1 to {squares}")
                bit = 1 << (number - 1)
                if (pieces["B"] | pieces["W"]) & bit:
                    raise ArenaError(f"{text!r} has two pieces on square {number}")
                pieces[part[0]] |= bit
                kings |= bit if square.startswith("K") else 0
        for color, row in zip("BW", self.rules.CROWNING, strict=True):
            if stuck := pieces[color] & row & ~kings:
                number = stuck.bit_length()
                raise ArenaError(f"{text!r} has a man on square {number}, where it would be a king")
        if found[1] == "B":
            return (pieces["B"], pieces["W"], kings, 0)
        return (pieces["W"], pieces["B"], kings, 1)

    def board_text(self, state: State) -> str:
        """A letter on each of the cells, nothing on those between."""
        cells = self.rules.CELLS
        size = 1 + max(y for _, y in cells)
        rows = [[" "] * size for _ in range(size)]
        for n, (x, y) in enumerate(cells):
            rows[y][x] = self.letters[self.rules.piece(state, n)]
        return "\n".join(" ".join(row).rstrip() for row in rows)
