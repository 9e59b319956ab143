"""How a game is drawn: the positions and outlines of its cells, and the appearance of its pieces.

The same description is used for pages, notebooks, replays and terminals. The unit of length is the side of a
square cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import pi, sin
from typing import NamedTuple

Dot = tuple[float, float]  # x and y, from the top left
HALF = 0.5
SPREAD = 0.22  # half the maximum width of a line that is a cell
ROW = sin(pi / 3)  # distance from one row of hexagons to the next
COLOURS = ("dark", "light", "red", "yellow", "blue", "green")
CHESSMEN = ("pawn", "knight", "bishop", "rook", "queen", "king")


class Place(NamedTuple):
    """A cell on a drawn board.

    Attributes:
        kind: `square`, `hexagon`, `point`, `line`, `area`, `object` or `card`.
        corners: The corners of its outline; for a point the point itself, for a line its two ends.
    """

    kind: str
    corners: tuple[Dot, ...]

    @property
    def centre(self) -> Dot:
        """The centre of the cell."""
        n = len(self.corners)
        return sum(x for x, _ in self.corners) / n, sum(y for _, y in self.corners) / n


class Stroke(NamedTuple):
    """A line on the board below the pieces, and the player who owns it, if any."""

    dots: tuple[Dot, ...]
    player: int | None = None


class Label(NamedTuple):
    """A text beside the cells; `at` is where it starts."""

    at: Dot
    text: str


@dataclass(frozen=True)
class Drawing:
    """How a game is drawn; create one of the subclasses.

    The game's method `piece` returns the piece on each cell; cells are numbered in the order of the drawing.

    Args:
        pieces: The appearance of pieces 1, 2, …: a colour (`dark`, `light`, `red`, `yellow`, `blue` or
            `green`), a chess piece such as `white knight`, another text, which is written on the piece, or an
            SVG fragment that begins with `<`, 48 units wide and high and centred on 0, 0. Default: dark and
            light discs.
        clicks: Maps the text of a move to the cells that are clicked to play it. A move that is not in the
            mapping is played by clicking the cells that it changes.
    """

    pieces: Sequence[str] = field(default=(), kw_only=True)
    clicks: Mapping[str, Sequence[int]] = field(default_factory=dict, kw_only=True)

    first = False  # whether a move is played by clicking the first cell that it changes
    named = True  # whether the `cell_text` of each cell is shown on it

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The cells."""
        return tuple(self.laid())

    def text(self, piece: int) -> str:
        """Return the text on a piece, or its letters in a text board; empty to use the game's text."""
        look = self.pieces[piece - 1] if piece <= len(self.pieces) else ""
        if man := chessman(look):
            letter = man[1][0] if man[1] != "knight" else "n"
            return letter.upper() if man[0] == "white" else letter
        return "" if look in COLOURS or look.startswith("<") else look

    def laid(self) -> Iterator[Place]:
        """Yield the cells in the order of their numbers."""
        raise NotImplementedError  # subclasses implement it

    def strokes(self) -> Iterator[Stroke]:
        """Yield the lines below the pieces."""
        return iter(())

    def labels(self) -> Iterator[Label]:
        """Yield the texts beside the cells."""
        return iter(())


@dataclass(frozen=True)
class Squares(Drawing):
    """A board of squares, numbered row by row from the top left, or in the order of `cells`.

    Args:
        columns: The number of squares in a row.
        rows: The number of rows.
        cells: Column and row of each playable square, from 0, if some squares are not playable.
        chequered: Whether squares alternate between light and dark; the top left one is light.
    """

    columns: int
    rows: int
    cells: Sequence[tuple[int, int]] | None = None
    chequered: bool = False

    def laid(self) -> Iterator[Place]:
        """Yield the cells in the order of their numbers."""
        every = [(x, y) for y in range(self.rows) for x in range(self.columns)]
        for x, y in every if self.cells is None else self.cells:
            yield Place("square", box(x, y, x + 1, y + 1))


@dataclass(frozen=True)
class Hexagons(Drawing):
    """A board of hexagons in rows, each shifted by half a cell to the right of the one above.

    Args:
        columns: The number of hexagons in a row.
        rows: The number of rows.
        sides: Whether the edges are drawn in the players' colours, top and bottom for player 0, as in Hex.
    """

    columns: int
    rows: int
    sides: bool = False

    def laid(self) -> Iterator[Place]:
        """Yield the cells in the order of their numbers."""
        for y in range(self.rows):
            for x in range(self.columns):
                yield Place("hexagon", tuple(self.corner(x, y, i) for i in range(6)))

    def corner(self, x: int, y: int, i: int) -> Dot:
        """Return a corner of a cell, from the top one clockwise."""
        dx, dy = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))[i]
        return x + y / 2 + HALF + dx / 2, (y + dy / 3) * ROW + 2 / 3 * ROW

    def strokes(self) -> Iterator[Stroke]:
        """Yield the lines below the pieces."""
        if not self.sides:
            return
        across, down, last = range(self.columns), range(self.rows), self.rows - 1
        end = self.columns - 1
        yield Stroke(tuple(self.corner(x, 0, i) for x in across for i in (5, 0, 1)), 0)
        yield Stroke(tuple(self.corner(x, last, i) for x in across for i in (4, 3, 2)), 0)
        yield Stroke(tuple(self.corner(0, y, i) for y in down for i in (5, 4, 3)), 1)
        yield Stroke(tuple(self.corner(end, y, i) for y in down for i in (0, 1, 2)), 1)


