"""Proxies for agents and learners from files, which run in a sandboxed process.

A proxy has the interface of an agent. Each call is sent as a message, and each answer is checked here: a move
must be legal, probabilities must sum to 1, and a model must consist of arrays of numbers or texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import fsum, isclose, isfinite
from time import perf_counter
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec

from arena.api.agent import Agent
from arena.api.answers import TOLERANCE, probabilities, views
from arena.api.explanation import Reason, View
from arena.api.game import Game, Move, State
from arena.api.learner import Arrays, Learner, Tally
from arena.api.rulings import check_position, place_of
from arena.api.spec import Spec, sandboxed_with
from arena.compiler import LONG, advise, plainly, reason, with_compiled_rules
from arena.errors import Reported
from arena.module_files import is_written
from arena.registry.class_facts import ClassFacts
from arena.registry.file import File
from arena.registry.files import FileSpec
from arena.registry.imports import unit_of
from arena.registry.sandbox_worker import Array, SandboxedWorker
from arena.registry.source_classes import WrittenSpec, source_of
from arena.rng import Rng
from arena.texts import on_one_line
from arena.workers.worker import this_worker

Answer = TypeVar("Answer")

SAYING = 200  # maximum number of characters shown of a text
LONGEST_MODEL = 1 << 30  # bytes
PLAIN_SECONDS = 1.0  # thinking time in plain Python before compilation, which takes about as long
PATIENCE = 600.0  # time limit for an answer if no other process watches this one
LIMITS = ("move_seconds", "clock_seconds", "opponent_seconds", "clock_increment")
SERVED = "served"  # key under which a sandboxed process keeps its agent


def sandboxed(spec: Spec, *args: Any) -> Any:
    """Create an instance of a spec that must run wholly or partly in a sandbox; an agent becomes a proxy.

    A class that is not an agent, such as a rating system, is instantiated in this process and creates its own
    parts.
    """
    if not (isinstance(spec.cls, type) and issubclass(spec.cls, Agent)):
        made = spec.load()(*args, **spec.values)
        made.name = spec.text
        return made
    (game,) = args
    kind = SandboxedLearner if issubclass(spec.cls, Learner) else SandboxedAgent
    return kind(spec, game)


def spec_of_game(game: Game) -> Spec:
    """Return the spec with which another process can create an equal game."""
    cls = type(game)
    text, target = str(game), f"{cls.__module__}:{cls.__qualname__}"
    values = {name: getattr(game, name) for name in cls.options}
    if isinstance(file := unit_of(cls.__module__), File):
        return FileSpec(text, target, values, file, ClassFacts.of(cls.__name__, cls), trusted=True)
    if is_written(cls):
        return WrittenSpec(text, target, values, source_of(cls))
    return Spec(text, target, values)


class SandboxedAgent(Agent):
    """A proxy for an agent in a sandboxed process."""

    compiled_methods: ClassVar[tuple[str, ...]] = ()  # nothing is compiled in this process

    def __init__(self, spec: Spec, game: Game) -> None:
        self.spec, self.game, self.name = spec, game, spec.text
        self.seat: int | None = None  # the agent's seat if a match begins with the next question
        vars(self)["options"] = spec.cls.options
        for name, value in spec.values.items():
            setattr(self, name, value)
        on = spec_of_game(game)
        targets = [part.target.partition(":")[0] for part in (*on.walk(), *spec.walk())]
        self.worker = SandboxedWorker(spec.text, targets, **sandboxed_with())
        self.on = on
        self.call(None, make, spec, on)

    def renew(self) -> bool:
        """Recreate the agent in its process after an exception, and return whether that was possible."""
        if self.worker.ended:
            return False
        self.call(None, make, self.spec, self.on)
        return True

    def call(self, type: Any, function: Any, *arguments: object, longest: int = 1 << 20) -> Any:
        """Call a function of this module in the sandboxed process."""
        seconds = 0.0 if this_worker().watch.expendable else PATIENCE
        return self.worker.call(type, function, *arguments, longest=longest, seconds=seconds)

    def asked(self, state: State, moves: Sequence[Move]) -> Asked:
        """Return the message that asks about a position."""
        limits = {name: value for name in LIMITS if (value := getattr(self, name))}
        seat, self.seat = self.seat, None
        return Asked(seat, state, list(moves), limits)

    def begin(self, seat: int) -> None:
        self.seat = seat

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        chosen: Chosen = self.call(Chosen, choose, self.asked(state, moves), rng.stream)
        if len(chosen.stream) != len(rng.stream):
            raise Reported("it has corrupted its rng")
        rng.stream[:] = chosen.stream
        self.move_usage = {name: value for name, value in chosen.usage.items() if isfinite(value)}
        if not 0 <= chosen.move < len(moves):
            return chosen.illegal
        return moves[chosen.move]

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float] | None:
        found: list[float] = self.call(list[float], distribution, self.asked(state, moves))
        sound = len(found) == len(moves) and all(p >= 0 for p in found)
        if not sound or not isclose(fsum(found), 1, abs_tol=TOLERANCE):
            raise Reported("its process sent invalid probabilities")
        return found

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        found: list[ViewSaid] = self.call(list[ViewSaid], explain, self.asked(state, moves), longest=1 << 24)
        return [self.view(one) for one in found]

    def view(self, said: ViewSaid) -> View:
        """Return the view of a move, given the message from the sandbox."""
        return View(facts(said.facts), on_one_line(said.verdict[:SAYING]), [*self.reasons(said.reasons)])

    def reasons(self, said: Sequence[ReasonSaid]) -> Iterator[Reason]:
        """Yield the reasons in a message, without those whose position the game cannot read."""
        for one in said:
            try:
                state = self.game.read_position(one.position)
                check_position(self.game, state)
                moves = {self.game.move_text(move): move for move in self.game.moves(state)}
                yield Reason(state, moves[one.move], facts(one.facts))
            except Exception:  # the game cannot read this position
                continue

    def plain_reason(self) -> str | None:
        """Return why the agent runs as plain Python in its process; None if it is compiled there."""
        found: str | None = self.call(str | None, plain_reason)
        return found


class SandboxedLearner(SandboxedAgent, Learner):
    """A proxy for a learner in a sandboxed process."""

    def __init__(self, spec: Spec, game: Game) -> None:
        super().__init__(spec, game)
        self._learning = False

    def prepare_learning(self) -> None:
        self.call(None, begin_learning)

    def learn_many(self, numbers: range, tally: Tally) -> None:
        found: list[int] = self.call(list[int], learn_many, numbers)
        if len(found) != 3 or min(found) < 0 or sum(found) != len(numbers):
            raise Reported("its process reports a different number of episodes")
        for i, times in enumerate(found):
            tally[i] += times

    def model(self) -> Arrays:
        return self.arrays(model)

    def recall(self, model: Arrays) -> None:
        self.call(None, recall, dict(model))

    def merge(self, models: Sequence[Arrays]) -> None:
        self.call(None, merge, [dict(model) for model in models])

    def _packed_model(self) -> Arrays:
        return self.model()

    def _recall_packed(self, arrays: Arrays) -> None:
        self.recall(arrays)

    def _merge_packed(self, models: Sequence[Arrays]) -> None:
        self.merge(models)

    def import_model(self, data: bytes) -> Arrays:
        return self.arrays(import_model, data)

    def findings(self) -> Mapping[str, Sequence[float | str]]:
        kind = dict[str, list[float | str]]
        found: dict[str, list[float | str]] = self.call(kind, findings, longest=1 << 24)
        return {
            on_one_line(name[:SAYING]): [on_one_line(x[:SAYING]) if isinstance(x, str) else x for x in column]
            for name, column in found.items()
        }

    def arrays(self, function: object, *arguments: object) -> Arrays:
        """Return the arrays that a function in the sandboxed process returns."""
        found = self.call(dict[str, Array], function, *arguments, longest=LONGEST_MODEL)
        try:
            return {name: array.array() for name, array in found.items()}
        except (ValueError, TypeError):
            raise Reported("its process sent an invalid model") from None


def facts(said: Mapping[str, bool | int | float | None]) -> dict[str, bool | int | float | None]:
    """Return facts with names that are safe to print."""
    return {on_one_line(name[:SAYING]): value for name, value in said.items()}


class Asked(NamedTuple):
    """A question about a position.

    Attributes:
        seat: The agent's seat if a match begins before the question; None if none begins.
        state: The position.
        moves: Its legal moves.
        limits: Time limits, by the names in `LIMITS`; limits that are not set are left out.
    """

    seat: int | None
    state: State
    moves: list[Move]
    limits: dict[str, float]


class Chosen(msgspec.Struct):
    """The move that an agent chose.

    Attributes:
        move: Index among the legal moves; -1 for an illegal move.
        stream: State of the random number generator afterwards.
        usage: The agent's `move_usage`.
        illegal: An illegal move as text.
    """

    move: int
    stream: list[int]
    usage: dict[str, float] = {}
    illegal: str = ""


class ReasonSaid(msgspec.Struct):
    """A reason in a message, with position and move as text."""

    position: str
    move: str
    facts: dict[str, bool | int | float | None]


class ViewSaid(msgspec.Struct):
    """A view of a move."""

    facts: dict[str, bool | int | float | None]
    verdict: str
    reasons: list[ReasonSaid]


# --- in the sandboxed process ------------------------------------------------------------------------------


class Served:
    """The agent in the sandboxed process, run as plain Python until it has thought for `PLAIN_SECONDS`."""

    def __init__(self, agent: Any) -> None:
        self.agent, self.thought = agent, 0.0

    def at(self, asked: Asked) -> AbstractContextManager[None]:
        """Return a context in which to run the agent."""
        for name, value in asked.limits.items():
            setattr(self.agent, name, value)
        return nullcontext() if self.thought > PLAIN_SECONDS else plainly()


def served() -> Served:
    found: Served = this_worker().kept[SERVED]
    return found


def make(spec: Spec, game: Spec) -> None:
    """Create the agent in the sandboxed process; a learner begins without a model, which is sent later."""
    made = with_compiled_rules(game.make())
    learns = issubclass(spec.cls, Learner)
    agent = spec.build(made) if learns else spec.make(made)
    this_worker().kept[SERVED] = Served(agent)


def choose(asked: Asked, stream: list[int]) -> Chosen:
    here = served()
    rng = Rng()
    rng.stream[:] = stream
    with here.at(asked):
        if asked.seat is not None:
            here.agent.begin(asked.seat)
        began = perf_counter()
        chosen = here.agent.choose(asked.state, list(asked.moves), rng)
        here.thought += perf_counter() - began
    used = vars(here.agent).pop("move_usage", None)
    usage = {str(name): float(value) for name, value in used.items()} if type(used) is dict else {}
    try:
        return Chosen(place_of(asked.moves, chosen), list(rng.stream), usage)
    except ValueError:
        return Chosen(-1, list(rng.stream), usage, repr(chosen)[:200])


def distribution(asked: Asked) -> list[float]:
    here = served()
    began = perf_counter()
    with here.at(asked):
        found = probabilities(here.agent, asked.state, list(asked.moves))
    here.thought += perf_counter() - began
    return found


def explain(asked: Asked) -> list[ViewSaid]:
    here = served()
    game = here.agent.game
    with here.at(asked):
        found = views(here.agent, asked.state, list(asked.moves))
    return [ViewSaid(plain(one.facts), str(one.verdict), reasons_said(game, one.reasons)) for one in found]


def reasons_said(game: Game, reasons: Sequence[Reason]) -> list[ReasonSaid]:
    """Return reasons with positions and moves as texts, at most 100."""
    return [
        ReasonSaid(game.position_text(one.state), game.move_text(one.move), plain(one.facts))
        for one in reasons[:100]
    ]


def plain(facts: Mapping[str, Any]) -> dict[str, bool | int | float | None]:
    """Return facts with numpy numbers converted to Python numbers."""
    return {str(name): n.item() if hasattr(n, "item") else n for name, n in facts.items()}


def plain_reason() -> str | None:
    agent = served().agent
    if isinstance(agent, Learner):
        agent._begin_learning()
    return reason(agent)


def begin_learning() -> None:
    served().agent._begin_learning()


def learn_many(numbers: range) -> list[int]:
    tally = [0, 0, 0]
    here = served()
    began = perf_counter()
    here.agent.learn_many(numbers, tally)
    before, here.thought = here.thought, here.thought + perf_counter() - began
    if before <= LONG < here.thought:
        advise(here.agent)
    return tally


def model() -> dict[str, object]:
    return arrays(served().agent._packed_model())


def recall(model: Arrays) -> None:
    for array in model.values():
        array.flags.writeable = False
    served().agent._recall_packed(model)


def merge(models: Sequence[dict[str, object]]) -> None:
    served().agent._merge_packed(models)


def import_model(data: bytes) -> dict[str, object]:
    return arrays(served().agent.import_model(data))


def findings() -> dict[str, list[object]]:
    return {str(name): [*map(number, column)] for name, column in served().agent.findings().items()}


def number(value: object) -> object:
    """Return a numpy number as a Python number; other values unchanged."""
    return value.item() if hasattr(value, "item") else value


def arrays(found: Mapping[str, object]) -> dict[str, object]:
    """Return a model's arrays in a form that can be sent.

    Raises:
        TypeError: If they are not named arrays of numbers or texts.
    """
    import numpy as np

    made = {name: np.asarray(array, order="C") for name, array in found.items()}
    for name, array in made.items():
        if not isinstance(name, str) or array.dtype.hasobject:
            raise TypeError(f"model returns {array.dtype} for {name!r}; return numbers or texts by name")
    return {name: Array.of(array) for name, array in made.items()}
