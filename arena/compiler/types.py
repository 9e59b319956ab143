"""The types of compiled code, and its values: types with the operands of LLVM's that make them up.

Every value is a flat row of operands: an int is one i64, a tuple those of its items one after the other, a
list where its items lie and how many there are. What is known when compiling takes none.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any


class Type:
    """irs: LLVM's types of the operands. name: what authors are told."""

    irs: tuple[str, ...] = ()
    name = ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Scalar(Type):
    name: str
    irs: tuple[str, ...] = ()
    rank: int = 0  # a number becomes one of a higher rank where both meet

    def __str__(self) -> str:
        return self.name


INT = Scalar("an int", ("i64",), 2)
FLOAT = Scalar("a float", ("double",), 3)
BOOL = Scalar("a bool", ("i1",), 1)
NONE = Scalar("None")
RNG = Scalar("random numbers", ("ptr",))
GAME = Scalar("the game")
UNKNOWN = Scalar("not known yet")  # the result of a function that calls itself, at first
NUMBERS = (INT, FLOAT, BOOL)
SPARE = 32  # items that a list has room for beyond those that it may have


@dataclass(frozen=True)
class Known(Type):
    """A thing known when compiling: a text, a function, a class, a module, a tuple of constants."""

    thing: Any
    name: str = "a constant"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and (self.thing is other.thing or same(self.thing, other.thing))

    def __hash__(self) -> int:
        return hash(type(self.thing).__name__)

    def __str__(self) -> str:
        return (
            "an int of more than 64 bits" if isinstance(self.thing, int) else f"a {type(self.thing).__name__}"
        )


def same(one: object, other: object) -> bool:
    return (
        type(one) is type(other) and isinstance(one, str | int | float | tuple) and repr(one) == repr(other)
    )


@dataclass(frozen=True)
class Tuple(Type):
    """cls: the class of a named tuple."""

    items: tuple[Type, ...]
    cls: Any = None

    @property
    def irs(self) -> tuple[str, ...]:  # type: ignore[override] # worked out, where others state it
        return tuple(ir for item in self.items for ir in item.irs)

    def __str__(self) -> str:
        return f"a tuple of {len(self.items)}"


@dataclass(frozen=True)
class ListOf(Type):
    """Where its items lie, in somebody's frame, and how many there are."""

    item: Type
    irs: tuple[str, ...] = ("ptr", "i64")

    def __str__(self) -> str:
        return "a list"


@dataclass(frozen=True)
class ArrayOf(Type):
    """Where its elements lie, and its shape. dtype: numpy's name of it. fixed: it cannot be written to."""

    dtype: str
    ndim: int
    fixed: bool = False

    @property
    def irs(self) -> tuple[str, ...]:  # type: ignore[override] # worked out, where others state it
        return ("ptr",) + ("i64",) * self.ndim

    def __str__(self) -> str:
        said = "a read-only array" if self.fixed else "an array"
        return f"{said} of {self.dtype}" + f", {self.ndim} dimensions" * (self.ndim > 1)


@dataclass(frozen=True, eq=False)
class ObjectOf(Type):
    """A component, where its block is. Types are equal where their layouts are, which are made once each."""

    layout: Any
    irs: tuple[str, ...] = ("ptr",)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectOf) and self.layout is other.layout

    def __hash__(self) -> int:
        return id(self.layout)

    def __str__(self) -> str:
        return f"a {self.layout.cls.__name__}"


# of elements of arrays: LLVM's type, bytes, the type of what is read, and how that is made
DTYPES: dict[str, tuple[str, int, Type, str]] = {
    "int64": ("i64", 8, INT, ""),
    "int32": ("i32", 4, INT, "sext"),
    "int16": ("i16", 2, INT, "sext"),
    "int8": ("i8", 1, INT, "sext"),
    "uint32": ("i32", 4, INT, "zext"),
    "uint16": ("i16", 2, INT, "zext"),
    "uint8": ("i8", 1, INT, "zext"),
    "float64": ("double", 8, FLOAT, ""),
    "float32": ("float", 4, FLOAT, "fpext"),
    "bool": ("i8", 1, BOOL, "bool"),
}


class Missing:
    """No constant."""


MISSING: Any = Missing()


@dataclass(frozen=True)
class Value:
    """const: its value as Python has it, where that is known when compiling."""

    type: Type
    ops: tuple[str, ...] = ()
    const: Any = field(default=MISSING, compare=False)
    fresh: bool = field(default=False, compare=False)  # a list that nobody else has a name for

    @property
    def op(self) -> str:
        return (
            self.ops[0] if self.ops else "undef"
        )  # of what is not known yet, for a text that is written again

    @property
    def known(self) -> bool:
        return self.const is not MISSING

    @property
    def item(self) -> Type:
        """Of a list, the type of its items."""
        assert isinstance(self.type, ListOf)
        return self.type.item

    @property
    def length(self) -> Value:
        """Of a list or an array, how many items there are, as an int."""
        return Value(INT, (self.ops[1],))

    @property
    def array(self) -> ArrayOf:
        """Of an array, its type."""
        assert isinstance(self.type, ArrayOf)
        return self.type

    @property
    def layout(self) -> Any:
        """Of a component, its layout."""
        assert isinstance(self.type, ObjectOf)
        return self.type.layout


def value_of(kind: Type, ops: tuple[str, ...] = (), fresh: bool = False) -> Value:
    """A value of a type, with what is known of all values of it."""
    const = kind.thing if isinstance(kind, Known) else None if kind is NONE else MISSING
    return Value(kind, ops, const, fresh)


class NoJoin(Exception):
    """Two types that no variable can have both of."""


def join(one: Type, other: Type) -> Type:
    """The type of what is now one, now the other, or NoJoin."""
    if one == other or other == UNKNOWN:
        return one
    if one == UNKNOWN:
        return other
    if one in NUMBERS and other in NUMBERS:
        return max(one, other, key=lambda kind: kind.rank)
    if (
        isinstance(one, Tuple)
        and isinstance(other, Tuple)
        and len(one.items) == len(other.items)
        and one.cls is other.cls
    ):
        return Tuple(tuple(map(join, one.items, other.items)), one.cls)
    if isinstance(one, ListOf) and isinstance(other, ListOf):
        return ListOf(join(one.item, other.item))
    raise NoJoin


def unsettled(kind: object) -> bool:
    """Whether a type is not known yet, in whole or in part."""
    if isinstance(kind, Tuple):
        return any(map(unsettled, kind.items))
    return unsettled(kind.item) if isinstance(kind, ListOf) else kind is UNKNOWN


def type_of(value: object) -> Type | None:
    """The type of a constant as a number or tuple of numbers, None of others."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT if -(2**63) <= value < 2**63 else None
    if isinstance(value, float):
        return FLOAT
    if isinstance(value, tuple):
        items = tuple(kind for kind in map(type_of, value) if kind)
        if len(items) == len(value):
            return Tuple(items, type(value) if hasattr(value, "_fields") else None)
    return None


def slot(kind: Type) -> str:
    """LLVM's type of an item of a list."""
    irs = kind.irs or ("i64",)
    return irs[0] if len(irs) == 1 else f"{{ {', '.join(irs)} }}"


ANNOTATED = {"int": INT, "float": FLOAT, "bool": BOOL}


def literal(value: float) -> str:
    """A number as LLVM writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
