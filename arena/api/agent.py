"""The base class of agents, which choose moves."""

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
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.rng import Rng
from arena.texts import on_one_line

if TYPE_CHECKING:
    from arena.api.explanation import View


class Agent(Configurable, Component, Generic[StateT, MoveT]):
    """A player of one game, which chooses moves.

    Define `choose`, and `prepare` if there is something to set up. With type annotations, subclass
    `Agent[State, Move]`.

    Each worker process creates an agent once and uses it for many matches, in any order. Before each match
    the attributes of the agent are reset to their values after `prepare`, except those named in
    `kept_attributes`, arrays of more than 1 MB and containers of more than 4,096 items. Attributes that are
    not reset must not affect the agent's choices: these may depend only on the position, on `rng`, and on
    what the agent has seen since `begin`. Then the results of a tournament do not depend on how its matches
    are distributed.

    `choose`, `begin` and what they call are compiled where possible, see `docs/compiling.md`. Compiled code
    can read and set the attributes that `prepare` creates: numbers, arrays of numbers, other agents, and
    tables.

    Attributes:
        game: The game that the agent plays.
    """

    compiled_methods: ClassVar[tuple[str, ...]] = ("begin", "choose")  # methods that run compiled if possible
    _is_part = False

    name: str = ""  # the entry's text, with options; set when the agent is created by name
    needs: ClassVar[tuple[str, ...]] = ()  # capabilities that a game must offer, or methods of its class
    uses: ClassVar[tuple[str, ...]] = ()  # capabilities that it uses if the game offers them
    kept_attributes: ClassVar[tuple[str, ...]] = ()  # not reset between matches; adds to base classes
    default_needs: ClassVar[tuple[str, ...]] = ()  # like `needs`, but only for default entries
    confinable: ClassVar[bool] = True  # whether it can play in the sandbox, without network access
    programs: ClassVar[bool] = False  # whether it starts programs, which its sandbox then allows
    interactive: ClassVar[bool] = (
        False  # whether it reads moves from the terminal, and therefore plays in the main process
    )
    budget: ClassVar[str] = ""  # name of the integer option that increases the time of a move, for equal time
    by_clock: ClassVar[tuple[str, ...]] = ()  # options that, if not 0, make its choices depend on a clock
    move_seconds: float = 0.0  # time limit of a move, 0 = none; set before a match begins
    clock_seconds: float = 0.0  # time left on its clock, 0 = no clock; set before each move
    opponent_seconds: float = 0.0  # time left on its opponent's clock; set before each move
    clock_increment: float = 0.0  # time added to a clock after each move; set before a match begins
    move_usage: Mapping[str, float] = MappingProxyType({})  # cost of the move, set by `choose` and recorded
    protocols: ClassVar[Mapping[str, Protocol]] = {}  # settings of a learner's curves, by name

    def __init_subclass__(cls, **kwargs: object) -> None:
        take_old_names(cls)
        super().__init_subclass__(**kwargs)
        check_stated(cls)

    game: Game[StateT, MoveT]

    def __init__(self, game: Game[StateT, MoveT], **options: object) -> None:
        super().__init__(**options)
        check_needs(type(self), game, type(self).__name__)
        self.game = game
        self.prepare()

    def prepare(self) -> None:
        """Set up the agent. Called once, after `self.game` and the options are set."""

    @property
    def time_limit(self) -> float:
        """Seconds that the next move may take, from `move_seconds` and the clock; `inf` if unlimited."""
        return min(self.move_seconds or math.inf, self.clock_seconds or math.inf)

    def begin(self, seat: int) -> None:
        """Begin a match as player `seat`, 0 or 1."""

    def follow_opening(self, moves: Sequence[MoveT], start: str | None = None) -> None:
        """Receive the opening moves of a match, which no agent chose. Called before `begin`.

        For agents that need to know how a position was reached, for example to detect repetitions. Compiled
        code does not call this method: matches of an agent that overrides it are played move by move.

        Args:
            moves: The opening moves.
            start: The text of the position before these moves. None for the game's own start.
        """

    def choose(self, state: StateT, moves: list[MoveT], rng: Rng) -> MoveT:
        """Return one of the legal moves.

        The agent may set `self.move_usage` to the cost of the move in its own units, such as `{"nodes":
        812}`. This is recorded: up to 16 names of letters, digits, `_`, `.` and `-`, with numbers from 0 to
        2**53. Only `score`, the value of the move for the player to move, may also be negative. Exported
        matches show `score`, `depth`, `seconds` (the duration of the move) and `clock` (the seconds left
        after it) as comments.

        Args:
            state: The position.
            moves: The legal moves, at least one.
            rng: Random numbers of this seat in this match, the only source of randomness to use.
        """
        raise NotImplementedError  # subclasses implement it

    def overdue(self) -> str:
        """Return what the agent is waiting for, such as `./bot has not answered`, or ''.

        Called once during a `begin` or `choose` that has exceeded its time limit, just before the agent's
        process is terminated. The error message then contains this text instead of the line of code that the
        agent had reached.
        """
        return ""

    def distribution(self, state: StateT, moves: list[MoveT]) -> Sequence[float] | None:
        """Return the probability with which `choose` returns each move; None if it is unknown.

        Called instead of the first `choose` of a match. The default runs `choose` with every sequence of
        numbers that `rng` could return. This requires that the choice depends only on the position and on
        `rng.below`, `choice`, `sample` or `shuffle`. This default is also used for a subclass that overrides
        `choose` if only its base class overrides `distribution`. The default returns None for interactive
        agents and for agents that override `begin`, since these may remember earlier positions.

        Args:
            state: The position.
            moves: The legal moves.

        Returns:
            Probabilities in the order of `moves`.
        """
        if self.interactive or type(self).begin is not Agent.begin:
            return None
        return enumerated_probabilities(self.choose, state, moves)

    def rate(self, state: StateT, moves: list[MoveT]) -> None:
        """Write the value of each move to `self.scores`, or NaN if it is unknown.

        `scores` is float64 [max_moves], in the order of `moves` and in any unit: greater is better for the
        player to move. The values must be the scores of `explain`. Exported pages use this method, compiled
        like `choose`.

        Args:
            state: The position.
            moves: The legal moves.
        """
        raise NotImplementedError  # optional; subclasses may implement it

    def explain(self, state: StateT, moves: list[MoveT]) -> Sequence[View]:
        """Return the agent's view of each move; empty if the agent does not explain its moves.

        Called instead of the first `choose` of a match, which is then abandoned. `choose` must return one of
        the moves with the best score, unless it returns a random move.

        Args:
            state: The position.
            moves: The legal moves.

        Returns:
            Views in the order of `moves`.
        """
        return ()


