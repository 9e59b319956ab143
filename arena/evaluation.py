"""What an evaluation is: how good a position looks without searching on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar

from arena.agent import check_needs
from arena.game import Game
from arena.kernel import Float, FloatPointer, Int, Rules, State
from arena.options import Configurable


def evaluate(G: Rules, s: State, weights: FloatPointer) -> Float:
    """The game's own evaluation."""
    value: float = G.evaluate(s)
    return value


def root(G: Rules, s: State, weights: FloatPointer) -> Int:
    """For evaluations to which it does not matter where a search begins."""
    return 0


class Evaluation(Configurable):
    """A way to judge positions in one game, for agents that search; this one is the game's own.

    kernel: a module with the kernel (see `arena.kernel`)

        evaluate(G: Rules, s: State, weights: FloatPointer) -> Float

    which says how good a position that is not over is for the player to move, 0 being even. It may have
    `root(G: Rules, s: State, weights: FloatPointer) -> Int`, called with the position that a search begins
    from, which may write to the weights; what it returns is not used.
    """

    name: str = ""  # as entered, with options: set when the evaluation is made by name
    needs: ClassVar[tuple[str, ...]] = ()  # as an agent's
    kernel: ModuleType = sys.modules[__name__]

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(**options)
        check_needs(type(self), game, self.name or type(self).__name__)
        self.game = game
        self.prepare()

    def prepare(self) -> None:
        """Get ready, once, with `self.game` and the options in place."""

    def weights(self) -> Sequence[float]:
        """What the kernel gets as `weights`."""
        return ()

    def parts(self) -> dict[str, Any]:
        """For `variant`: what an agent's module that calls `evaluate` and `root` is to have in their place.

        ROOTED is 1 if evaluations depend on where a search begins.
        """
        rooted = hasattr(self.kernel, "root") and self.kernel.root is not root
        return {
            "evaluate": self.kernel.evaluate,
            "root": self.kernel.root if rooted else root,
            "ROOTED": int(rooted),
        }
