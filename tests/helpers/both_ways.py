"""Components run both ways, as plain Python and compiled, and held against each other."""

from __future__ import annotations

import copy
import inspect
import itertools
import math
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

import arena
from arena import Component, Game, Rng, compiled, derive
from arena.compiler import plainly
from arena.compiler.errors import NO_ROOM, NO_STACK
from arena.compiler.layout import is_part, layout_of
from arena.compiler.runtime import method_program
from records import rows

LIMIT = "a limit of compiled code"
INTS = [-9, -4, -3, -1, 0, 1, 2, 3, 5, 8, 70]
FLOATS = [-7.5, -2.0, -0.5, 0.0, 0.1, 1.5, 2.5, 3.0, 1e9, -0.0, math.inf, -math.inf, math.nan]


class Ground(Game):
    """Nobody plays it: a game for components to be compiled for."""

    max_moves = 40

    def initial(self):
        return (0, 0)

    def moves(self, state):
        for move in range(3):
            if move < state[0]:
                yield move

    def play(self, state, move):
        return state[0] - move - 1, 1 - state[1]

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1


GROUND = Ground()


class Part(Component):
    """A component whose methods are compared."""

    def __init__(self, game: Game = GROUND) -> None:
        self.game = game
        self.prepare()

    def prepare(self) -> None:
        pass


def random_matches(game: Game, rules: Mapping[str, Any], count: int) -> list[Any]:
    """Positions, moves, players to move and values of random matches, as the rules give them.

    rules: The methods `moves`, `play`, `to_move` and `value`, compiled or plain.
    """
    found: list[Any] = []
    for seed in range(count):
        rng, state = Rng(derive(seed)), game.initial()
        while moves := list(rules["moves"](state)):
            found.append((state, moves, rules["to_move"](state)))
            state = rules["play"](state, rng.choice(moves))
        found.append((state, rules["value"](state)))
    return found


def claims(*classes: type[Part], slow: Collection[str] = ()) -> list[Any]:
    """Cases of a test: each method of these classes that is marked `@compiled`, by its name.

    slow: names of methods that take long to compile.
    """
    import pytest

    return [
        pytest.param(cls, name, id=f"{cls.__name__}-{name}", marks=[pytest.mark.slow] * (name in slow))
        for cls in classes
        for name, method in vars(cls).items()
        if hasattr(method, "plain")
    ]


def recorded_both_ways(folder: Path, agent: Any, game: Any) -> list[Any]:
    """The rows of some matches against random play in the database: compiled, and in plain Python."""
    found = []
    for way in (nullcontext, plainly):
        db = folder / f"{way.__name__}.db"
        with way():
            arena.match(
                agent, "random", game=game, db=db, matches=60, seed=3, executor="serial", progress=False
            )
        found.append(rows(db))
    return found


def compiles(thing: Any, name: str) -> None:
    """CannotCompile, which says why, unless a method compiles."""
    method = inspect.getattr_static(type(thing), name).plain
    method_program(thing, thing.game, layout_of(thing, thing.game), method, name)


def given(cls: type[Part], name: str) -> Any:
    """Arguments for a method by its annotations: all combinations of some values."""
    pools: dict[str, Any] = {
        "int": INTS, "float": FLOATS, "bool": (False, True), "Rng": [Rng(seed) for seed in (1, 2, 3)],
        "list[int]": ([], [3], [2, 1], [5, -1, 5, 0], [4, 4, 1, 9, 2, 7, 3]), "State": ((0, 0), (3, 1), (7, 0)),
    }  # fmt: skip
    parameters = list(inspect.signature(getattr(cls, name)).parameters.values())[1:]
    return itertools.product(*(pools[parameter.annotation] for parameter in parameters))


def both(make: Any, name: str, *args: Any) -> Any:
    """What a method gives as plain Python: (result, None), or (None, class of what it raises).

    It has to be the same compiled, and so has to be what becomes of attributes, lists and random numbers.
    """
    plain, fast = make(), make()
    compiles(fast, name)
    with plainly():
        expected = outcome(plain, name, copy.deepcopy(args))
    found = outcome(fast, name, copy.deepcopy(args))
    assert same(found, expected), f"{name}{args} compiled: {found}, plainly: {expected}"
    difference = unlike(plain, fast)
    assert not difference, f"{name}{args} leaves {difference}"
    result, error, _ = expected
    return result, error


def both_cases(cls: type[Part], name: str) -> None:
    """The same for at most some sixty combinations of arguments of a method."""
    cases = list(given(cls, name))
    for args in cases[:: max(1, len(cases) // 60)]:
        both(cls, name, *args)


def outcome(thing: Any, name: str, args: Any, way: Any = nullcontext, limits: bool = False) -> Any:
    """What a method gives, the class of what it raises, and what it leaves of its arguments.

    With `limits`, LIMIT stands for the class if compiled code has no room where plain Python goes on.
    """
    result = error = None
    with way():
        try:
            result = getattr(thing, name)(*args)
        except Exception as raised:
            error = type(raised).__name__
            if str(raised).startswith((NO_ROOM, NO_STACK)) and limits:
                error = LIMIT
    left = [arg.stream if isinstance(arg, Rng) else arg for arg in args]
    return result, error, left


def same(one: Any, other: Any) -> bool:
    """Whether results are equal to the bit, nan to nan; an int may be a float of that value."""
    one, other = (
        x.item() if isinstance(x, np.generic | np.ndarray) and not x.ndim else x for x in (one, other)
    )
    if isinstance(one, tuple | list) and type(one) is type(other):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one):
            return math.isnan(other)
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return bool(one == other) and (one is None) == (other is None)


def unlike(one: Any, other: Any, path: str = "self", seen: tuple[int, ...] = ()) -> str:
    """Which attribute of a component, or of its parts, is not the same."""
    for name, value in vars(one).items():
        found, where = vars(other).get(name), f"{path}.{name}"
        if name == "_runners" or isinstance(value, Game):
            continue
        if isinstance(value, Component) or is_part(value, one):
            difference = "" if id(value) in seen else unlike(value, found, where, (*seen, id(value)))
        elif isinstance(value, np.ndarray):
            difference = "" if same(value.tolist(), found.tolist()) else where
        else:
            difference = "" if same(value, found) else f"{where}: {value!r} plainly and {found!r} compiled"
        if difference:
            return difference
    return ""


__all__ = [
    "FLOATS",
    "GROUND",
    "INTS",
    "Ground",
    "Part",
    "both",
    "claims",
    "compiled",
    "compiles",
    "given",
    "random_matches",
    "same",
]
