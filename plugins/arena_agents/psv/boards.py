"""Ways to lay a board on itself, one cell on another and perhaps turned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from arena import Component, Game, State

INDEX = np.uint32  # arrays of what is never negative: an index that may be would have to be looked at
NEAR = 2  # columns and rows from a move that the middle of a line may be off


class Board(Component):
    """A game's board as it lies on itself, and what stands on it in the position looked at last.

    cells, squares: how many are played on, and how many there are. kinds: of pieces, with nothing as one, and
    those of either player exchanged. wide: how many offsets there are of one cell from another, the numbers
    of a square array. ways: [ways], to turn it, as `Game.shape_image` numbers them; turning: whether there
    are several. offsets: [cells, cells], of the second from the first. turned: [ways, wide], what an offset
    becomes. unplayed: float64 [ways, cells, cells], how many squares that are not played on lie on such, the
    second cell on the first. cell_at: int64 [cells, wide], the cell at an offset from one, -1 for none.
    threes: [lines, 3], lines near a cell, as offsets from it. images: [ways, lines], what lines become: see
    `image_of`. now: [2, cells], what stands on each, and with the players exchanged.
    """

    def __init__(self, game: Game, ways: list[int]) -> None:
        self.game, self.ways, self.turning = game, np.array(ways, INDEX), len(ways) > 1
        self.kinds = game.pieces + game.pieces % 2 + 1
        at = np.array(game.cells, np.int64)
        at -= at.min(axis=0)
        size = at.max(axis=0) + 1
        reach = int(size.max())
        self.cells, self.squares, self.wide = len(at), int(size.prod()), (2 * reach - 1) ** 2
        self.now = np.zeros((2, self.cells), INDEX)

        def number(offset: Any) -> Any:
            return (offset[..., 1] + reach - 1) * (2 * reach - 1) + offset[..., 0] + reach - 1

        self.offsets = number(at[None] - at[:, None]).astype(INDEX)
        steps = np.arange(1 - reach, reach)
        every = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        self.turned = np.stack([number(turn(every, way)) for way in ways]).astype(INDEX)
        self.cell_at = np.full((self.cells, self.wide), -1)
        for cell in range(self.cells):
            self.cell_at[cell, self.offsets[cell]] = range(self.cells)

        between = (at[None] - at[:, None]).reshape(-1, 2)
        met = {*np.concatenate([number(turn(between, way)) for way in range(8)]).tolist()}
        threes = []
        for middle in every[np.abs(every).max(axis=1) <= NEAR]:
            for step in np.array([(1, -1), (1, 0), (1, 1), (0, 1)]):
                line = np.stack([middle - step, middle, middle + step])
                if np.abs(line).max() < reach and met.issuperset(number(line).tolist()):
                    threes.append(number(line).tolist())
        self.threes = np.array(threes, INDEX).reshape(-1, 3)
        images = [image_of(row[three].tolist(), threes) for row in self.turned for three in threes]
        self.images = np.array(images, INDEX).reshape(len(ways), -1)

        outside = np.ones(size, bool)
        outside[tuple(at.T)] = False
        holes = np.argwhere(outside)
        found = []
        for way in ways:
            laid = at[None, :, None] + turn(holes[None] - at[:, None], way)[:, None]  # [to, from, hole, 2]
            inside = np.all((laid >= 0) & (laid < size), axis=-1)
            x, y = np.moveaxis(np.where(inside[..., None], laid, 0), -1, 0)
            found.append(np.sum(inside & outside[x, y], axis=-1))
        self.unplayed = np.stack(found).astype(np.float64)

    def look(self, state: State) -> None:
        """Note what stands on each cell of a position, for either player."""
        for cell in range(self.cells):
            piece = min(self.game.piece(state, cell), self.kinds - 1)
            self.now[0, cell] = piece
            if self.turning:
                self.now[1, cell] = ((piece - 1) ^ 1) + 1 if piece > 0 else piece

    def three(self, line: int, anchor: int, side: int, backwards: bool = False) -> int:
        """Return the contents of a line of three around a cell, for a side; off the board is a kind too.

        backwards: from the line's other end.
        """
        kinds = self.kinds + 1
        pattern = 0
        for i in range(3):
            cell = self.cell_at[anchor, self.threes[line, 2 - i if backwards else i]]
            pattern = pattern * kinds + (self.now[side, cell] if cell >= 0 else kinds - 1)
        return pattern

    def turned_three(self, line: int, anchor: int, turn: int) -> int:
        """Return the contents of the line that is this one on a turned board, from its first end."""
        return self.three(line, anchor, self.ways[turn] >> 3, self.images[turn, line] & 1 == 1)


def image_of(three: list[int], threes: list[list[int]]) -> int:
    """2 times the number of a line, and 1 more if it is there from its other end."""
    return 2 * threes.index(three) if three in threes else 2 * threes.index(three[::-1]) + 1


def turn(offset: Any, way: int) -> Any:
    """Return offsets x, y on a board turned as in `Game.shape_image`; the last axis is x, y."""
    x, y = (offset[..., 1], offset[..., 0]) if way & 4 else (offset[..., 0], offset[..., 1])
    return np.stack([-x if way & 1 else x, -y if way & 2 else y], axis=-1)


def back(way: int) -> int:
    """Return the way to turn a board back that was turned: another where a quarter turn is in it."""
    return way ^ 3 if way & 7 in (5, 6) else way


def closure(ways: Iterable[int]) -> list[int]:
    """Return all turns of the board that combinations of these make; the first is not a turn at all."""
    probe = np.array([1, 2])
    planar = {tuple(turn(probe, way)): way for way in range(8)}
    ways, found = list(ways), {0}
    while True:
        after = {
            planar[tuple(turn(turn(probe, first), second))] | ((first ^ second) & 8)
            for first in found
            for second in ways
        }
        if after <= found:
            return sorted(found)
        found |= after
