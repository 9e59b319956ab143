"""Convert a learner's model, such as dictionaries, tables and numbers, to arrays and back.

An array is stored unchanged. Any other value is stored as several named arrays: for the value `q`, `q/kind`
contains one word for the type, and the other arrays contain the content. Values of one type are stored
together: a dictionary of a million numbers becomes an array of its keys and an array of its values.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, MutableSequence, Sequence, Set
from itertools import chain
from typing import Any

import numpy as np

from arena.api.component import of_kind
from arena.api.game import Game
from arena.api.table import Table
from arena.api.words import is_word

Packed = dict[str, Any]  # name -> numpy array of numbers or texts
Things = list[Any]  # values that are stored together
Given = Mapping[str, Any]  # packed arrays, or what `model` returns
KIND = "/kind"
TABLE_OPTIONS = ("width", "keyed", "spare", "memory", "default")
COLLECTIONS = {"frozenset": frozenset, "set": Set, "list": MutableSequence}  # also those of compiled code
FACTORIES = {"int": int, "float": float, "bool": bool, "list": list, "dict": dict}


def pack(game: Game, model: Given, who: str = "model") -> Packed:
    """Return a model as arrays by name.

    Args:
        game: The game.
        model: The model: arrays, numbers, texts, None, tables, and dictionaries, lists, tuples and sets of
            these, by name.
        who: The name of the model's source, for the error.

    Raises:
        TypeError: If the model contains anything else.
    """
    if not isinstance(model, Mapping):
        raise TypeError(f"{who} returns {of_kind(model)}, not a dictionary: name -> value")
    packed: Packed = {}
    for name, value in model.items():
        if not isinstance(name, str) or "/" in name:
            raise TypeError(f"{who} returns the name {name!r}; names must be texts without '/'")
        if isinstance(value, Table):
            packed |= packed_table(name, value)
        elif isinstance(value, np.ndarray):
            packed[name] = value
        else:
            try:
                packed |= column(game, name, [value])
            except TypeError as error:
                raise TypeError(
                    f"{who} returns {error} for {name!r}; give arrays, numbers, texts, tables (the table "
                    "itself, not its model), or dictionaries, lists, tuples and sets of numbers and texts"
                ) from error
    return packed


def unpack(game: Game, packed: Given) -> dict[str, Any]:
    """Return the model that `pack` packed.

    Args:
        game: The game.
        packed: The arrays.
    """
    kinds = {name.removesuffix(KIND) for name in packed if name.endswith(KIND)}
    parts = {name for name in packed if any(is_part(name, kind) for kind in kinds)}
    model: dict[str, Any] = {name: array for name, array in packed.items() if name not in parts}
    for name in sorted(kind for kind in kinds if not any(is_part(kind, other) for other in kinds)):
        model[name] = of_table(game, name, packed) if is_table(packed, name) else of(game, name, packed)[0]
    return model


def is_part(name: str, whole: str) -> bool:
    return name.startswith(f"{whole}/")


def is_table(packed: Given, name: str) -> bool:
    return kind_of(packed, name)[0] == "table"


def kind_of(packed: Given, name: str) -> list[str]:
    """Return the words that describe the type of the value stored under a name."""
    return str(packed[name + KIND]).split()


# --- tables -----------------------------------------------------------------------------------------------


def packed_table(name: str, table: Table) -> Packed:
    """Return the arrays of a table, and the options that it was created with."""
    options = [float(getattr(table, option)) for option in TABLE_OPTIONS]
    arrays = {f"{name}/{part}": array for part, array in table.model().items()}
    return {name + KIND: np.array("table"), f"{name}/options": np.array(options), **arrays}


def of_table(game: Game, name: str, packed: Given) -> Table:
    """Return a table that uses packed arrays without copying them."""
    width, keyed, spare, memory, default = packed[f"{name}/options"].tolist()
    table = Table(game, int(width), bool(keyed), int(spare), int(memory), default)
    table.recall({part: packed[f"{name}/{part}"] for part in ("states", "moves", "values")
                  if f"{name}/{part}" in packed})  # fmt: skip
    return table


# --- columns: lists of values -------------------------------------------------------------------------------


def column(game: Game, name: str, things: Things) -> Packed:
    """Return values as arrays, or raise TypeError that says which value cannot be stored."""
    things = [thing.item() if isinstance(thing, np.generic) else thing for thing in things]
    types = {type(thing) for thing in things}
    if array := plain_column(things, types):
        return {name + KIND: np.array(array[0]), f"{name}/data": array[1]}
    if len(types) == 1:
        (cls,) = types
        if issubclass(cls, dict):
            return dictionaries(game, name, things)
        if word := next((word for word, kind in COLLECTIONS.items() if issubclass(cls, kind)), ""):
            return lists(game, name, things, word)
        if cls in (tuple, type(game.initial())) and issubclass(cls, tuple) and one_length(things):
            return tuples(game, name, things, cls)
        if issubclass(cls, np.ndarray) and len({(thing.dtype.str, thing.shape) for thing in things}) == 1:
            return {name + KIND: np.array("array"), f"{name}/data": np.stack(things)}
    return texts(name, things)


def one_length(things: Things) -> bool:
    return len({len(thing) for thing in things}) == 1


def plain_column(things: Things, types: set[type]) -> tuple[str, Any] | None:
    """Return a type word and an array for numbers or texts; None for other values or if they do not fit."""
    if types <= {bool} and things:
        return "bool", np.array(things, np.bool_)
    if types == {int} and all(map(is_word, things)):
        return "int", np.array(things, np.int64)
    if types and types <= {int, float} and all(type(x) is float or abs(x) <= 2**53 for x in things):
        return "float", np.array(things, np.float64)
    if types == {str} and not any(thing.endswith("\0") for thing in things):  # numpy strips these
        return "text", np.array(things, np.str_)
    return None


def dictionaries(game: Game, name: str, things: list[dict[object, object]]) -> Packed:
    """Return dictionaries as an array of their lengths, one column of all keys and one of all values."""
    made: set[str] = {factory_of(thing) for thing in things}
    if len(made) > 1:
        raise TypeError("a dict with a defaultdict beside it")
    return {
        name + KIND: np.array(" ".join(["dict", *filter(None, made)])),
        f"{name}/lengths": np.array([len(thing) for thing in things], np.int64),
        **column(game, f"{name}/keys", [*chain.from_iterable(things)]),
        **column(game, f"{name}/values", [*chain.from_iterable(thing.values() for thing in things)]),
    }


def factory_of(thing: dict[object, object]) -> str:
    """Return the name of the default factory of a `defaultdict`, "" for other dictionaries."""
    made = getattr(thing, "default_factory", None)
    if made is None:
        return ""
    if (found := next((word for word, factory in FACTORIES.items() if factory is made), None)) is None:
        raise TypeError("a defaultdict of a function, which no file can keep (dict(…) of it can be kept),")
    return found


def lists(game: Game, name: str, things: Things, word: str) -> Packed:
    """Return lists or sets as an array of their lengths and one column of all their items."""
    if word != "list":
        try:
            things = [sorted(thing) for thing in things]
        except TypeError:
            raise TypeError("a set of values that have no order") from None
    return {
        name + KIND: np.array(word),
        f"{name}/lengths": np.array([len(thing) for thing in things], np.int64),
        **column(game, f"{name}/items", [*chain.from_iterable(things)]),
    }


def tuples(game: Game, name: str, things: Things, cls: type) -> Packed:
    """Return tuples of one length: one array if they contain ints, otherwise a column for each index."""
    kind = np.array("tuple" if cls is tuple else "position")
    size = len(things[0])
    if {*map(type, chain.from_iterable(things))} == {int} and all(map(is_word, chain.from_iterable(things))):
        return {name + KIND: kind, f"{name}/data": np.array(things, np.int64)}
    columns = (column(game, f"{name}/{i}", [thing[i] for thing in things]) for i in range(size))
    made = {name + KIND: kind, f"{name}/shape": np.array([len(things), size], np.int64)}
    for part in columns:
        made |= part
    return made


def texts(name: str, things: Sequence[object]) -> Packed:
    """Return values of mixed types as their Python literals, if evaluating these restores the values."""
    written = [repr(thing) for thing in things]
    for thing, text in zip(things, written, strict=True):
        try:
            same = ast.literal_eval(text) == thing
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            same = False
        if not same:
            raise TypeError(of_kind(thing))
    return {name + KIND: np.array("literal"), f"{name}/data": np.array(written, np.str_)}


# --- and back ---------------------------------------------------------------------------------------------


def of(game: Game, name: str, packed: Given) -> Things:
    """Return the values of a column."""
    kind, *more = kind_of(packed, name)
    if kind == "dict":
        keys, values = of(game, f"{name}/keys", packed), of(game, f"{name}/values", packed)
        pairs = cut(zip(keys, values, strict=True), packed[f"{name}/lengths"])
        made = FACTORIES[more[0]] if more else None
        return [defaultdict(made, some) if made else dict(some) for some in pairs]
    if kind in COLLECTIONS:
        cls: Any = {"list": list, "set": set, "frozenset": frozenset}[kind]
        return [cls(some) for some in cut(of(game, f"{name}/items", packed), packed[f"{name}/lengths"])]
    if kind in ("tuple", "position"):
        return [named(game, kind, row) for row in rows_of(game, name, packed)]
    if kind == "array":
        return [np.array(array) for array in packed[f"{name}/data"]]
    data = packed[f"{name}/data"].tolist()
    return [ast.literal_eval(text) for text in data] if kind == "literal" else data


def rows_of(game: Game, name: str, packed: Given) -> Iterable[Sequence[object]]:
    """Return the items of each tuple of a column."""
    if f"{name}/data" in packed:
        found: list[list[int]] = packed[f"{name}/data"].tolist()
        return found
    rows, size = packed[f"{name}/shape"].tolist()
    if not size:
        return [()] * rows
    return zip(*(of(game, f"{name}/{i}", packed) for i in range(size)), strict=True)


def named(game: Game, kind: str, row: Sequence[object]) -> Any:
    """Return a tuple, or a position of a game whose positions are named tuples."""
    return type(game.initial())(*row) if kind == "position" else tuple(row)


def cut(things: Iterable[object], lengths: Any) -> list[Things]:
    """Split values into lists of these lengths."""
    left = iter(things)
    return [[next(left) for _ in range(length)] for length in lengths.tolist()]
