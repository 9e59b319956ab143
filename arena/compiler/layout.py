"""The memory layout of a component's attributes for compiled code, and the copying in both directions."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator, Mapping
from inspect import getattr_static
from itertools import chain
from operator import is_, itemgetter
from types import FunctionType
from typing import Any, Literal, NamedTuple, get_origin
from weakref import ref

import numpy as np

from arena.api.component import Component, author_of
from arena.api.game import Game
from arena.compiler.errors import CannotCompile
from arena.compiler.native import (
    NATIVE,
    TABLE,
    Misfit,
    Native,
    NativeDict,
    content_of,
    is_shared,
    kind_of,
    native,
    value_of,
    words_of,
)
from arena.compiler.source import describe, stored_attributes
from arena.compiler.types import (
    BOOL,
    DTYPES,
    FLOAT,
    GAME,
    INT,
    ArrayOf,
    ContainerOf,
    Content,
    DictOf,
    ObjectOf,
    SetOf,
    Text,
    Tuple,
    Type,
    VectorOf,
)

ONLY_PYTHON = (
    "__init__",
    "__post_init__",
    "prepare",
    "prepare_learning",
)  # these never run compiled, so attributes set only here are constants
CALLED_FROM_PYTHON = (
    *ONLY_PYTHON,
    "learn_many",
    "merge",
)  # these may use `name`, the specification of the agent, in errors

# bytes after a block: threads that write to the same or to adjacent cache lines slow each other down
APART = 256

Contents = dict[tuple[str, str], Content]  # by class and attribute

KNOWN = "compiled code supports numbers, texts, tuples, arrays, lists, dictionaries, sets and components"


class Layout:
    """The layout of a component's attributes in its block, in words of 8 bytes.

    Attributes:
        cls: Class of the component.
        fields: Type and first word of each attribute. An array has a word for its address and one for each
            dimension; a component has one word.
        cached: Methods with `lru_cache`, by name; the field `name()` is the dictionary of results.
        constants: Bools, strings, None and tuples that no method sets, by name.
        numpy_floats: Attributes that are numpy floats rather than Python floats.
        odd: Attributes that compiled code cannot use, with a description of the value.
        causes: For an empty container, why the method that may fill it does not compile.
        size: Number of words.
        key: Text that is equal for components that share compiled code.
    """

    def __init__(
        self, thing: Component, game: Game, above: tuple[int, ...] = (), contents: Contents | None = None
    ) -> None:
        self.cls = type(thing)
        self.name = class_name(self.cls)
        self.fields: dict[str, tuple[Type, int]] = {}
        self.constants: dict[str, object] = {}
        self.odd: dict[str, str] = {}
        self.causes: dict[str, CannotCompile | None] = {}
        self.size = 0
        stored = stored_by_methods(self.cls)
        shared = {name for name in vars(thing) if is_shared(vars(thing), name)}
        for name, value in sorted(vars(thing).items()):
            if name == "_runners":
                continue
            if isinstance(value, Game):
                if value is game or describe_game(value) == describe_game(game):
                    self.fields[name] = GAME, 0
                else:
                    self.odd[name] = "another game"
            elif is_part(value, thing):
                if id(value) in above:
                    self.odd[name] = "a component that it is itself a part of"
                else:
                    self.put(name, ObjectOf(layout_of(value, game, (*above, id(thing)), contents)), 1)
            elif hasattr(value, "dtype") and hasattr(value, "flags") and value.ndim:
                self.put_array(name, value)
            elif isinstance(value, dict | set | list | Native):
                self.put_container(name, value, name in shared, contents)
            elif name == "name" and entered_by_name(self.cls):
                self.odd[name] = "the agent's specification, which differs with its options"
            elif self.is_constant(name, value, stored):
                self.constants[name] = value
            elif isinstance(value, int) and not -(2**63) <= value < 2**63:
                self.odd[name] = f"{value}, too large: an int has 64 bits"
            elif isinstance(value, bool | int | float):
                self.put(name, self.number(name, value), 1)
            elif isinstance(value, tuple | str | bytes) and name in stored:
                self.put_tuple(name, value)
            elif value is None:
                self.odd[name] = "None after prepare; start it at a number, a text or a tuple"
            else:
                own = "; write int(…) or float(…)" if isinstance(value, np.number) else f"; {KNOWN}"
                self.odd[name] = f"a {type(value).__name__}{own}"
        self.cached = cached_methods(self.cls)
        for name in self.cached:
            self.put_cache(name, contents)
        parts = [f"{name}: {described(kind)} {at}" for name, (kind, at) in self.fields.items()]
        odd = sorted(self.odd.items())
        self.numpy_floats = {name for name, value in vars(thing).items() if isinstance(value, np.floating)}
        self.names = {*self.fields, *self.constants, *self.odd}
        self.key = f"{self.name}({'; '.join(parts)} | {sorted(map(str, self.constants.items()))} | {odd})"
        self.key += f" {sorted(self.numpy_floats)}" if self.numpy_floats else ""

    def put(self, name: str, kind: Type, words: int) -> None:
        self.fields[name] = kind, self.size
        self.size += words

    def put_array(self, name: str, value: Any) -> None:
        if value.dtype.name not in DTYPES or not value.dtype.isnative:
            self.odd[name] = f"an array of {value.dtype}; compiled code supports {', '.join(DTYPES)}"
        elif not value.flags.c_contiguous:
            self.odd[name] = "an array that is not contiguous; use np.ascontiguousarray"
        else:
            self.put(name, ArrayOf(value.dtype.name, value.ndim, not value.flags.writeable), 1 + value.ndim)

    def put_tuple(self, name: str, value: tuple[object, ...] | str | bytes) -> None:
        """Add a tuple or text that methods set, unless it has had too many different types."""
        kind, kinds = kind_of([value]), tuple_kinds.setdefault((self.cls, name), [])
        if kind and 0 < len(kind.irs) <= LONGEST_TUPLE and (kind in kinds or len(kinds) < MOST_KINDS):
            kinds += [] if kind in kinds else [kind]
            self.put(name, kind, len(kind.irs))
            return
        what = f"a {type(value).__name__}"
        if kind is None:
            self.odd[name] = f"{what} of other items than numbers, texts and tuples"
        elif not kind.irs:
            self.odd[name] = f"an empty {type(value).__name__}; start it at one of its length"
        elif len(kind.irs) > LONGEST_TUPLE:
            self.odd[name] = f"{what} of more than {LONGEST_TUPLE} items"
        else:
            self.odd[name] = f"{what} whose length or types change"

    def put_container(self, name: str, value: Any, shared: bool, contents: Contents | None) -> None:
        known = content_of(f"self.{name}", value)
        if type(value) not in (*NATIVE, *NATIVE.values()):
            self.odd[name] = f"a {type(value).__name__}; {KNOWN}"
        elif isinstance(known, str):
            self.odd[name] = f"a {kind_name(value)} with {known}"
        elif shared and type(value) in NATIVE:
            self.odd[name] = f"a {kind_name(value)} that is also referenced elsewhere; assign a copy"
        else:
            content = known if contents is None else contents.get((self.name, name), known)
            if contents is not None and not content.settled:
                self.odd[name] = f"a {kind_name(value)} that is empty and that no compiled method fills"
                self.causes[name] = content.last().cause
            elif contents is not None and not content.used:
                self.odd[name] = f"a {kind_name(value)}"
            else:
                self.put(name, {"set": SetOf, "list": VectorOf}.get(kind_name(value), DictOf)(content), 1)

    def put_cache(self, name: str, contents: Contents | None) -> None:
        """Add the dictionary of results of a method with `lru_cache`, unless no compiled method calls it."""
        field = f"{name}()"
        content = (contents or {}).get((self.name, field)) or Content(f"the cache of {name}", owned=True)
        if contents is None or content.settled:
            self.put(field, DictOf(content), 1)

    def open_contents(self) -> Contents:
        """Return the contents of all containers, including those of parts, by class and attribute."""
        found: Contents = {}
        for name, (kind, _) in self.fields.items():
            if isinstance(kind, ObjectOf):
                found |= kind.layout.open_contents()
            elif isinstance(kind, ContainerOf):
                found[self.name, name] = kind.content
        return found

    def number(self, name: str, value: object) -> Type:
        stated = getattr(self.cls, "options", {}).get(name)
        if isinstance(value, float) or (stated is not None and stated.type is float):
            return FLOAT
        return BOOL if isinstance(value, bool) else INT

    def is_constant(self, name: str, value: Any, stored: frozenset[str]) -> bool:
        options: Mapping[str, Any] = getattr(self.cls, "options", {})
        if name in options and get_origin(options[name].type) is Literal:
            return True
        return name not in stored and (isinstance(value, bool) or is_constant(value))

    def classes(self) -> dict[str, type]:
        """Return the classes of the component and its parts, by name."""
        found = {class_name(self.cls): self.cls}
        for kind, _ in self.fields.values():
            if isinstance(kind, ObjectOf):
                found |= kind.layout.classes()
        return found


# types of tuples and texts that methods set, by class and attribute; for each, methods are compiled anew
tuple_kinds: dict[tuple[type, str], list[Type]] = {}
MOST_KINDS = 4  # maximum number of these types
LONGEST_TUPLE = 256  # maximum number of words of such a tuple or text


def described(kind: Type) -> str:
    """Return a text that is different for different types of attributes."""
    if isinstance(kind, ObjectOf):
        return str(kind.layout.key)
    if isinstance(kind, Tuple | Text):
        return repr(kind)  # with the types of its items
    return f"{kind} {kind.content!r} {kind.content.default}" if isinstance(kind, ContainerOf) else str(kind)


def is_part(value: object, owner: object) -> bool:
    """Return whether an attribute's value is a part, whose own attributes compiled code can use.

    Parts are components, and objects of ordinary classes from the package of the owner's class.
    """
    if isinstance(value, Component):
        return True
    cls, package = type(value), type(owner).__module__.partition(".")[0]
    ordinary = type(cls) is type and isinstance(vars(cls).get("__init__"), FunctionType)
    hooked = "__setattr__" in vars(cls) or "__slots__" in vars(cls) or isinstance(value, tuple)
    return ordinary and not hooked and cls.__module__.partition(".")[0] == package


with_caches: dict[type, dict[str, Any]] = {}


def cached_methods(cls: type) -> dict[str, Any]:
    """Return the methods of a class that have `functools.lru_cache`, by name."""
    if cls in with_caches:
        return with_caches[cls]
    names = {name for base in cls.__mro__ for name in vars(base)}
    found = {name: getattr_static(cls, name) for name in sorted(names)}
    with_caches[cls] = {name: value for name, value in found.items() if isinstance(value, type(lru_cached))}
    return with_caches[cls]


@functools.lru_cache
def lru_cached() -> None:
    """An example of a function with `lru_cache`, for its type."""


def kind_name(value: object) -> str:
    """Return the name of the Python type of a container, such as `dict` for a `NativeDict`."""
    return next(kind.__name__ for kind, own in NATIVE.items() if isinstance(value, kind | own))


def class_name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def is_constant(value: object) -> bool:
    """Return whether a value is a string, None, or a tuple of numbers and such constants."""
    if isinstance(value, tuple):
        return all(isinstance(item, int | float) or is_constant(item) for item in value)
    return value is None or isinstance(value, str)


def describe_game(game: Game) -> str:
    """Return a text that is different for games with different classes or attributes."""
    made = {"name", "flat", "_bound", *vars(game).get("_bound", ())}  # set by arena
    said = {name: describe(value) for name, value in sorted(vars(game).items()) if name not in made}
    return f"{class_name(type(game))} {said}"


stored: dict[type, frozenset[str]] = {}
entered: dict[type, bool] = {}
layouts: dict[Any, Layout] = {}


def stored_by_methods(cls: type) -> frozenset[str]:
    """Return the names of attributes that a method of a class sets, other than those of `ONLY_PYTHON`."""
    if cls not in stored:
        names: set[str] = set()
        for base in cls.__mro__:
            for name, value in vars(base).items():
                function = author_of(getattr(value, "__func__", value))
                if isinstance(function, FunctionType) and name not in ONLY_PYTHON and base is not Component:
                    names |= stored_attributes(function.__code__)
        stored[cls] = frozenset(names)
    return stored[cls]


def entered_by_name(cls: type) -> bool:
    """Return whether `name` is an agent's or learner's specification that no compiled method reads."""
    if cls not in entered:
        functions = (
            author_of(getattr(value, "__func__", value))
            for base in cls.__mro__
            if base is not Component
            for name, value in vars(base).items()
            if name not in CALLED_FROM_PYTHON
        )
        reads = any(isinstance(one, FunctionType) and "name" in one.__code__.co_names for one in functions)
        entered[cls] = hasattr(cls, "options") and not reads
    return entered[cls]


def layout_of(
    thing: Component, game: Game, above: tuple[int, ...] = (), contents: Contents | None = None
) -> Layout:
    """Return a component's current layout; equal layouts are the same object.

    Args:
        thing: The component.
        game: The game.
        above: Ids of the components that it is a part of.
        contents: Contents of containers by class and attribute. Default: inferred from what the component's
            methods store in them.
    """
    made = Layout(thing, game, above, contents)
    if contents is None and not above and (found := made.open_contents()):
        return layout_of(thing, game, above, inferred(thing, made, found))
    parts = tuple(kind.layout for kind, _ in made.fields.values() if isinstance(kind, ObjectOf))
    return layouts.setdefault((made.cls, made.key, parts), made)


Inference = Callable[[Any, Layout], None]
inference: list[Inference] = []  # function that infers contents; see `runtime.py`
known_contents: dict[Any, Contents] = {}


def inferred(thing: Component, layout: Layout, found: Contents) -> Contents:
    """Return the contents of a layout's containers, widened by what compiled methods store in them."""
    key = layout.cls, layout.key
    if key not in known_contents:
        for infer in inference:
            infer(thing, layout)
        for content in found.values():
            content.fix()
        known_contents[key] = {where: content.last() for where, content in found.items()}
    return known_contents[key]


