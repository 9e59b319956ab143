"""The types of compiled code, and its values, which are types with LLVM operands.

Every value is a flat sequence of operands. An int is one i64; a tuple consists of the operands of its items;
a list consists of the address and the number of its items. A value known at compile time has no operands.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar


class Type:
    """A type of compiled code.

    Attributes:
        irs: LLVM types of the operands.
        name: Name in messages for authors.
        in_region: Whether a value lies in the region of a call, and may refer to other memory of the region.
    """

    irs: tuple[str, ...] = ()
    name = ""
    in_region = False

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Scalar(Type):
    name: str
    irs: tuple[str, ...] = ()
    rank: int = 0  # of two types of numbers, the one with the higher rank is the common type

    def __str__(self) -> str:
        return self.name


INT = Scalar("an int", ("i64",), 2)
FLOAT = Scalar("a float", ("double",), 3)
BOOL = Scalar("a bool", ("i1",), 1)
NONE = Scalar("None")
RNG = Scalar("random numbers", ("ptr",))
GAME = Scalar("the game")
UNKNOWN = Scalar("not known yet")  # the initial type of, for example, the result of a recursive function
NUMBERS = (INT, FLOAT, BOOL)
SPARE = 32  # additional room of a list, beyond its capacity


@dataclass(frozen=True)
class Known(Type):
    """The type of an object known at compile time: a string, function, class, module or constant tuple."""

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
        type(one) is type(other)
        and isinstance(one, str | bytes | int | float | tuple)
        and repr(one) == repr(other)
    )


@dataclass(frozen=True)
class Tuple(Type):
    """The type of a tuple of fixed length; `cls` is the class of a named tuple, else None."""

    items: tuple[Type, ...]
    cls: Any = None

    @property
    def irs(self) -> tuple[str, ...]:  # type: ignore[override] # a property instead of an attribute
        return tuple(ir for item in self.items for ir in item.irs)

    def __str__(self) -> str:
        return f"a tuple of {len(self.items)}"


@dataclass(frozen=True)
class Text(Type):
    """The type of a text or of bytes of fixed length, with an operand for each character or byte.

    Attributes:
        length: Number of characters, or of bytes.
        cls: `str` or `bytes`.
    """

    length: int
    cls: type = str

    @property
    def irs(self) -> tuple[str, ...]:  # type: ignore[override] # a property instead of an attribute
        return INT.irs * self.length

    @property
    def item(self) -> Type:
        """The type of an item: a text of one character, or an int."""
        return Text(1) if self.cls is str else INT

    @property
    def items(self) -> tuple[Type, ...]:
        """The types of all items."""
        return (self.item,) * self.length

    def __str__(self) -> str:
        if self.cls is bytes:
            return f"bytes of length {self.length}"
        return f"a text of {self.length} character{'s' * (self.length != 1)}"


@dataclass(frozen=True)
class ListOf(Type):
    """The type of a list, whose operands are the address and the number of its items.

    Attributes:
        item: Type of the items.
        row: Whether it is an item of another list or of a tuple. Then it lies in the region of the call, has
            a fixed length, and may have several references. Other lists lie in the frame of a function.
    """

    item: Type
    irs: tuple[str, ...] = ("ptr", "i64")
    row: bool = False

    def __str__(self) -> str:
        return "a list within a list or tuple" if self.row else "a list"


class TupleOf(ListOf):
    """The type of a tuple whose length is unknown at compile time; it is stored like a list."""

    def __str__(self) -> str:
        return "a tuple of any length"


class TextOf(TupleOf):
    """The type of a text or of bytes whose length is unknown at compile time; it is stored like a list."""

    @property
    def cls(self) -> type:
        """`str` or `bytes`."""
        return bytes if self.item is INT else str

    def __str__(self) -> str:
        return f"{'bytes' if self.cls is bytes else 'a text'} of any length"


class BytearrayOf(ListOf):
    """The type of a bytearray, which is stored like a list of ints."""

    def __str__(self) -> str:
        return "a bytearray"


@dataclass(frozen=True)
class ArrayOf(Type):
    """The type of an array, whose operands are the address of its elements and its shape.

    Attributes:
        dtype: numpy's name of the element type.
        ndim: Number of dimensions.
        fixed: Whether it is read-only.
    """

    dtype: str
    ndim: int
    fixed: bool = False

    @property
    def irs(self) -> tuple[str, ...]:  # type: ignore[override] # a property instead of an attribute
        return ("ptr",) + ("i64",) * self.ndim

    @property
    def writable(self) -> ArrayOf:
        """The same type for arrays that are not read-only."""
        return replace(self, fixed=False)

    def __str__(self) -> str:
        said = "a read-only array" if self.fixed else "an array"
        return f"{said} of {self.dtype}" + f", {self.ndim} dimensions" * (self.ndim > 1)


@dataclass(frozen=True, eq=False)
class ObjectOf(Type):
    """The type of a component, whose operand is the address of its block; equal if the layout is the same."""

    layout: Any
    irs: tuple[str, ...] = ("ptr",)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectOf) and self.layout is other.layout

    def __hash__(self) -> int:
        return id(self.layout)

    def __str__(self) -> str:
        return f"a {self.layout.cls.__name__}"


@dataclass(frozen=True)
class OptionalOf(Type):
    """The type of a value that may be None; the last of its operands is whether it is not None."""

    of: Type

    @property
    def irs(self) -> tuple[str, ...]:  # type: ignore[override] # a property instead of an attribute
        return (*self.of.irs, "i1")

    def __str__(self) -> str:
        return f"{self.of} or None"


@dataclass(eq=False)
class Content:
    """The item types of a dictionary, set or list on the heap, as far as they are known.

    All references to a container share one content, so that a type inferred through one is known for all.

    Attributes:
        what: Name of the container in messages.
        key: Type of the keys; UNKNOWN for a list.
        value: Type of the values or of the items of a list; NONE for a set.
        default: The `default_factory`, for a `defaultdict`; for a deque, its `maxlen`.
        fixed: Whether the types can no longer change, since such a container exists in memory.
        owned: Whether the container is an attribute of a component, and outlives the call.
        is_list: Whether the container is a list.
        used: Whether any compiled method uses the container, if it is an attribute.
        constant: Whether the container is a constant of a module, class or game, which cannot be changed.
        cause: The error because of which a method that may fill the container does not compile.
        same: Another content that this one was joined with.
    """

    what: str
    key: Type = UNKNOWN
    value: Type = UNKNOWN
    default: Any = None
    fixed: bool = False
    owned: bool = False
    used: bool = False
    is_list: bool = False
    constant: bool = False
    cause: Any = None
    same: Content | None = None
    changes: ClassVar[int] = 0  # number of changes of the types of any content

    def widen(self, key: Type, value: Type) -> None:
        """Widen the types of keys and values to include these types, or raise NoJoin."""
        found = self.last()
        kinds = join_parts(found.key, key), join_parts(found.value, value)
        if kinds != (found.key, found.value):
            if found.fixed:
                raise NoJoin
            found.key, found.value = kinds
            Content.changes += 1

    @property
    def settled(self) -> bool:
        """Whether the types of keys and values are known; a list has no keys."""
        if isinstance(self.value, ContainerOf) and self.is_list:
            return self.value.content.last().settled
        return self.value is not UNKNOWN and (self.is_list or self.key is not UNKNOWN)

    def fix(self) -> None:
        """Make the types final, including those of inner lists."""
        found = self.last()
        found.fixed = True
        if isinstance(found.value, ContainerOf):
            found.value.content.fix()

    def last(self) -> Content:
        """Return the content that this one was last joined with, or this one if there is none."""
        found = self
        while found.same:
            found = found.same
        return found

    def __repr__(self) -> str:
        found = self.last()
        return f"{found.what} {found.key!r} {found.value!r}"


@dataclass(frozen=True, eq=False)
class ContainerOf(Type):
    """The type of a container on the heap, whose operand is the address of its header."""

    content: Content
    irs: tuple[str, ...] = ("ptr",)
    in_region = True

    def __eq__(self, other: object) -> bool:
        same = type(self) is type(other)
        return same and self.content.last() is other.content.last()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(type(self))


class DictOf(ContainerOf):
    """The type of a dictionary."""

    def __str__(self) -> str:
        return "a dictionary"


class SetOf(ContainerOf):
    """The type of a set."""

    def __str__(self) -> str:
        return "a set"


@dataclass(frozen=True)
class ViewOf(Type):
    """The type of the keys, values or items of a dictionary."""

    of: Type
    what: str
    irs: tuple[str, ...] = ("ptr",)
    in_region = True

    def __str__(self) -> str:
        return f"the {self.what} of {self.of}"


class VectorOf(ContainerOf):
    """The type of a list on the heap, which may have several references and any length."""

    def __str__(self) -> str:
        return "a list"


class DequeOf(VectorOf):
    """The type of a deque."""

    def __str__(self) -> str:
        return "a deque"


@dataclass(frozen=True)
class RecordOf(Type):
    """The type of an object of a user-defined class, or None; the operand is its address, 0 for None."""

    cls: Any
    irs: tuple[str, ...] = ("ptr",)
    in_region = True

    def __str__(self) -> str:
        return f"a {self.cls.__name__}"


# for each dtype: LLVM type, size in bytes, type of an element when read, and conversion
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
    """The type of `MISSING`, the `const` of a value that is not constant."""


MISSING: Any = Missing()


@dataclass(frozen=True)
class Value:
    """A value in compiled code.

    Attributes:
        type: Type of the value.
        ops: LLVM operands.
        const: The Python value, if known at compile time, else MISSING.
        fresh: Whether it is a new list without other references.
    """

    type: Type
    ops: tuple[str, ...] = ()
    const: Any = field(default=MISSING, compare=False)
    fresh: bool = field(default=False, compare=False)

    @property
    def op(self) -> str:
        return (
            self.ops[0] if self.ops else "undef"
        )  # "undef" if the type is not known yet; the function is then rewritten once it is known

    @property
    def known(self) -> bool:
        return self.const is not MISSING

    @property
    def item(self) -> Type:
        """The type of a list's items."""
        assert isinstance(self.type, ListOf)
        return self.type.item

    @property
    def length(self) -> Value:
        """The number of items of a list, or of an array's first dimension, as an int."""
        return Value(INT, (self.ops[1],))

    @property
    def array(self) -> ArrayOf:
        """The type of an array."""
        assert isinstance(self.type, ArrayOf)
        return self.type

    @property
    def layout(self) -> Any:
        """The layout of a component."""
        assert isinstance(self.type, ObjectOf)
        return self.type.layout