@dataclass(frozen=True)
class Points(Drawing):
    """Points joined by lines. Pieces are on the points, or the lines are drawn by the players.

    Args:
        points: x and y of each point.
        lines: The indices of the two points that each line joins.
        areas: The corners of each area, as indices of points. Areas are cells, numbered after all others.
        on_lines: Whether the lines are the cells instead of the points, as in Dots and Boxes.
    """

    points: Sequence[Dot]
    lines: Sequence[tuple[int, int]]
    areas: Sequence[Sequence[int]] = ()
    on_lines: bool = False

    def laid(self) -> Iterator[Place]:
        """Yield the cells in the order of their numbers."""
        if self.on_lines:
            yield from (Place("line", (self.at(a), self.at(b))) for a, b in self.lines)
        else:
            yield from (Place("point", (self.at(i),)) for i in range(len(self.points)))
        yield from (Place("area", tuple(map(self.at, area))) for area in self.areas)

    def at(self, point: int) -> Dot:
        """Return the coordinates of a point."""
        x, y = self.points[point]
        return x + HALF, y + HALF

    def strokes(self) -> Iterator[Stroke]:
        """Yield the lines below the pieces."""
        if self.on_lines:
            yield from (Stroke((self.at(i),)) for i in range(len(self.points)))
        else:
            yield from (Stroke((self.at(a), self.at(b))) for a, b in self.lines)

    @property
    def named(self) -> bool:  # type: ignore[override] # a constant in the base class
        """Whether the name of each cell, its `cell_text`, is written on the board."""
        return not self.on_lines


@dataclass(frozen=True)
class Rows(Drawing):
    """Cells in rows, with a name to the left of each row."""

    first = True
    named = False
    kind = "object"

    def rows(self) -> Sequence[tuple[str, int]]:
        """Return the name and the number of cells of each row."""
        raise NotImplementedError  # subclasses implement it

    def laid(self) -> Iterator[Place]:
        """Yield the cells in the order of their numbers."""
        left, high = self.left, 1.5 if self.kind == "card" else 1.0
        for y, (_, n) in enumerate(self.rows()):
            for x in range(n):
                yield Place(self.kind, box(left + x, y * high, left + x + 1, (y + 1) * high))

    def labels(self) -> Iterator[Label]:
        """Yield the texts beside the cells."""
        high = 1.5 if self.kind == "card" else 1.0
        for y, (name, _) in enumerate(self.rows()):
            yield Label((0, (y + HALF) * high), name)

    @property
    def left(self) -> float:
        """The width of the names beside the rows."""
        return 0.3 + 0.2 * max(len(name) for name, _ in self.rows())


@dataclass(frozen=True)
class Heaps(Rows):
    """Heaps of objects, one row for each heap, as in Nim. A click takes an object and those to its right.

    Cells are numbered heap by heap. A heap of three has pieces on the first three of its cells.

    Args:
        sizes: The maximum number of objects in each heap.
    """

    sizes: Sequence[int]

    def text(self, piece: int) -> str:
        """Return the text written on a piece, or its letters in a text board."""
        return super().text(piece) or "o"

    def rows(self) -> Sequence[tuple[str, int]]:
        """Return the name and the number of cells of each row."""
        return [(str(i), size) for i, size in enumerate(self.sizes, 1)]


@dataclass(frozen=True)
class Hands(Rows):
    """Open cards in rows, such as one for each player and one for the table.

    Cells are numbered row by row. A click on a card plays it: the first cell that a move changes.

    Args:
        sizes: The maximum number of cards in each row, by name of the row.
    """

    sizes: Mapping[str, int]
    kind = "card"

    def rows(self) -> Sequence[tuple[str, int]]:
        """Return the name and the number of cells of each row."""
        return list(self.sizes.items())


@dataclass(frozen=True)
class Picture(Drawing):
    """A custom picture below the pieces.

    Args:
        svg: The picture, an SVG document with a `viewBox` that begins at 0 0; 48 of its units are one cell.
            Shapes and texts are kept; scripts, styles, links and images are dropped.
        centres: x and y of each cell, in the picture's units.
    """

    svg: str
    centres: Sequence[Dot]
    named = False

    def laid(self) -> Iterator[Place]:
        """Yield the cells in the order of their numbers."""
        for x, y in self.centres:
            yield Place("point", ((x / 48, y / 48),))


def box(left: float, top: float, right: float, bottom: float) -> tuple[Dot, ...]:
    """Return the corners of a rectangle."""
    return (left, top), (right, top), (right, bottom), (left, bottom)


def chessman(look: str) -> tuple[str, str] | None:
    """Return the colour and the kind of a piece such as `white knight`; None for other texts."""
    colour, _, kind = look.partition(" ")
    return (colour, kind) if colour in ("white", "black") and kind in CHESSMEN else None
