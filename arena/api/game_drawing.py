"""The drawing of a game, and the pieces on its cells in a position."""

from __future__ import annotations

from arena.api.drawing import Drawing, Squares
from arena.api.game import Game, State
from arena.errors import ArenaError


def drawing_of(game: Game) -> Drawing | None:
    """Return the `drawing` of a game; if it has none, squares for a game with a grid, otherwise None.

    Raises:
        ArenaError: If the game's drawing is invalid.
    """
    said = game.drawing
    if said is None:
        if "grid" not in game.capabilities:
            return None
        columns, rows = (1 + max(numbers) for numbers in zip(*game.cells, strict=True))
        return Squares(columns, rows, game.cells)
    if not isinstance(said, Drawing):
        raise ArenaError(f"{game} has the drawing {said!r}; use one such as arena.Squares(8, 8)")
    if not game.offers("piece"):
        raise ArenaError(f"{game} has a drawing but no method `piece`, which returns the piece on a cell")
    return said


def pieces_on(game: Game, drawing: Drawing, state: State) -> list[int]:
    """Return the piece on each cell of a position, 0 for none.

    Raises:
        ArenaError: If a game with its own drawing has a piece that the drawing lacks.
    """
    found = [int(game.piece(state, cell)) for cell in range(len(drawing.places))]
    most = max(game.pieces, len(drawing.pieces))
    if game.drawing is not None and max(found) > most:
        raise ArenaError(
            f"{game} has a piece {max(found)}, but its drawing has only {most}; add pieces to the drawing"
        )
    return found
