"""The inputs of a network: an encoding of positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from arena import Component, Game, State, unchecked
from arena_neural.network import INDEX, Network

WAYS = (0, 3, 2, 1, 4, 7, 5, 6)  # transformations, numbered as in `Game.shape_image`, the likeliest first


class Eye(Component):
    """Encodes the pieces on all cells as inputs of a network.

    inputs: the number of inputs. by_kind: whether there is an input for each cell and kind of piece, which is
    1 for a piece; otherwise there is one input per cell, 1 and -1 for the pieces 1 and 2, 2 and -2 for 3 and
    4, and so on. mover: whether player 1's own pieces are encoded like player 0's, on a board transformed so
    that both start in the same way; otherwise the encoding is the same for both players. places: [2, cells],
    the cell as encoded for each player.
    """

    def __init__(self, game: Game, by_kind: bool, mover: bool) -> None:
        self.game, self.by_kind, self.mover = game, by_kind, mover
        self.cells = len(game.cells)
        self.kinds = game.pieces + game.pieces % 2
        self.inputs = self.cells * self.kinds if by_kind else self.cells
        self.places = np.array([range(self.cells), fair(game) if mover else range(self.cells)], INDEX)

    @unchecked
    def look(self, network: Network, state: State, player: int) -> None:
        """Set the inputs of a network to a position from a player's point of view."""
        exchanged = player if self.mover else 0
        network.clear()
        for cell in range(self.cells):
            piece = self.game.piece(state, cell)
            if piece > 0:
                kind = (piece - 1) ^ exchanged
                place = self.places[player, cell]
                if self.by_kind:
                    network.give(place * self.kinds + kind, 1.0)
                else:
                    size = 1.0 + (kind >> 1)
                    network.give(place, -size if kind & 1 else size)


def fair(game: Game) -> list[int]:
    """Return the images of cells for player 1, so that its pieces start where player 0's do if possible."""
    at = np.array(game.cells, np.int64)
    at -= at.min(axis=0)
    size = at.max(axis=0)
    number = {tuple(cell): n for n, cell in enumerate(at.tolist())}
    start = [game.piece(game.initial(), cell) for cell in range(len(at))]
    for way in WAYS:
        turned = [number.get(turn(cell, way, size), -1) for cell in at.tolist()]
        if -1 not in turned and all(
            start[place] == (piece and ((piece - 1) ^ 1) + 1)
            for place, piece in zip(turned, start, strict=True)
        ):
            return turned
    return list(range(len(at)))


def turn(cell: list[int], way: int, size: Any) -> tuple[int, int]:
    """Return a cell on the transformed board; `size` is the position of the last cell."""
    x, y = cell[::-1] if way & 4 else cell
    return (int(size[0]) - x if way & 1 else x, int(size[1]) - y if way & 2 else y)
