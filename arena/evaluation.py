"""What an evaluation is: how good a position looks without searching on."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import ClassVar

from arena.agent import check_needs
from arena.game import Game
from arena.options import Configurable


class Evaluation(Configurable):
    """A way to judge positions in one game, for agents that search.

    kernel: a module with the kernel (see `arena.kernel`)

        evaluate(G: Rules, s: State, weights: FloatPointer) -> Float

    which says how good a position that is not over is for the player to move, 0 being even. It may have
    `root(G: Rules, s: State, weights: FloatPointer) -> Int`, called with the position that a search begins
    from, which may write to the weights; what it returns is not used.
    """

    name: str = ""  # as entered, with options: set when the evaluation is made by name
    needs: ClassVar[tuple[str, ...]] = ()  # capabilities a game must offer
    kernel: ModuleType

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