def value_of(kind: Type, ops: tuple[str, ...] = (), fresh: bool = False) -> Value:
    """Return a value with a type and operands, and with the constant that the type implies, if any."""
    const = kind.thing if isinstance(kind, Known) else None if kind is NONE else MISSING
    return Value(kind, ops, const, fresh)


class NoJoin(Exception):
    """Raised if two types have no common type."""


def clash(what: str, one: Type, other: Type) -> str:
    """Return the message that something has two types which have no common type."""
    if isinstance(one, Known) and isinstance(other, Known) and type(one.thing) is type(other.thing):
        return f"{what} is {one}, which cannot change in compiled code"
    kind = "one of another kind" if str(one) == str(other) else str(other)
    return f"{what} is {one} and cannot also be {kind}"


def join(one: Type, other: Type) -> Type:
    """Return the type of a variable that may have either of two types, or raise NoJoin."""
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
        return Tuple(tuple(map(join_parts, one.items, other.items)), one.cls)
    if (texts := text_class(one)) and texts is text_class(other):
        return joined_texts(one, other)
    if isinstance(one, ListOf) and isinstance(other, ListOf) and type(one) is type(other):
        if one.row == other.row:
            return type(one)(join_items(one.item, other.item), row=one.row)
        raise NoJoin
    if isinstance(one, ArrayOf) and isinstance(other, ArrayOf) and one.writable == other.writable:
        return replace(one, fixed=True)
    if isinstance(one, ContainerOf) and type(one) is type(other):
        return joined_containers(one, other)
    if NONE in (one, other) or isinstance(one, OptionalOf) or isinstance(other, OptionalOf):
        return joined_with_none(one, other)
    raise NoJoin


