"""A compiled method held against itself as plain Python: the same results, random numbers and attributes.

A copy of the component plays through positions of random matches, the last ones first, where searches are
short, as far as a number of Python's lines allows; what takes more is not looked at.
"""

from __future__ import annotations

import copy
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from arena.api.component import Component
from arena.api.game import Game
from arena.api.learner import is_learning
from arena.compiler.errors import placed_at
from arena.compiler.layout import Block, address_of, layout_of
from arena.compiler.switch import plainly
from arena.errors import ArenaError, one_line
from arena.rng import MASK, Rng, derive

LINES = 100_000  # of plain Python that a comparison may take
MATCH_LINES = 1_000_000  # likewise a match that it takes positions from
LARGE, HUGE = 1 << 20, 1 << 25  # bytes of a component's arrays, from which on it is copied seldom, or not
SELDOM = 6
MATCHES, PLIES, EPISODES = 3, 100, 3


class Enough(BaseException):
    """The lines have run out."""


def compare(thing: Component, name: str, function: Any, made: Any) -> None:
    """CannotCompile unless a method of a component does the same compiled and as it stands."""
    size = size_of(thing, set())
    if name not in ("choose", "learn", "_learn_episodes") or made.clocked or size > HUGE:
        return
    learns = name != "choose"
    if learns and not is_learning(thing):  # what it learns in is not there yet
        return
    budget = [LINES]
    layout = layout_of(thing, thing.game)
    for given in islice(situations(thing, name), SELDOM if size > LARGE else None):
        one, other = copy_of(thing), copy_of(thing)
        try:
            if learns:
                give_room(one)
                give_room(other)
        except ArenaError:  # there is no more room, which shows again where it learns
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


def situations(thing: Any, name: str) -> Any:
    """Arguments to compare a method with: functions that make them."""
    game: Game = thing.game
    if name in ("learn", "_learn_episodes"):
        for episode in range(EPISODES):
            numbers = (episode,) if name == "learn" else (episode, episode + 1)
            yield lambda numbers=numbers: (*numbers, Rng(derive(7, numbers[0])))
        return
    for match in range(MATCHES):
        met: list[tuple[object, list[object]]] = []
        with suppress(Exception, Enough):  # the game's fault, or its hang, which is for a match to show
            bounded(partial(play_plainly, game, Rng(derive(match, 1)), met), [MATCH_LINES])
        for ply, (before, legal) in reversed(list(enumerate(met))):
            yield lambda before=before, legal=legal, match=match, ply=ply: (
                before,
                list(legal),
                Rng(derive(match, 2, ply)),
            )


def play_plainly(game: Game, rng: Rng, met: list[tuple[Any, list[Any]]]) -> None:
    """A random match by a game's rules as they stand; `met` gets its positions, each with its moves."""
    cls, state = type(game), game.initial()
    while (moves := list(cls.moves(game, state))) and len(met) < PLIES:
        met.append((state, moves))
        state = cls.play(game, state, rng.choice(moves))


@dataclass(frozen=True)
class Outcome:
    """What a method gives, or the class of what it raises, and what that says; what is left of its arguments.

    drawn: how many random numbers it took.
    """

    result: Any
    left: tuple[Any, ...]
    drawn: int
    text: str = field(compare=False)


def outcome(run: Any, args: tuple[Any, ...]) -> Outcome | None:
    """What comes of a method; None if it took too long."""
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
        return f"gives {fast.text}, and as it stands {plain.text}"
    if fast.drawn != plain.drawn:
        return f"takes {fast.drawn} random numbers, and as it stands {plain.drawn}"
    return f"leaves {list(fast.left)} of its arguments, and as it stands {list(plain.left)}"


def give_room(learner: Any) -> None:
    """Have a learner's tables grow until an episode has room."""
    with plainly():
        for _ in range(64):
            if learner.full():
                learner.grow()


def copy_of(thing: object) -> Any:
    """A copy with arrays and components of its own."""
    return copied(thing, {})


def copied(thing: Any, made: dict[int, Any]) -> Any:
    if id(thing) in made:
        return made[id(thing)]
    found = made[id(thing)] = copy.copy(thing)
    for name, value in vars(thing).items():
        if name == "_runners":
            vars(found).pop(name)
        elif isinstance(value, Component):
            vars(found)[name] = copied(value, made)
        elif isinstance(value, np.ndarray):
            vars(found)[name] = array = np.array(value).view(type(value))
            array.flags.writeable = value.flags.writeable
        elif isinstance(value, dict | list | set):
            vars(found)[name] = copy.copy(value)
    return found


def size_of(thing: Any, seen: set[int]) -> int:
    """Bytes of a component's arrays, and of its parts'."""
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    values = vars(thing).values()
    own = sum(value.nbytes for value in values if isinstance(value, np.ndarray))
    return own + sum(size_of(value, seen) for value in values if isinstance(value, Component))


def plain_run(function: Any, thing: object, args: tuple[Any, ...], budget: list[int]) -> Any:
    """Run a method as plain Python, as far as so many lines."""
    with plainly():
        return bounded(lambda: function(thing, *args), budget)


def bounded(run: Any, budget: list[int]) -> object:
    """What something gives in Python; Enough once so many lines have been run."""

    def count(frame: object, event: str, arg: object) -> Any:
        budget[0] -= 1
        if budget[0] < 0 and event == "line":  # while a generator is closed nobody would hear it
            raise Enough
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        return run()
    finally:
        sys.settrace(before)


def fast_run(made: Any, thing: Any, args: tuple[Any, ...]) -> object:
    block = Block(thing, layout_of(thing, thing.game))
    block.take()
    words = bytearray(16)
    stream = memoryview(words).cast("Q")
    given, rng = list(args), args[-1]
    stream[0], stream[1] = rng.stream[0] & MASK, rng.stream[1]
    given[-1] = address_of(words)
    try:
        return made.code.builtins["run"](block.address, *given)
    finally:
        block.give(made.stored)
        rng.stream[1] = stream[1]


def unlike(one: object, other: Any, path: str = "self") -> str | None:
    """The first attribute that is not the same, and what it is in both."""
    for name, value in vars(one).items():
        found, where = vars(other).get(name), f"{path}.{name}"
        if isinstance(value, Component) and type(value) is type(found):
            if path.count(".") < 4 and (difference := unlike(value, found, where)):
                return difference
        elif isinstance(value, np.ndarray):
            if value.shape != found.shape or not np.array_equal(
                value, found, equal_nan=value.dtype.kind == "f"
            ):
                return f"{where} otherwise than as it stands"
        elif isinstance(value, int | float) and value != found and not (value != value and found != found):
            return f"{where} {found!r}, and as it stands {value!r}"
    return None
