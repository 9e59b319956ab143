"""An evaluation of checkers by pieces and by where men stand, and by distances once only kings are left."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from arena import Evaluation, option
from arena.bits import lowest, popcount
from arena.kernel import Float, FloatPointer, Int, Rules, State

MAN, ADVANCED, KING, DISTANCE, ENDING = range(5)  # weights; ENDING is 1 in a search from an ending


def pieces(G: Rules, side: Int, men: Int, kings: Int, weights: FloatPointer) -> Float:
    """What a side's men and kings are worth together."""
    advanced = popcount(men & G.enemy_half(side))
    back = popcount(men) - advanced
    return weights[MAN] * back + weights[ADVANCED] * advanced + weights[KING] * popcount(kings)


def sum_of_distances(G: Rules, own: Int, other: Int) -> Float:
    """Between each piece of one side and each of the other, as the crow flies."""
    total = 0.0
    while own:
        a = lowest(own)
        own &= own - 1
        left = other
        while left:
            b = lowest(left)
            left &= left - 1
            dx: int = G.column(a) - G.column(b)
            dy: int = G.row(a) - G.row(b)
            total += math.sqrt(dx * dx + dy * dy)
    return total


def root(G: Rules, s: State, weights: FloatPointer) -> Int:
    weights[ENDING] = 1.0 if weights[DISTANCE] > 0.0 and (s[0] | s[1]) & ~s[2] == 0 else 0.0
    return 0


def evaluate(G: Rules, s: State, weights: FloatPointer) -> Float:
    own, other, kings, side = s
    if weights[ENDING] > 0.0:
        stronger = popcount(own) - popcount(other)
        if stronger == 0:
            return 0.0
        distances = sum_of_distances(G, own, other)
        return -distances if stronger > 0 else distances
    mine = pieces(G, side, own & ~kings, own & kings, weights)
    return mine - pieces(G, 1 - side, other & ~kings, other & kings, weights)


class PieceAndBoard(Evaluation):
    """Checkers: men, men in the enemy's half and kings, own minus other; in endings of kings, distances.

    A search that begins where only kings are left goes by the sum of distances between the two sides'
    pieces, which the stronger side wants small and the weaker large.
    """

    needs = ("enemy_half",)
    kernel = sys.modules[__name__]
    man: float = option(5.0, "worth of a man")
    advanced: float = option(7.0, "worth of a man in the enemy's half")
    king: float = option(10.0, "worth of a king")
    sum_of_dist: bool = option(True, "go by distances where only kings are left")

    def weights(self) -> Sequence[float]:
        return self.man, self.advanced, self.king, float(self.sum_of_dist), 0.0
