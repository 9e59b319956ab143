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
    """A way of judging positions of one game, for agents that search. By default, the evaluation of the game.

    With types, subclass `Evaluation[State]`. It is compiled as a part of the search that uses it, where
    possible: see `docs/compiling.md`.

    Attributes:
        game: The game.
        rooted: Whether values depend on where a search began, because `root` is overridden.
    """

    name: str = ""  # the entry's text, with options; set when the evaluation is created by name
    needs: ClassVar[tuple[str, ...]] = ()  # capabilities that a game must offer, or methods of its class
    uses: ClassVar[tuple[str, ...]] = ()  # capabilities that it uses if the game offers them

    def __init_subclass__(cls, **kwargs: object) -> None:
        take_old_names(cls)
        super().__init_subclass__(**kwargs)
        check_stated(cls)

    game: Game[StateT, Any]

    def __init__(self, game: Game[StateT, object], **options: object) -> None:
        super().__init__(**options)
        check_needs(type(self), game, self.name or type(self).__name__)
        self.game = game
        self.rooted = type(self).root is not Evaluation.root  # whether it matters where a search begins
        self.prepare()

    def prepare(self) -> None:
        """Set up the evaluation, once. `self.game` and the options are set by then."""

    def root(self, state: StateT) -> None:
        """Begin a search in this position. Evaluations may depend on it from now on."""

    def evaluate(self, state: StateT) -> float:
        """Return how good a position is for the player to move, if the game is not over; 0 is even."""
        value: float = self.game.evaluate(state)
        return value
