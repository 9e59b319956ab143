"""An evaluation of checkers by pieces and the position of men, or by distances if only kings are left."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arena import Evaluation, bits, option, popcount
from arena_games.checkers.draughts import State


class PieceAndBoard(Evaluation):
    """Checkers: own minus opponent's men, men in the far half and kings; distances if only kings are left.

    A search that begins in a position with only kings evaluates the sum of distances between the two sides'
    pieces, which the stronger side minimises and the weaker side maximises.
    """

    game: Any  # a game with the method `enemy_half`, which `Game` does not have

    needs = ("enemy_half", "grid")
    man: float = option(5.0, "value of a man")
    advanced: float = option(7.0, "value of a man in the opponent's half")
    king: float = option(10.0, "value of a king")
    sum_of_dist: bool = option(True, "use distances when only kings are left")

    def prepare(self) -> None:
        """Compute `distances`, float64 [cells, cells], Euclidean; `ending`: whether only kings were left."""
        cells = self.game.cells
        self.distances = np.array([[math.dist(a, b) for b in cells] for a in cells])
        self.ending = False

    def root(self, state: State) -> None:
        own, other, kings, _ = state
        self.ending = self.sum_of_dist and (own | other) & ~kings == 0

    def evaluate(self, state: State) -> float:
        own, other, kings, side = state
        if not self.ending:
            return self.worth(own, kings, side) - self.worth(other, kings, 1 - side)
        stronger = popcount(own) - popcount(other)
        if stronger == 0:
            return 0.0
        return -self.distance(own, other) if stronger > 0 else self.distance(own, other)

    def worth(self, own: int, kings: int, side: int) -> float:
        """Return the total value of a side's pieces."""
        men = popcount(own & ~kings)
        advanced = popcount(own & ~kings & self.game.enemy_half(side))
        return self.man * (men - advanced) + self.advanced * advanced + self.king * popcount(own & kings)

    def distance(self, own: int, other: int) -> float:
        """Return the sum of distances between each piece of one side and each piece of the other."""
        total = 0.0
        for a in bits(own):
            for b in bits(other):
                total += self.distances[a, b]
        return total