def join_parts(one: Type, other: Type) -> Type:
    """Return the type of an item of a tuple that may have either of two types, or raise NoJoin."""
    made = join(one, other)
    if isinstance(made, TextOf) and not made.row:  # in the frame, where another text may take its place
        raise NoJoin
    return made


def text_class(kind: Type) -> type | None:
    """Return `str` or `bytes` for a type of texts or bytes, also of a known one; None for other types."""
    if isinstance(kind, Known):
        return type(kind.thing) if type(kind.thing) in (str, bytes) else None
    return kind.cls if isinstance(kind, Text | TextOf) else None


def known_text(kind: Type) -> Type:
    """Return the type of a known text as that of one of its length; others are returned unchanged."""
    if isinstance(kind, Known) and (cls := text_class(kind)):
        return Text(len(kind.thing), cls)
    return kind


def joined_texts(one: Type, other: Type) -> Type:
    """Return the type of a text that may have either of two types, or raise NoJoin."""
    one, other = known_text(one), known_text(other)
    if one == other:
        return one
    if any(isinstance(kind, TextOf) and kind.row for kind in (one, other)):
        raise NoJoin
    kind = one if isinstance(one, Text) else other
    assert isinstance(kind, Text)
    return TextOf(kind.item)


def join_items(before: Type, given: Type) -> Type:
    """Return the type of a list's items of two types: for tuples of different lengths, of any length."""
    pair = before, given
    lengths = {len(kind.items) for kind in pair if isinstance(kind, Tuple) and kind.cls is None}
    varies = any(isinstance(kind, TupleOf) and not isinstance(kind, TextOf) for kind in pair)
    if not (len(lengths) == 2 or (len(lengths) == 1 and varies)):
        return join_parts(before, given)
    found: Type = UNKNOWN
    for kind in pair:
        for part in kind.items if isinstance(kind, Tuple) else (getattr(kind, "item", UNKNOWN),):
            found = join_parts(found, part)
    return TupleOf(found, row=True)


