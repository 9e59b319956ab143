"""Comparison of a compiled method with plain Python: results, random numbers and attributes.

Copies of the component run the method both ways in positions of random matches. The last positions, where
searches are short, come first. The comparison ends after a number of executed Python lines; calls that
would take longer are not compared.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from arena.api.component import Component
from arena.api.game import Game
from arena.api.learner import Learner, is_learning
from arena.compiler.errors import BEYOND, NO_RESULT, placed_at
from arena.compiler.layout import Block, is_part, layout_of
from arena.compiler.native import Native, NativeSet, copied_list
from arena.compiler.switch import plainly
from arena.errors import ArenaError, one_line
from arena.rng import Rng, derive

if TYPE_CHECKING:
    from types import FrameType

    from _typeshed import TraceFunction

    from arena.compiler.machine import Code
    from arena.compiler.program import Program, Trial

C = TypeVar("C", bound=Component)
Method: TypeAlias = Callable[..., object]
Given: TypeAlias = tuple[Any, ...]  # arguments of a method; the last is its random numbers

LINES = 100_000  # lines of plain Python in a comparison
MATCH_LINES = 1_000_000  # lines in the random match from which positions are taken
LARGE, HUGE = 1 << 20, 1 << 25  # a component with arrays of more bytes is copied rarely, or never
ENTRY = 200  # approximate size of a dictionary entry in bytes
SELDOM = 6
MATCHES, PLIES, EPISODES = 3, 100, 3


class Enough(BaseException):
    """Raised when the budgeted number of lines has been executed."""


def compare(thing: Component, name: str, function: Method, made: Program, trial: Trial) -> None:
    """Raise CannotCompile unless a compiled method behaves as in plain Python.

    Args:
        thing: The component.
        name: Name of the method.
        function: The method as plain Python.
        made: The compiled program.
        trial: Function that creates the program that also notes overflow, or None.
    """
    size = size_of(thing, set())
    if name not in ("choose", "learn", "_learn_episodes") or made.clocked or size > HUGE:
        return
    learns = name != "choose"
    if learns and not (isinstance(thing, Learner) and is_learning(thing)):  # its tables do not exist yet
        return
    budget, checked = [LINES], None
    layout = layout_of(thing, thing.game)
    for given in islice(situations(thing, name), SELDOM if size > LARGE else None):
        one, other, third = copy_of(thing), copy_of(thing), copy_of(thing)
        try:
            if learns:
                give_room(one)
                give_room(other)
                give_room(third)
        except ArenaError:  # out of memory; learning will raise it again
            return
        if layout_of(other, other.game) is not layout:
            return
        plain = outcome(lambda *args, one=one: plain_run(function, one, args, budget), given())
        if plain is None:
            return
        fast = outcome(lambda *args, other=other: fast_run(made, other, args), given())
        if fast is not None and plain != fast:
            raise placed_at(function, f"compiled, {name} {unlike_outcome(fast, plain)}")
        if (difference := unlike(one, other)) is not None:
            raise placed_at(function, f"compiled, {name} leaves {difference}")
        checked = checked or trial()
        if checked and not isinstance(plain.result, type):
            check_overflow(function, name, checked.code, partial(run_on, checked, third), given())


def run_on(made: Program, thing: Component, *args: object) -> object:
    return fast_run(made, thing, args)


def check_overflow(function: Method, name: str, code: Code, run: Method, args: Given) -> None:
    """Raise CannotCompile if an int exceeds 64 bits in a program that records overflow."""
    with suppress(Exception):
        run(*args)
    if place := code.overflow():
        text = f"compiled, {name} would lose high bits: {BEYOND}{place}; mask the result, `& MASK`"
        raise placed_at(function, text)


def situations(thing: Component, name: str) -> Iterator[Callable[[], Given]]:
    """Yield functions that each create arguments for a comparison of a method."""
    game: Game = thing.game
    if name in ("learn", "_learn_episodes"):
        for episode in range(EPISODES):
            numbers = (episode,) if name == "learn" else (episode, episode + 1)
            yield partial(arguments, numbers, (7, episode))
        return
    for match in range(MATCHES):
        met: list[tuple[object, list[object]]] = []
        with suppress(Exception, Enough):  # a fault or hang of the game will show in a match
            bounded(partial(play_plainly, game, Rng(derive(match, 1)), met), [MATCH_LINES])
        for ply, (before, legal) in reversed(list(enumerate(met))):
            yield partial(arguments, (before, legal), (match, 2, ply))


def arguments(given: tuple[object, ...], key: tuple[int, ...]) -> Given:
    """Return a copy of the arguments, including their lists, with random numbers seeded by `key`."""
    return *(list(one) if isinstance(one, list) else one for one in given), Rng(derive(*key))


def play_plainly(game: Game, rng: Rng, met: list[tuple[object, list[object]]]) -> None:
    """Play a random match by a game's plain rules, and add its positions and legal moves to `met`."""
    cls, state = type(game), game.initial()
    while (moves := list(cls.moves(game, state))) and len(met) < PLIES:
        met.append((state, moves))
        state = cls.play(game, state, rng.choice(moves))


