"""A position as part of a result, drawn in notebooks and shown as text elsewhere."""

from __future__ import annotations

from arena.api.game import Game, State
from arena.api.game_drawing import drawing_of
from arena.api.rulings import telling
from arena.show.board import svg
from arena.show.presentation import Board


def board_of(game: Game, state: State) -> Board:
    """Return the board of a position; a game without a drawing is shown as text in notebooks too.

    Raises:
        GameFault: If the game fails.
    """

    def drawn() -> str:
        with telling(game):
            return svg(game, state)

    with telling(game):
        return Board(game.board_text(state), drawn if drawing_of(game) else None)