def agent_class(spec: Spec) -> type[Agent]:
    """Return the class of an agent, or `Agent`, which has the defaults, if the spec is not of an agent."""
    return spec.cls if isinstance(spec.cls, type) and issubclass(spec.cls, Agent) else Agent


def said_overdue(agent: Agent | None) -> str:
    """Return the result of an agent's `overdue` as one line; '' if it is empty or the call fails."""
    with suppress(BaseException):
        said = agent.overdue() if agent else ""
        return on_one_line(said[:1000]) if isinstance(said, str) else ""
    return ""


def check_stated(cls: type[Any]) -> None:
    """Raise TypeError unless `needs` and `uses` of an agent or evaluation are lists of names."""
    for attribute in ("needs", "uses"):
        stated = getattr(cls, attribute)
        if not isinstance(stated, tuple | list) or not all(isinstance(name, str) for name in stated):
            raise TypeError(
                f"{attribute} of {cls.__qualname__} is {stated!r}; write a tuple, such as ('grid',)"
            )
    if unknown := [name for name in cls.uses if name not in CAPABILITIES]:
        known = ", ".join(CAPABILITIES)
        raise TypeError(f"uses of {cls.__qualname__} names {unknown[0]!r}, which is not one of: {known}")


def missing_capabilities(needs: Sequence[str], game: Game) -> list[str]:
    """Return the needed capabilities, or names of methods, that a game lacks."""
    offered = game.capabilities if needs else ()
    return [need for need in needs if not (need in offered if need in CAPABILITIES else hasattr(game, need))]


def missing_needs(cls: type[Any], game: Game) -> list[str]:
    """Return the capabilities that an agent or evaluation needs and the game lacks."""
    return missing_capabilities(cls.needs, game)


def check_needs(cls: type[object], game: Game, name: str) -> None:
    """Raise ArenaError if the game lacks a capability that an agent or evaluation needs."""
    if missing := missing_needs(cls, game):
        offered = ", ".join(game.capabilities) or "none"
        parts = [part for need in missing for part in CAPABILITIES.get(need, ()) if not game.offers(part)]
        parts += [need for need in missing if need not in CAPABILITIES]
        raise ArenaError(
            f"{name} needs {' and '.join(missing)}, which {game} does not offer (it offers: {offered}); "
            f"add {' and '.join(parts)} to the game, or use another agent"
        )


class Evaluation(Configurable, Component, Generic[StateT]):
    """A static evaluation of positions of one game, for agents that search. Default: the game's `evaluate`.

    With type annotations, subclass `Evaluation[State]`. Where possible an evaluation is compiled as part of
    the search that uses it, see `docs/compiling.md`.

    Attributes:
        game: The game.
        rooted: Whether values depend on the position in which a search began, because `root` is overridden.
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
        self.rooted = type(self).root is not Evaluation.root  # whether values depend on the root of a search
        self.prepare()

    def prepare(self) -> None:
        """Set up the evaluation. Called once, after `self.game` and the options are set."""

    def root(self, state: StateT) -> None:
        """Begin a search in this position. Values may depend on it until the next call."""

    def evaluate(self, state: StateT) -> float:
        """Return how good a position, not the end of a game, is for the player to move; 0 is even."""
        value: float = self.game.evaluate(state)
        return value