@dataclass(frozen=True)
class Outcome:
    """The outcome of a method call.

    Attributes:
        result: The result, or the class of the exception.
        left: The arguments after the call, which may have changed them.
        drawn: Number of random numbers drawn.
        text: The result or exception as text.
    """

    result: object
    left: tuple[object, ...]
    drawn: int
    text: str = field(compare=False)


def outcome(run: Method, args: Given) -> Outcome | None:
    """Return the outcome of a method call; None if it takes too long."""
    try:
        result = run(*args)
        text = str(result)
    except Enough:
        return None
    except Exception as error:
        result, text = type(error), f"{type(error).__name__}: {one_line(error)}"
    left = tuple(arg for arg in args if not isinstance(arg, Rng))
    return Outcome(result, left, args[-1].stream[1], text)


def unlike_outcome(fast: Outcome, plain: Outcome) -> str:
    if fast.result != plain.result:
        return f"results in {fast.text}, but in {plain.text} in plain Python"
    if fast.drawn != plain.drawn:
        return f"draws {fast.drawn} random numbers, but {plain.drawn} in plain Python"
    return f"leaves its arguments as {list(fast.left)}, but as {list(plain.left)} in plain Python"


def give_room(learner: Component) -> None:
    """Grow a learner's tables until they have room for an episode."""
    with plainly():
        for _ in range(64):
            if learner.full():
                learner.grow()


def copy_of(thing: C) -> C:
    """Return a copy of a component with its own copies of arrays, containers and parts."""
    return copied(thing, {})


def copied(thing: C, made: dict[int, Any]) -> C:
    if id(thing) in made:
        known: C = made[id(thing)]
        return known
    found: C = made.setdefault(id(thing), copy.copy(thing))
    for name, value in vars(thing).items():
        if name == "_runners":
            vars(found).pop(name)
        elif is_part(value, thing):
            vars(found)[name] = copied(value, made)
        elif isinstance(value, np.ndarray):
            vars(found)[name] = array = np.array(value).view(type(value))
            array.flags.writeable = value.flags.writeable
        elif isinstance(value, list):
            vars(found)[name] = copied_list(value.copy())
        elif isinstance(value, dict | set | Native):
            vars(found)[name] = copy.copy(value)
    return found


def size_of(thing: object, seen: set[int]) -> int:
    """Return the size in bytes of the arrays and dictionaries of a component and its parts."""
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    values = vars(thing).values()
    own: int = sum(value.nbytes for value in values if isinstance(value, np.ndarray))
    own += ENTRY * sum(len(value) for value in values if isinstance(value, dict | set | NativeSet))
    return own + sum(size_of(value, seen) for value in values if is_part(value, thing))


def plain_run(function: Method, thing: object, args: Given, budget: list[int]) -> object:
    """Run a method as plain Python, or raise Enough when it has run the budgeted number of lines."""
    with plainly():
        return bounded(lambda: function(thing, *args), budget)


def bounded(run: Callable[[], object], budget: list[int]) -> object:
    """Return the result of a function, or raise Enough when it has run the budgeted number of lines."""

    def count(frame: FrameType, event: str, arg: object) -> TraceFunction:
        budget[0] -= 1
        if budget[0] < 0 and event == "line":  # an exception would be lost while a generator is closed
            raise Enough
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        return run()
    finally:
        sys.settrace(before)


def fast_run(made: Program, thing: Component, args: Given) -> object:
    block = Block(thing, layout_of(thing, thing.game))
    block.take()
    try:
        return made.code.builtins["run"](block.address, *args)
    except TypeError as error:
        if str(error).startswith(NO_RESULT):
            return None
        raise
    finally:
        block.give(made.stored)


def unlike(one: object, other: object, path: str = "self") -> str | None:
    """Return a message with the first attribute that differs, and both values; None if none differs."""
    for name, value in vars(one).items():
        found: Any = vars(other).get(name)
        where = f"{path}.{name}"
        if is_part(value, one) and type(value) is type(found):
            if path.count(".") < 4 and (difference := unlike(value, found, where)):
                return difference
        elif isinstance(value, np.ndarray):
            if value.shape != found.shape or not np.array_equal(
                value, found, equal_nan=value.dtype.kind == "f"
            ):
                return f"{where} different from plain Python"
        elif isinstance(value, dict | set | Native) and name != "_runners":
            if value != found or (isinstance(value, dict) and list(value) != list(found)):
                return f"{where} different from plain Python"
        elif isinstance(value, int | float) and value != found and not (value != value and found != found):
            return f"{where} as {found!r}, but as {value!r} in plain Python"
    return None
