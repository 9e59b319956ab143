"""What an agent is: a way of choosing moves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from arena.api.component import Component
from arena.api.deprecated import take_old_names
from arena.api.distribution import enumerated_probabilities
from arena.api.game import CAPABILITIES, Game
from arena.api.generic import Generic, MoveT, StateT
from arena.api.options import Configurable
from arena.api.protocol import Protocol
from arena.errors import ArenaError
from arena.rng import Rng
from arena.texts import on_one_line

if TYPE_CHECKING:
    from arena.api.explanation import View


class Agent(Configurable, Component, Generic[StateT, MoveT]):
    """Chooses moves in one game. Write `choose`, and `prepare` if there is something to get ready.

    An agent is made once a worker process and plays many matches, in any order. Its choices may
    depend on the position and on `rng` alone, or on what it has seen since `begin`; then a
    tournament's results are the same however its matches are spread.

    `choose`, `begin` and what they call run compiled where they can: see `docs/compiling.md`. Attributes that
    `prepare` sets, numbers, arrays of numbers, other agents and tables, are read and set by name there too.
    """

    compiled_methods: ClassVar[tuple[str, ...]] = ("begin", "choose")  # run compiled if they can
    _is_part = False

    name: str = ""  # as entered, with options: set when the agent is made by name
    needs: ClassVar[tuple[str, ...]] = ()  # capabilities that a game must offer, or methods of its class
    uses: ClassVar[tuple[str, ...]] = ()  # capabilities that it takes up where a game offers them
    default_needs: ClassVar[tuple[str, ...]] = ()  # as `needs`, to be entered where nobody names the entries
    confinable: ClassVar[bool] = True  # whether it can play in the sandbox, without the network
    programs: ClassVar[bool] = False  # whether it starts programs, which its sandbox then allows
    interactive: ClassVar[bool] = False  # it asks at the terminal: plays in the first process, where named
    budget: ClassVar[str] = ""  # the option, a whole number, by which a move takes longer: for equal time
    by_clock: ClassVar[tuple[str, ...]] = ()  # options that have its choices depend on a clock, unless 0
    move_seconds: float = 0.0  # that a move may take, 0 = no limit: set before a match begins
    clock_seconds: float = 0.0  # left to it for a match, 0 = no clock: set before each move
    opponent_seconds: float = 0.0  # likewise to its opponent
    clock_increment: float = 0.0  # added to a clock after each move: set before a match begins
    move_usage: Mapping[str, float] = MappingProxyType({})  # what a move took, set in `choose`: recorded
    protocols: ClassVar[Mapping[str, Protocol]] = {}  # by name, for its learning curves, if it learns

    def __init_subclass__(cls, **kwargs: Any) -> None:
        take_old_names(cls)
        super().__init_subclass__(**kwargs)
        check_stated(cls)

    game: Game[StateT, MoveT]

    def __init__(self, game: Game[StateT, MoveT], **options: Any) -> None:
        super().__init__(**options)
        check_needs(type(self), game, type(self).__name__)
        self.game = game
        self.prepare()

    def prepare(self) -> None:
        """Get ready, once, with `self.game` and the options in place."""

    @property
    def time_limit(self) -> float:
        """Seconds that the next move may take at most, by `move_seconds` and its clock; `inf` if any."""
        return min(self.move_seconds or math.inf, self.clock_seconds or math.inf)

    def begin(self, seat: int) -> None:
        """A match begins, with this agent as player `seat`, 0 or 1."""

    def follow_opening(self, moves: Sequence[MoveT], start: str | None = None) -> None:
        """Take note of the moves with which a match begins, played by nobody; called before `begin`.

        start: the text of the position that they begin in, None for the game's own start.

        For agents that want to know how a position came about, for its repetitions say. It is not called in
        compiled code; an agent that overrides it is played move by move.
        """

    def choose(self, state: StateT, moves: list[MoveT], rng: Rng) -> MoveT:
        """One of `moves`, the legal moves in `state`, of which there is at least one.

        rng: this seat's random numbers for this match, the only source of randomness to use.

        What the move took by its own count can be set here, `self.move_usage = {"nodes": 812}`, and is
        recorded: up to 16 names of letters, digits, `_`, `.` and `-`, with numbers from 0 to 2**53. `score`,
        what the move is worth to the mover, may be as far below 0. Exported matches have as comments `score`
        and `depth`, `seconds`, that the move took, and `clock`, the seconds left after it.
        """
        raise NotImplementedError  # the author's to write

    def overdue(self) -> str:
        """What it waits for, said of the agent: `./bot has not answered`; '' if that is nothing to tell.

        Called once, in the middle of `begin` or `choose`, when these have taken too long and the agent's
        process is about to be ended. It stands in the fault in place of the line that the agent had come to.
        """
        return ""

    def distribution(self, state: StateT, moves: list[MoveT]) -> Sequence[float] | None:
        """The probability of each of `moves` in `choose`, in their order; None if it cannot be said.

        Called in place of a match's first `choose`. Unless overridden, the probabilities are found by calling
        `choose` with all that `rng` could give. That does for an agent whose choice depends on the position
        alone, and on `rng.below`, `choice`, `sample` or `shuffle`. So it is where a subclass has its own
        `choose`, and the `distribution` of the class that it extends. An agent that overrides `begin` is
        taken to remember what it saw, and None is returned, and so it is for one that is interactive.
        """
        if self.interactive or type(self).begin is not Agent.begin:
            return None
        return enumerated_probabilities(self.choose, state, moves)

    def rate(self, state: StateT, moves: list[MoveT]) -> None:
        """Put what each of `moves` is worth into `self.scores`, NaN where that is not known.

        scores: float64 [max_moves], in the moves' order, in a unit of the agent's own: the greater the
        better for the player to move. For pages that agents are exported to, where it runs compiled as
        `choose` does. The numbers are those of `explain`.
        """
        raise NotImplementedError  # the author's to write, if at all

    def explain(self, state: StateT, moves: list[MoveT]) -> Sequence[View]:
        """What it thinks of each of `moves`, in their order; empty from an agent that does not say.

        Called in place of a match's first `choose`; the match does not go on. The numbers are those that
        `choose` goes by: its move is among those of the best score, unless it is a random one.
        """
        return ()


def said_overdue(agent: Agent | None) -> str:
    """What an agent says of why it is overdue, on one line; '' if it says nothing, or fails to."""
    with suppress(BaseException):
        said = agent.overdue() if agent else ""
        return on_one_line(said[:1000]) if isinstance(said, str) else ""
    return ""


def check_stated(cls: type[Any]) -> None:
    """TypeError unless an agent, or evaluation, states what it needs and uses as a list of names."""
    for attribute in ("needs", "uses"):
        stated = getattr(cls, attribute)
        if not isinstance(stated, tuple | list) or not all(isinstance(name, str) for name in stated):
            raise TypeError(f"{attribute} of {cls.__qualname__} is {stated!r}; write a tuple, ('grid',) say")
    if unknown := [name for name in cls.uses if name not in CAPABILITIES]:
        known = ", ".join(CAPABILITIES)
        raise TypeError(f"uses of {cls.__qualname__} names {unknown[0]!r}, which is none of: {known}")


def missing_capabilities(needs: Sequence[str], game: Game) -> list[str]:
    """Those of some capabilities, or methods, that the game lacks."""
    offered = game.capabilities
    return [need for need in needs if not (need in offered if need in CAPABILITIES else hasattr(game, need))]


def missing_needs(cls: type[Any], game: Game) -> list[str]:
    """What the agent, or evaluation, needs and the game lacks."""
    return missing_capabilities(cls.needs, game)


def check_needs(cls: type[Any], game: Game, name: str) -> None:
    """ArenaError if the game lacks what the agent, or evaluation, needs."""
    if missing := missing_needs(cls, game):
        offered = ", ".join(game.capabilities) or "none"
        raise ArenaError(
            f"{name} needs {' and '.join(missing)}, which {game} does not offer (it offers: {offered})"
        )
