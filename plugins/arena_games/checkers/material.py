"""An evaluation of checkers by what a line of play wins and loses."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from arena import Evaluation, option
from arena.bits import popcount
from arena.kernel import Float, FloatPointer, Int, Rules, State

MAN, KING, BEFORE = range(3)  # weights; BEFORE is player 0's balance where the search begins


def balance(s: State, weights: FloatPointer) -> Float:
    """Men and kings, own minus other."""
    own, other, kings, _ = s
    men = popcount(own & ~kings) - popcount(other & ~kings)
    return weights[MAN] * men + weights[KING] * (popcount(own & kings) - popcount(other & kings))


def root(G: Rules, s: State, weights: FloatPointer) -> Int:
    weights[BEFORE] = balance(s, weights) if s[3] == 0 else -balance(s, weights)
    return 0


def evaluate(G: Rules, s: State, weights: FloatPointer) -> Float:
    return balance(s, weights) - (weights[BEFORE] if s[3] == 0 else -weights[BEFORE])


class Material(Evaluation):
    """Checkers: men and kings, own minus other, as the change since where the search begins.

    So a tie on the board counts as much as keeping what one has.
    """

    needs = ("enemy_half",)
    kernel = sys.modules[__name__]
    man: float = option(1.0, "worth of a man")
    king: float = option(2.0, "worth of a king")

    def weights(self) -> Sequence[float]:
        return self.man, self.king, 0.0
