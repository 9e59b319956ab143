"""Which of the legal moves an agent means by what it gave, found without asking what it gave.

An object of a class of the agent's own may say that it is equal to anything. So its comparison is never
called: numbers and texts of classes derived from Python's count as what they are derived from, what has an
`__index__` or a `__float__` counts as that number, and all else has to be of the legal moves' own types.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.api.game import Move

EXACT = frozenset({int, str, bool, float, bytes, type(None)})


def place_of(legal: Sequence[Move], move: Move) -> int:
    """Return the place of a move among the legal ones.

    Raises:
        ValueError: If it is none of them.
        Exception: Whatever the game's own comparison, or an `__index__`, raises.
    """
    if type(move) not in EXACT:
        move = plain(move, legal)
    return legal.index(move)


def plain(thing: Any, legal: Sequence[object]) -> object:
    """Return what an agent gave as a value of Python's or the game's, or raise ValueError."""
    if type(thing) in EXACT:
        return thing
    if isinstance(thing, tuple):
        return tuple([plain(item, legal) for item in tuple.__iter__(thing)])
    if isinstance(thing, int):
        return int.__int__(thing)
    if isinstance(thing, str):
        return str.__str__(thing)
    if isinstance(thing, float):
        return float.__float__(thing)
    if type(thing) in {*types_in(legal)}:
        if dataclasses.is_dataclass(thing):
            values = [getattr(thing, field.name) for field in dataclasses.fields(thing)]
            if any(plain(value, legal) is not value for value in values):
                raise ValueError("it has values of other types than legal moves have")
        return thing
    if hasattr(type(thing), "__index__"):
        return plain(operator.index(thing), legal)
    if hasattr(type(thing), "__float__"):
        return plain(float(thing), legal)
    raise ValueError(f"it is a {type(thing).__name__}")


def types_in(things: Iterable[object]) -> Iterator[type]:
    """Yield the types of some things, and of what is in those that are tuples or dataclasses."""
    for thing in things:
        yield type(thing)
        if isinstance(thing, tuple):
            yield from types_in(thing)
        elif dataclasses.is_dataclass(thing):
            yield from types_in(getattr(thing, field.name) for field in dataclasses.fields(thing))
