"""Ways of superimposing a board on itself so that two cells coincide, possibly transformed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from arena import Component, Game, State

INDEX = np.uint32  # dtype of indices: compiled code need not check unsigned ones for negative values
NEAR = 2  # maximum distance in columns and rows of the middle of a line from a move


class Board(Component):
    """Tables for superimposing a game's board on itself, and the pieces of the current position.

    cells, squares: the numbers of playable cells and of all squares. kinds: the number of kinds of pieces,
    including none. wide: the number of offsets between cells, which are numbered as in a square array. ways:
    [ways], transformations of the board, numbered as in `Game.shape_image`; turning: whether there are
    several. offsets: [cells, cells], the offset of the second cell from the first. turned: [ways, wide], the
    image of each offset. unplayed: float64 [ways, cells, cells], how many unplayable squares coincide with
    unplayable squares if the second cell is put on the first. cell_at: int64 [cells, wide], the cell at an
    offset from a cell, -1 if there is none. threes: [lines, 3], lines near a cell, as offsets from it.
    images: [ways, lines], the images of lines, see `image_of`. now: [2, cells], the piece on each cell, and
    the same with the players exchanged.
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
        """Store the pieces on all cells of a position, also with the players exchanged."""
        for cell in range(self.cells):
            piece = min(self.game.piece(state, cell), self.kinds - 1)
            self.now[0, cell] = piece
            if self.turning:
                self.now[1, cell] = ((piece - 1) ^ 1) + 1 if piece > 0 else piece

    def three(self, line: int, anchor: int, side: int, backwards: bool = False) -> int:
        """Return the contents of a line of three near a cell as a number; off the board is another kind.

        side: 1 for exchanged players. backwards: read the line from its other end.
        """
        kinds = self.kinds + 1
        pattern = 0
        for i in range(3):
            cell = self.cell_at[anchor, self.threes[line, 2 - i if backwards else i]]
            pattern = pattern * kinds + (self.now[side, cell] if cell >= 0 else kinds - 1)
        return pattern

    def turned_three(self, line: int, anchor: int, turn: int) -> int:
        """Return the contents of the line whose image under a transformation is this line."""
        return self.three(line, anchor, self.ways[turn] >> 3, self.images[turn, line] & 1 == 1)


def image_of(three: list[int], threes: list[list[int]]) -> int:
    """Return twice the number of a line, plus 1 if the line is listed in reverse."""
    return 2 * threes.index(three) if three in threes else 2 * threes.index(three[::-1]) + 1


def turn(offset: Any, way: int) -> Any:
    """Return offsets transformed as in `Game.shape_image`; the last axis is x, y."""
    x, y = (offset[..., 1], offset[..., 0]) if way & 4 else (offset[..., 0], offset[..., 1])
    return np.stack([-x if way & 1 else x, -y if way & 2 else y], axis=-1)


def back(way: int) -> int:
    """Return the inverse of a transformation, which differs from it for quarter turns."""
    return way ^ 3 if way & 7 in (5, 6) else way


def closure(ways: Iterable[int]) -> list[int]:
    """Return the group generated by some transformations of the board; the first is the identity."""
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
