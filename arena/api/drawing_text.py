"""Draw boards as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from arena.api.drawing import ROW, Dot, Drawing, Hands, Hexagons, Points

WIDE = 4  # width of a cell in characters
HIGH: dict[type[Drawing], float] = {Hexagons: 1 / ROW, Hands: 2 / 3, Points: 2}  # lines per cell, if not 1


class Named(Protocol):
    """The methods of a game that describe its pieces."""

    sides: ClassVar[tuple[str, str]]
    drawing: Drawing | None

    def piece_text(self, piece: int) -> str: ...


def letter(game: Named, piece: int) -> str:
    """Return the text of a piece: that of the game or its drawing, or else the initial of its side.

    The initial is lower case for men and upper case for kings. If the name of a side is a single letter, its
    men are shown as that letter unchanged. Kings of such a side, and further kinds of pieces, are shown with
    a number as well.
    """
    if text := game.piece_text(piece) or (game.drawing.text(piece) if game.drawing else ""):
        return text
    side, kind = game.sides[(piece - 1) % 2], (piece - 1) // 2
    if kind == 0:
        return side if len(side) == 1 else side[0].lower()
    return side[0].upper() + (str(kind) if kind > 1 or len(side) == 1 else "")


def board_text(drawing: Drawing, letters: Sequence[str]) -> str:
    """Return a board as text.

    Args:
        drawing: How the game is drawn.
        letters: The text of the piece on each cell; empty if there is none.
    """
    canvas = Canvas(HIGH.get(type(drawing), 1))
    for stroke in drawing.strokes():
        if stroke.player is None:
            canvas.line(stroke.dots)
    for place, text in zip(drawing.places, letters, strict=True):
        if place.kind == "line":
            canvas.line(place.corners, bool(text))
        else:
            canvas.write(place.centre, text or ("" if place.kind == "area" else "."))
    for label in drawing.labels():
        canvas.write(label.at, label.text, centred=False)
    return canvas.text()


class Canvas:
    """A grid of characters on which a board is drawn.

    Args:
        high: The height of a cell in lines.
    """

    def __init__(self, high: float) -> None:
        self.high = high
        self.signs: dict[tuple[int, int], str] = {}

    def at(self, dot: Dot) -> tuple[int, int]:
        """Return the line and column of a point."""
        return int(dot[1] * self.high), int(dot[0] * WIDE)

    def write(self, dot: Dot, text: str, centred: bool = True) -> None:
        """Write a text at a point."""
        row, column = self.at(dot)
        column -= (len(text) - 1) // 2 if centred else 0
        for i, sign in enumerate(text):
            self.signs[row, column + i] = sign

    def line(self, dots: Sequence[Dot], shown: bool = True) -> None:
        """Draw a line between two dots, or a single dot. If not `shown`, draw only the ends of the line."""
        ends = [self.at(dot) for dot in (dots[0], dots[-1])]
        (top, left), (bottom, right) = sorted(ends)
        steps = max(bottom - top, abs(right - left), 1)
        sign = "-" if top == bottom else "|" if left == right else "/" if left > right else "\\"
        for i in range(1, steps if shown else 0):
            self.signs.setdefault(
                (top + round((bottom - top) * i / steps), left + round((right - left) * i / steps)), sign
            )
        for end in ends:
            self.signs[end] = "+"

    def text(self) -> str:
        """Return what was drawn, without margins."""
        if not self.signs:
            return ""
        rows, columns = ([place[i] for place in self.signs] for i in (0, 1))
        lines = [
            "".join(self.signs.get((row, column), " ") for column in range(min(columns), max(columns) + 1))
            for row in range(min(rows), max(rows) + 1)
        ]
        return "\n".join(line.rstrip() for line in lines)
