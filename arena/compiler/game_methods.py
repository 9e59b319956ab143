"""The methods of games that can be compiled, with the types of their arguments and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.compiler.types import FLOAT, INT, ListOf, Type

POSITION = None  # the type of the game's positions


class Method(NamedTuple):
    """The types of a method of games.

    Attributes:
        arguments: Types of the arguments; `POSITION` for a position.
        result: Type of the result; `POSITION` for a position.
        required: Whether every game has the method. The others are compiled if a game overrides them.
    """

    arguments: tuple[Type | None, ...]
    result: Type | None
    required: bool = False


METHODS: Mapping[str, Method] = {
    "moves": Method((POSITION,), ListOf(INT), required=True),
    "play": Method((POSITION, INT), POSITION, required=True),
    "to_move": Method((POSITION,), INT, required=True),
    "value": Method((POSITION,), INT, required=True),
    "irreversible": Method((POSITION, INT), INT),
    "evaluate": Method((POSITION,), FLOAT),
    "features": Method((POSITION,), ListOf(FLOAT)),
    "image": Method((POSITION, INT), POSITION),
    "image_move": Method((INT, INT), INT),
    "piece": Method((POSITION, INT), INT),
    "anchor": Method((POSITION, INT), INT),
    "shape": Method((POSITION, INT), INT),
    "shape_image": Method((INT, INT), INT),
    "null_move": Method((POSITION,), POSITION),
}
GIVE_POSITIONS = {name for name, method in METHODS.items() if method.result is POSITION}
