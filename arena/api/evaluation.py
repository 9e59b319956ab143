"""What an evaluation is: how good a position looks without searching on."""

from __future__ import annotations

from typing import Any, ClassVar

from arena.api.agent import check_needs, check_stated
from arena.api.component import Component
from arena.api.deprecated import take_old_names
from arena.api.game import Game
from arena.api.generic import Generic, StateT
from arena.api.options import Configurable


class Evaluation(Configurable, Component, Generic[StateT]):
    """A way to judge positions in one game, for agents that search; this one is the game's own.

    Runs compiled as a part of the search that uses it, if its methods can: see `docs/compiling.md`.
    """

    name: str = ""  # as entered, with options: set when the evaluation is made by name
    needs: ClassVar[tuple[str, ...]] = ()  # as an agent's
    uses: ClassVar[tuple[str, ...]] = ()  # likewise

    def __init_subclass__(cls, **kwargs: object) -> None:
        take_old_names(cls)
        super().__init_subclass__(**kwargs)
        check_stated(cls)

    game: Game[StateT, Any]

    def __init__(self, game: Game[StateT, Any], **options: object) -> None:
        super().__init__(**options)
        check_needs(type(self), game, self.name or type(self).__name__)
        self.game = game
        self.rooted = type(self).root is not Evaluation.root  # whether it matters where a search begins
        self.prepare()

    def prepare(self) -> None:
        """Get ready, once, with `self.game` and the options in place."""

    def root(self, state: StateT) -> None:
        """A search begins in this position, which evaluations from now on may depend on."""

    def evaluate(self, state: StateT) -> float:
        """How good a position that is not over is for the player to move, 0 being even."""
        value: float = self.game.evaluate(state)
        return value
