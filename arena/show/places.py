"""Empty boards as SVG: cells, lines and names of cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import atan2, degrees, hypot

from arena.api.drawing import SPREAD, Dot, Drawing, Picture, Place, Squares, Stroke
from arena.api.game import Game
from arena.show.safe_svg import safe, size_of
from arena.show.svg_text import INK, WHITE, escape

SQUARE = 48  # size of a cell; all lengths are in pixels
EDGE = 8  # margin around the board
LIGHT, PLAYABLE = "#f6efe2", "#d8c3a0"
INSET = 1.5  # distance of a frame from the edge of its cell


class Ground:
    """The empty board of a drawing.

    Attributes:
        width: Width in pixels, including the edge.
        height: Height in pixels, including the edge.
        body: The SVG elements.
    """

    def __init__(self, game: Game, drawing: Drawing) -> None:
        self.game, self.drawing = game, drawing
        if isinstance(drawing, Picture):
            wide, high = size_of(drawing.svg)
        else:
            dots = [dot for place in drawing.places for dot in around(place)]
            dots += [dot for stroke in drawing.strokes() for dot in stroke.dots]
            wide, high = (SQUARE * max(numbers) for numbers in zip(*dots, strict=True))
            if isinstance(drawing, Squares):
                wide, high = SQUARE * drawing.columns, SQUARE * drawing.rows
        self.width, self.height = round(wide) + 2 * EDGE, round(high) + 2 * EDGE
        self.body = [*self.paper(), *self.cells(), *self.lines(), *self.labels()]

    def paper(self) -> Iterator[str]:
        size = f'width="{self.width - 2 * EDGE}" height="{self.height - 2 * EDGE}"'
        if isinstance(self.drawing, Squares):
            yield f'<rect x="{EDGE}" y="{EDGE}" {size} fill="{LIGHT}" stroke="{INK}"/>'
            return
        yield f'<rect width="{self.width}" height="{self.height}" fill="{LIGHT}"/>'
        if isinstance(self.drawing, Picture):
            yield f'<g transform="translate({EDGE} {EDGE})">{safe(self.drawing.svg)}</g>'

    def lines(self) -> Iterator[str]:
        for stroke in self.drawing.strokes():
            yield from drawn(stroke, self.game.dark)

    def cells(self) -> Iterator[str]:
        for cell, place in enumerate(self.drawing.places):
            if not isinstance(self.drawing, Picture):
                yield from empty(place, LIGHT if self.is_light(place) else PLAYABLE)
            if self.drawing.named and (name := escape(self.game.cell_text(cell))):
                x, y, more = beside(place)
                yield f'<text class="name" x="{x:g}" y="{y:g}" font-size="9" fill="#444"{more}>{name}</text>'

    def is_light(self, place: Place) -> bool:
        x, y = place.corners[0]
        return isinstance(self.drawing, Squares) and self.drawing.chequered and (x + y) % 2 == 0

    def labels(self) -> Iterator[str]:
        for label in self.drawing.labels():
            x, y = pixel(label.at)
            style = f'font-size="14" fill="{INK}"'
            yield f'<text x="{x:g}" y="{y + 5:g}" {style}>{escape(label.text)}</text>'


def pixel(dot: Dot) -> Dot:
    """Return the coordinates of a place of a board in pixels."""
    return EDGE + dot[0] * SQUARE, EDGE + dot[1] * SQUARE


def around(place: Place) -> Sequence[Dot]:
    """Return the corners of a place, including the area that its pieces need."""
    if place.kind not in ("point", "line"):
        return place.corners
    return [(x + d, y + d) for x, y in place.corners for d in (-0.5, 0.5)]


def outline(place: Place) -> str:
    """Return the outline of a place, for frames and clicks, as an SVG element without angle brackets."""
    if place.kind == "point":
        x, y = pixel(place.centre)
        return f'circle cx="{x:g}" cy="{y:g}" r="21"'
    if place.kind in ("square", "object", "card"):
        (left, top), (right, bottom) = pixel(place.corners[0]), pixel(place.corners[2])
        size = f'width="{right - left - 2 * INSET:g}" height="{bottom - top - 2 * INSET:g}"'
        return f'rect x="{left + INSET:g}" y="{top + INSET:g}" {size}'
    return f'polygon points="{dots(wide(place) if place.kind == "line" else place.corners)}"'


def wide(place: Place) -> tuple[Dot, ...]:
    """Return the corners of a lozenge around a line, wide enough to click on."""
    (x, y), (x2, y2) = place.corners
    dx, dy = (y - y2) * SPREAD, (x2 - x) * SPREAD
    (mx, my) = place.centre
    return (x, y), (mx + dx, my + dy), (x2, y2), (mx - dx, my - dy)


def dots(corners: Sequence[Dot]) -> str:
    return " ".join(f"{x:.4g},{y:.4g}" for x, y in map(pixel, corners))


def turned(place: Place) -> str:
    """Return the SVG transform that moves a piece to a place."""
    x, y = pixel(place.centre)
    at = f"translate({x:.4g} {y:.4g})"
    if place.kind != "line":
        return at
    (x1, y1), (x2, y2) = place.corners
    length = hypot(x2 - x1, y2 - y1)
    stretched = "" if abs(length - 1) < 1e-6 else f" scale({length:.4g} 1)"
    return f"{at} rotate({degrees(atan2(y2 - y1, x2 - x1)):.4g}){stretched}"


def empty(place: Place, paper: str) -> Iterator[str]:
    """Yield the SVG elements of an empty cell. paper: its colour."""
    style = f'fill="{paper}" stroke="{INK}" stroke-width=".5"'
    x, y = pixel(place.centre)
    if place.kind == "square":
        left, top = pixel(place.corners[0])
        yield f'<rect class="cell" x="{left:g}" y="{top:g}" width="{SQUARE}" height="{SQUARE}" {style}/>'
    elif place.kind == "hexagon":
        yield f'<polygon class="cell" points="{dots(place.corners)}" {style}/>'
    elif place.kind == "point":
        yield f'<circle class="cell" cx="{x:g}" cy="{y:g}" r="5" fill="{INK}"/>'
    elif place.kind == "line":
        (x1, y1), (x2, y2) = map(pixel, place.corners)
        ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
        yield f'<line class="cell" {ends} stroke="{PLAYABLE}" stroke-width="2" stroke-dasharray="3 4"/>'
    elif place.kind == "object":
        yield f'<circle class="cell" cx="{x:g}" cy="{y:g}" r="4" fill="{PLAYABLE}"/>'
    elif place.kind == "card":
        size = 'width="42" height="66" rx="5" fill="none" stroke-dasharray="3 4"'
        at = f'x="{x - 21:g}" y="{y - 33:g}"'
        yield f'<rect class="cell" {at} {size} stroke="{PLAYABLE}" stroke-width="2"/>'


def drawn(stroke: Stroke, dark: int) -> Iterator[str]:
    """Yield the SVG elements of a line or dot of the empty board; a player's line has the player's colour."""
    if len(stroke.dots) == 1:
        x, y = pixel(stroke.dots[0])
        yield f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{INK}"/>'
        return
    line = (
        f'<polyline points="{dots(stroke.dots)}" fill="none" stroke-linejoin="round" stroke-linecap="round"'
    )
    if stroke.player is None:
        yield f'{line} stroke="{INK}" stroke-width="2"/>'
        return
    yield f'{line} stroke="{INK}" stroke-width="9"/>'
    if stroke.player != dark:
        yield f'{line} stroke="{WHITE}" stroke-width="6"/>'


def beside(place: Place) -> tuple[float, float, str]:
    """Return the coordinates of the name of a cell, and further SVG attributes."""
    if place.kind == "square":
        left, top = pixel(place.corners[0])
        return left + 3.5, top + 10.5, ""
    x, y = pixel(place.centre)
    if place.kind == "hexagon":
        return x, y + 3, ' text-anchor="middle"'
    return x + 15, y + 25, ""  # clear of the piece and of its frame