def joined_containers(one: ContainerOf, other: Any) -> ContainerOf:
    """Return the common type of two containers, after joining their contents, or raise NoJoin."""
    a, b = one.content.last(), other.content.last()
    if (a.fixed and b.fixed) or a.default is not b.default:
        raise NoJoin
    if b.fixed:
        a, b = b, a
    key, value = join_parts(a.key, b.key), join_parts(a.value, b.value)
    if a.fixed and (key, value) != (a.key, a.value):
        raise NoJoin
    a.key, a.value, b.same = key, value, a
    Content.changes += 1
    return one


def joined_with_none(one: Type, other: Type) -> Type:
    """Return the common type of two types if one or both may be None, or raise NoJoin."""
    pair = (one, other)
    inner = [
        kind.of if isinstance(kind, OptionalOf) else known_text(kind) for kind in pair if kind is not NONE
    ]
    of = join(*inner) if len(inner) == 2 else inner[0]
    if isinstance(of, RecordOf):
        return of
    if of in NUMBERS or isinstance(of, Tuple | Text):
        return OptionalOf(of)
    raise NoJoin


def unsettled(kind: object) -> bool:
    """Return whether a type, or the type of its items, is not known yet."""
    if isinstance(kind, Tuple):
        return any(map(unsettled, kind.items))
    if isinstance(kind, OptionalOf):
        return unsettled(kind.of)
    return unsettled(kind.item) if isinstance(kind, ListOf) else kind is UNKNOWN


def is_nested(kind: Type) -> bool:
    """Return whether a type is of a text, or of a tuple of ints and of texts or such tuples, at any depth."""
    if isinstance(kind, Text):
        return kind.length > 1
    return (
        isinstance(kind, Tuple)
        and any(isinstance(item, Tuple | Text) for item in kind.items)
        and {*kind.irs} == {INT.irs[0]}
    )


def longest_text(kind: Type) -> int:
    """Return the length of the longest text in values of a type; 0 if there is none."""
    if isinstance(kind, Tuple):
        return max(map(longest_text, kind.items), default=0)
    return kind.length if isinstance(kind, Text) else 0


def type_of(value: object) -> Type | None:
    """Return the type of a number, a text, bytes, or a tuple of these; None for other values."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT if -(2**63) <= value < 2**63 else None
    if isinstance(value, float):
        return FLOAT
    if type(value) in (str, bytes):
        return Text(len(value), type(value))  # type: ignore[arg-type] # it has a length
    if isinstance(value, tuple):
        items = tuple(kind for kind in map(type_of, value) if kind)
        if len(items) == len(value):
            return Tuple(items, type(value) if hasattr(value, "_fields") else None)
    return None


def slot(kind: Type) -> str:
    """Return the LLVM type of a list's items."""
    irs = kind.irs or ("i64",)
    return irs[0] if len(irs) == 1 else f"{{ {', '.join(irs)} }}"


ANNOTATED = {"int": INT, "float": FLOAT, "bool": BOOL}


def literal(value: float) -> str:
    """Return a number as a literal of LLVM assembly."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