def address_of(buffer: bytearray) -> int:
    """Return the address of a buffer, which is valid as long as the caller keeps the buffer alive."""
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


def getter(names: list[str]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    """Return a function that returns a tuple of a dictionary's values for these keys."""
    if len(names) > 1:
        return itemgetter(*names)
    if not names:
        return lambda own: ()
    only = itemgetter(*names)
    return lambda own: (only(own),)


RESET_BYTES = (8, 1 << 13)  # size of arrays that are reset word by word


class StoredWord(NamedTuple):
    """64 bits that compiled code may set: an attribute's component and name, their address and value."""

    thing: Component
    name: str
    address: int
    bits: int


class Block:
    """Memory with a component's attributes as 64-bit words, and the blocks of its parts."""

    def __init__(self, thing: Component, layout: Layout, blocks: dict[int, Block] | None = None) -> None:
        self.thing, self.layout, self.own = thing, layout, vars(thing)
        self.blocks = {} if blocks is None else blocks  # blocks of all components, by id
        self.blocks[id(thing)] = self
        self.words = bytearray(8 * max(1, layout.size) + APART)
        self.address = address_of(self.words)
        view = memoryview(self.words)
        self.ints, self.floats = view.cast("q"), view.cast("d")
        self.parts: dict[str, Block] = {}
        self.taken = bytes(self.words)
        self.count = len(vars(thing)) - ("_runners" in vars(thing))
        kinds = layout.fields.items()
        self.numbers = [(name, kind is FLOAT, at) for name, (kind, at) in kinds if kind in (INT, FLOAT, BOOL)]
        self.bools = [(name, at) for name, (kind, at) in kinds if kind is BOOL]
        self.tuples = [(name, kind, at) for name, (kind, at) in kinds if isinstance(kind, Tuple | Text)]
        self.arrays = [
            (name, np.dtype(kind.dtype), kind, at) for name, (kind, at) in kinds if isinstance(kind, ArrayOf)
        ]
        self.seen: dict[
            str, tuple[Any, object]
        ] = {}  # arrays whose addresses and shapes are in the block now
        self.lent: dict[str, tuple[Any, Any]] = {}  # containers, and their memory, in the block
        tables = [(name, kind, at) for name, (kind, at) in kinds if isinstance(kind, ContainerOf)]
        self.tables = [table for table in tables if not table[0].endswith("()")]
        self.caches = {name: NativeDict({}) for name, _, _ in tables if name.endswith("()")}
        for name, table, at in tables:
            if name in self.caches:
                self.ints[at] = self.caches[name].lend(table.content.last()) or 0
        self.games = [(name, vars(thing)[name]) for name, (kind, _) in kinds if kind is GAME]
        self.objects = [(name, kind.layout, at) for name, (kind, at) in kinds if isinstance(kind, ObjectOf)]
        self.has_others = bool(self.arrays or self.tables or self.objects)
        simple = [(name for name, *_ in some) for some in (self.games, self.numbers, self.tuples)]
        self.plain_values = getter([*layout.constants, *chain(*simple)])
        self.before: tuple[object, ...] | None = None  # values of `names` when last copied

    def take(self) -> bool:
        """Copy attributes from the component to the block, and return whether they fit the layout."""
        own = self.own
        try:
            if len(own) - ("_runners" in own) != self.count:  # an attribute was added
                return False
            before = self.before
            same = before is not None and all(map(is_, self.plain_values(own), before))
            if not same and not self.take_numbers():
                return False
            if self.has_others:
                return self.take_others(own)
        except (KeyError, AttributeError, TypeError, ValueError, Misfit):
            return False
        return True

    def take_numbers(self) -> bool:
        """Copy numbers, and return whether they fit the layout and constants and games are unchanged."""
        own, ints, floats = vars(self.thing), self.ints, self.floats
        for name, value in self.layout.constants.items():
            now = own[name]
            if now is not value and (type(now) is not type(value) or now != value):
                return False
        if any(own[name] is not game for name, game in self.games):
            return False
        if any(type(own[name]) is not bool for name, _ in self.bools):
            return False
        for name, is_float, at in self.numbers:
            value = own[name]
            if is_float:
                floats[at] = value
            elif type(value) is float:
                return False
            else:
                ints[at] = value
        for name, kind, at in self.tuples:
            for i, word in enumerate(words_of(own[name], kind), at):
                ints[i] = word
        self.before, self.taken = self.plain_values(own), bytes(self.words)
        return True

    def take_others(self, own: dict[str, Any]) -> bool:
        """Copy addresses of arrays, containers and parts, and return whether they fit the layout."""
        ints, changed = self.ints, False
        for name, dtype, kind, at in self.arrays:
            array = own[name]
            shape = array.shape
            seen, before = self.seen.get(name, (None, None))
            if shape == before and seen() is array:
                continue
            flags, changed = array.flags, True
            if len(shape) != kind.ndim or array.dtype != dtype or not flags.c_contiguous:
                return False
            if flags.writeable == kind.fixed:
                return False
            self.seen[name] = ref(array), shape
            ints[at] = array.ctypes.data
            for i, extent in enumerate(shape):
                ints[at + 1 + i] = extent
        for name, table, at in self.tables:
            lent, memory = self.lent.get(name, (None, None))
            if lent is own[name] and lent.where == TABLE and lent.memory is memory:
                continue
            value, changed = native(own, name), True
            address = None if value is None else value.lend(table.content.last())
            if value is None or address is None:
                return False
            self.lent[name] = value, value.memory
            ints[at] = address
        for name, layout, at in self.objects:
            part = self.parts.get(name)
            if part is None or part.thing is not own[name]:
                if type(own[name]) is not layout.cls:
                    return False
                part = self.blocks.get(id(own[name]))
                if part is None or part.thing is not own[name] or part.layout is not layout:
                    part = Block(own[name], layout, self.blocks)
                self.parts[name], ints[at], changed = part, part.address, True
            if not part.take():
                return False
        if changed:
            self.taken = bytes(self.words)
        return True

    def give(self, stored: frozenset[tuple[str, str]]) -> None:
        """Copy attributes that compiled code may have set from the block to the component.

        Args:
            stored: Pairs of names of classes and attributes that compiled code sets.
        """
        if self.words != self.taken:  # otherwise another thread may be using them
            own, cls, before = vars(self.thing), self.layout.name, memoryview(self.taken).cast("q")
            for name, is_float, at in self.numbers:
                if (cls, name) in stored and self.ints[at] != before[at]:
                    own[name] = self.floats[at] if is_float else self.ints[at]
            for name, at in self.bools:
                if (cls, name) in stored and self.ints[at] != before[at]:
                    own[name] = bool(self.ints[at])
            for name, kind, at in self.tuples:
                words = slice(at, at + len(kind.irs))
                if (cls, name) in stored and self.ints[words] != before[words]:
                    own[name] = value_of(iter(self.ints[words]), kind)
            self.before, self.taken = self.plain_values(own), bytes(self.words)
        for part in self.parts.values():
            part.give(stored)

    def stored_words(self, stored: frozenset[tuple[str, str]], arrays: bool) -> Iterator[StoredWord]:
        """Yield the numbers among the attributes that compiled code may set, as they are in the block.

        Args:
            stored: Pairs of names of classes and attributes that compiled code sets.
            arrays: Also yield the content of small arrays.
        """
        for name, _, at in self.numbers:
            if (self.layout.name, name) in stored:
                yield StoredWord(self.thing, name, self.address + 8 * at, self.ints[at])
        for name, of, at in self.tuples:
            if (self.layout.name, name) in stored:
                for i in range(at, at + len(of.irs)):
                    yield StoredWord(self.thing, name, self.address + 8 * i, self.ints[i])
        for name, _, kind, _ in self.arrays if arrays else ():
            array = self.own[name]
            if not kind.fixed and RESET_BYTES[0] <= array.nbytes <= RESET_BYTES[1]:
                content = memoryview(array.tobytes())
                for at in {*range(0, array.nbytes - 7, 8), array.nbytes - 8}:  # the last two may overlap
                    (bits,) = content[at : at + 8].cast("q")
                    yield StoredWord(self.thing, name, array.ctypes.data + at, bits)
        for part in self.parts.values():
            yield from part.stored_words(stored, arrays)
