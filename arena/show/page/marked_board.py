"""Positions with a mistake and a right move, as SVG in a page that contains the empty board only once."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from arena.api.game import Game
from arena.api.game_drawing import drawing_of
from arena.api.plugin_guard import Failed, foreign
from arena.errors import ArenaError
from arena.show.pieces import looks
from arena.show.places import Ground, outline, pixel, turned
from arena.show.presentation import Board, Marked
from arena.texts import on_lines

KEY = "On the boards, the move that was played is framed, and a right one has a dashed ring."
RING = 17  # radius of a ring, in pixels


class MarkedBoards:
    """A renderer of positions of a game.

    Args:
        game: The game; None if it is not installed.
        number: Index of the section, for the id of its empty board within the page.
    """

    def __init__(self, game: Game | None, number: int = 0) -> None:
        self.id = f"ground-{number}"
        self.ground: Ground | None = None
        try:
            with foreign(ArenaError):
                self.drawing = None if game is None else drawing_of(game)
                if game is not None and self.drawing is not None:
                    self.looks = looks(game, self.drawing)
                    self.ground = Ground(game, self.drawing)
        except (ArenaError, Failed):  # boards are then shown as text
            self.ground = None

    def empty(self) -> Markup:
        """Return the empty board, to which the positions refer; empty if the game is not drawn."""
        if self.ground is None:
            return Markup("")
        size = f"0 0 {self.ground.width} {self.ground.height}"
        body = Markup("".join(self.ground.body))
        return Markup(
            '<svg class="ground" width="0" height="0" aria-hidden="true">'
            '<symbol id="{}" viewBox="{}">{}</symbol></svg>'
        ).format(self.id, size, body)

    def of(self, board: Board) -> Markup | None:
        """Return a position as SVG; None if it is not drawn."""
        marked = board.marked
        if self.ground is None or marked is None or not self.fits(marked):
            return None
        size = f"0 0 {self.ground.width} {self.ground.height}"
        label = on_lines(board.drawn)
        body = Markup("".join([*self.pieces(marked), *self.marks(marked)]))
        start = Markup('<svg class="marked" viewBox="{}" role="img" aria-label="{}"').format(size, label)
        return start + Markup(' style="width:{}px"><use href="#{}"/>{}</svg>').format(
            self.ground.width, self.id, body
        )

    def fits(self, marked: Marked) -> bool:
        """Return whether the cells of a position agree with the places of the drawing."""
        assert self.drawing is not None
        places = range(len(self.drawing.places))
        return len(marked.pieces) == len(places) and all(
            cell in places for cell in (*marked.played, *marked.right)
        )

    def pieces(self, marked: Marked) -> Iterator[str]:
        """Yield the pieces as SVG, those in areas first, since the others are drawn above them."""
        assert self.drawing is not None
        cells = zip(self.drawing.places, marked.pieces, strict=True)
        for place, piece in sorted(cells, key=lambda cell: cell[0].kind != "area"):
            if 0 < piece <= len(self.looks[place.kind]):
                yield f'<g transform="{turned(place)}">{self.looks[place.kind][piece - 1]}</g>'

    def marks(self, marked: Marked) -> Iterator[str]:
        """Yield frames for the cells that the mistake changes, and rings for those of the right move."""
        assert self.drawing is not None
        for cell in marked.played:
            yield f'<{outline(self.drawing.places[cell])} class="wrong"/>'
        for cell in marked.right:
            x, y = pixel(self.drawing.places[cell].centre)
            yield f'<circle class="right" cx="{x:g}" cy="{y:g}" r="{RING}"/>'
