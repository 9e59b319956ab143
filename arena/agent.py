"""What an agent is: a way of choosing moves."""

from __future__ import annotations

from typing import Any, ClassVar

from arena.errors import ArenaError
from arena.game import Game, Move, State
from arena.options import Configurable
from arena.rng import Rng


class Agent(Configurable):
    """Chooses moves in one game. Write `choose`, and `prepare` if there is something to get ready.

    An agent is made once a worker process and plays many matches, in any order. Its choices may
    depend on the position and on `rng` alone, or on what it has seen since `begin`; then a
    tournament's results are the same however its matches are spread.
    """

    name: str = ""  # as entered, with options: set when the agent is made by name
    needs: ClassVar[tuple[str, ...]] = ()  # capabilities a game must offer

    def __init__(self, game: Game, **options: Any) -> None:
        super().__init__(**options)
        check_needs(type(self), game, type(self).__name__)
        self.game = game
        self.prepare()

    def prepare(self) -> None:
        """Get ready, once, with `self.game` and the options in place."""

    def begin(self, seat: int) -> None:
        """A match begins, with this agent as player `seat`, 0 or 1."""

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        """One of `moves`, the legal moves in `state`, of which there is at least one.

        rng: this seat's random numbers for this match, the only source of chance to use.
        """
        raise NotImplementedError


def missing_needs(cls: type[Agent], game: Game) -> list[str]:
    """The capabilities that the agent needs and the game lacks."""
    return [need for need in cls.needs if need not in game.capabilities]


def check_needs(cls: type[Agent], game: Game, name: str) -> None:
    """ArenaError if the game lacks a capability that the agent needs."""
    if missing := missing_needs(cls, game):
        offered = ", ".join(game.capabilities) or "none"
        raise ArenaError(
            f"{name} needs {' and '.join(missing)}, which {game} does not offer (it offers: {offered})"
        )
