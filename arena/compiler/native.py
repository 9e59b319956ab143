"""Lists, dictionaries and sets of components, stored in memory that compiled code reads and writes.

The attribute is replaced by a `NativeList`, `NativeDict`, `NativeDefaultDict` or `NativeSet`, which behaves
like the original. While compiled code uses it, its content is in a table; see `hashing.py`. When Python first
reads it, the content is copied from the table. If Python changes it, the content is copied back to a table
before the next call of compiled code. Whole matches run without copies.
"""

from __future__ import annotations

import ctypes
import struct
import sys
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, MutableSet, Sequence
from typing import Any, Concatenate, ParamSpec, SupportsIndex, TypeAlias, TypeVar

from arena.api.words import codes_of, text_of
from arena.compiler.hashing import COUNT, ENTRIES, HEADER, INDEX, LEAST, MASK, ROOM, USED, hash_of
from arena.compiler.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    UNKNOWN,
    Content,
    NoJoin,
    OptionalOf,
    Text,
    Tuple,
    Type,
    VectorOf,
    join_parts,
    type_of,
)

BASE, BOTH, TABLE = range(3)  # where the current content is: in the Python object, in both, in the table
EXACT = 1 << 53  # ints up to this absolute value are exact as floats

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")
N = TypeVar("N", bound="Native")
Header: TypeAlias = "ctypes.Array[ctypes.c_int64]"
Rebuilt: TypeAlias = tuple[type, tuple[object, ...]]  # the result of `__reduce_ex__`: callable and arguments


class Misfit(Exception):
    """Raised for a value of another type than compiled code expects."""


# --- values as words ----------------------------------------------------------------------------------------


def words_of(value: object, kind: Type) -> list[int]:
    """Return a value of a type as words of memory, or raise Misfit if it is not of this type."""
    if isinstance(kind, OptionalOf):
        return [0] * len(kind.irs) if value is None else [*words_of(value, kind.of), 1]
    if kind is NONE and value is None:
        return []
    if isinstance(kind, Text):
        if not isinstance(value, str | bytes) or type(value) is not kind.cls or len(value) != kind.length:
            raise Misfit
        return [*codes_of(value)]
    if isinstance(kind, Tuple):
        if type(value) is not (kind.cls or tuple) or len(value) != len(kind.items):
            raise Misfit
        return [word for item, of in zip(value, kind.items, strict=True) for word in words_of(item, of)]
    if kind is FLOAT and (type(value) is int or type(value) is bool) and abs(value) <= EXACT:
        value = float(value)
    if kind is FLOAT and type(value) is float:
        return [struct.unpack("<q", struct.pack("<d", value))[0]]
    if type(value) is bool and kind in (INT, BOOL):
        return [int(value)]
    if type(value) is int and kind is INT and -(2**63) <= value < 2**63:
        return [value]
    raise Misfit


def value_of(words: Iterator[int], kind: Type) -> object:
    """Return a value of a type, after taking its words from an iterator."""
    if isinstance(kind, OptionalOf):
        value = value_of(words, kind.of)
        return value if next(words) else None
    if isinstance(kind, Text):
        return text_of(kind.cls, [next(words) for _ in range(kind.length)])
    if isinstance(kind, Tuple):
        items = [value_of(words, of) for of in kind.items]
        return kind.cls._make(items) if kind.cls else tuple(items)
    if kind is NONE:
        return None
    word = next(words)
    if kind is FLOAT:
        return struct.unpack("<d", struct.pack("<q", word))[0]
    return bool(word) if kind is BOOL else word


def kind_of(values: Iterable[object]) -> Type | None:
    """Return the common type of values: UNKNOWN if there are no values, None if they have no common type."""
    found: Type = UNKNOWN
    for value in values:
        kind = NONE if value is None else type_of(value)
        if kind is None:
            return None
        try:
            found = join_parts(found, kind)
        except NoJoin:
            return None
    return found


def has_float(kind: Type) -> bool:
    return kind is FLOAT or (isinstance(kind, Tuple) and any(map(has_float, kind.items)))


# --- tables -------------------------------------------------------------------------------------------------


class Memory:
    """A hash table in newly allocated memory, which is freed with this object.

    Attributes:
        content: The types of keys and values.
        address: Address of the header.
    """

    def __init__(self, content: Content) -> None:
        self.content = content
        self.header = (ctypes.c_int64 * HEADER)()
        self.address = ctypes.addressof(self.header)
        weakref.finalize(self, free, self.header)

    def fill(self, items: Sequence[tuple[object, object]]) -> None:
        """Replace the content, or raise Misfit if a key or value has the wrong type."""
        kinds = self.content.key, self.content.value
        whole, places = laid_out(
            [(words_of(key, kinds[0]), words_of(value, kinds[1])) for key, value in items]
        )
        free(self.header)
        room, words = len(places) // 2, 1 + len(kinds[0].irs) + len(kinds[1].irs)
        entries, index = new_memory(8 * words * room), new_memory(8 * room)
        for address, kind, content in (
            (entries, ctypes.c_int64, whole),
            (index, ctypes.c_uint32, places),
        ):
            copied = (kind * len(content))(*content)
            ctypes.memmove(address, copied, ctypes.sizeof(copied))
        header, rows = self.header, items
        header[COUNT], header[USED], header[ROOM], header[MASK] = len(rows), len(rows), room, 2 * room - 1
        header[INDEX], header[ENTRIES] = index, entries

    def items(self) -> Iterator[tuple[object, object]]:
        """Yield the keys and values, in order of insertion."""
        key, value, used = self.content.key, self.content.value, self.header[USED]
        words = 1 + len(key.irs) + len(value.irs)
        if not used:
            return
        whole = (ctypes.c_int64 * (words * used)).from_address(self.header[ENTRIES])
        for at in range(0, words * used, words):
            if whole[at]:
                row = iter(whole[at + 1 : at + words])
                yield value_of(row, key), value_of(row, value)

    def image(self) -> bytes:
        """Return the entries as bytes: equal bytes of tables of the same types are equal content."""
        words = 1 + len(self.content.key.irs) + len(self.content.value.irs)
        return (
            ctypes.string_at(self.header[ENTRIES], 8 * words * self.header[USED])
            if self.header[USED]
            else b""
        )


def laid_out(rows: Sequence[tuple[list[int], list[int]]]) -> tuple[list[int], list[int]]:
    """Return the words of a table's entries, and its index, for keys and values that are given as words."""
    room, entries = LEAST, []
    while room < len(rows):
        room *= 2
    index = [0] * (2 * room)
    for i, (key, value) in enumerate(rows):
        hashed = hash_of(key)
        entries += [signed(hashed), *key, *value]
        at = hashed % (2 * room)
        while index[at]:
            at = (at + 1) % (2 * room)
        index[at] = i + 1
    return entries, index


class ItemMemory:
    """The items of a list in newly allocated memory, which is freed with this object; see `vectors.py`.

    Attributes:
        content: The type of the items.
        address: Address of the header: the number of items, the room for them, and their address.
        lists: Memory of each item, if the items are lists.
    """

    def __init__(self, content: Content) -> None:
        self.content = content
        self.header = (ctypes.c_int64 * HEADER)()
        self.address = ctypes.addressof(self.header)
        self.format, self.lists = formatted(content.value), list[ItemMemory]()
        weakref.finalize(self, free_items, self.header)

    def fill(self, items: Sequence[tuple[Any, object]]) -> None:
        """Replace the items, or raise Misfit if one has the wrong type."""
        if isinstance(self.content.value, VectorOf):
            content, lists = self.content.value.content.last(), [item for item, _ in items]
            if not all(type(item) is list for item in lists):
                raise Misfit
            self.lists = [ItemMemory(content) for _ in lists]
            for memory, item in zip(self.lists, lists, strict=True):
                memory.fill([(one, None) for one in item])
            rows = [self.format.pack(memory.address) for memory in self.lists]
        else:
            rows = [self.format.pack(*words_of(item, self.content.value)) for item, _ in items]
        free_items(self.header)
        data = b"".join(rows)
        if data:
            self.header[2] = new_memory(len(data))
            ctypes.memmove(self.header[2], data, len(data))
        self.header[0] = self.header[1] = len(rows)

    def items(self) -> Iterator[tuple[object, object]]:
        """Yield pairs of an item and None, like the keys and values of a table."""
        for item in items_at(self.header, self.content):
            yield item, None

    def image(self) -> bytes | None:
        """Return the items as bytes, as for a table; None for lists of lists."""
        if isinstance(self.content.value, VectorOf) or not self.format.size:
            return None
        size = self.header[0] * self.format.size
        return ctypes.string_at(self.header[2], size) if size else b""


def items_at(header: Any, content: Content) -> Iterator[Any]:
    """Yield the items of the list with this header."""
    kind, form = content.value, formatted(content.value)
    count, size = header[0], form.size
    data = ctypes.string_at(header[2], count * size) if count and size else b""
    for row in form.iter_unpack(data) if size else [()] * count:  # None takes no memory
        if isinstance(kind, VectorOf):
            yield list(items_at((ctypes.c_int64 * HEADER).from_address(row[0]), kind.content.last()))
        else:
            yield value_of(iter(row), kind)


def formatted(kind: Type) -> struct.Struct:
    """Return the memory format of a list item of a type, with each operand as an int."""
    codes = "".join("B" if ir == "i1" else "q" for ir in kind.irs)
    return struct.Struct(f"@{codes}0q" if "q" in codes else f"@{codes}")


def free_items(header: Header) -> None:
    """Free the items of a list."""
    system.free(header[2] or None)
    header[0] = header[1] = header[2] = 0


def signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def library() -> ctypes.CDLL:
    found = ctypes.CDLL(None) if sys.platform != "win32" else ctypes.cdll.msvcrt
    found.malloc.restype, found.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    found.free.restype, found.free.argtypes = None, [ctypes.c_void_p]
    return found


system = library()


def new_memory(size: int) -> int:
    """Allocate `size` bytes and return their address, or raise MemoryError."""
    found = system.malloc(size)
    if not found:
        raise MemoryError
    return int(found)


def free(header: Header) -> None:
    """Free the memory of a table."""
    for word in (INDEX, ENTRIES):
        system.free(header[word] or None)
        header[word] = 0
    header[COUNT] = header[USED] = header[ROOM] = header[MASK] = 0


# --- as Python sees them ------------------------------------------------------------------------------------


class Native:
    """Base of lists, dictionaries and sets that share their content with compiled code through a table.

    Attributes:
        memory: The table; None before the first call of compiled code.
        where: Location of the current content: BASE, BOTH or TABLE.
    """

    memory: Memory | ItemMemory | None
    where: int
    new_memory: type[Memory | ItemMemory] = Memory

    def begin(self) -> None:
        self.memory, self.where = None, BASE

    def lend(self, content: Content) -> int | None:
        """Move the content to the table, for compiled code to use, and return the address of its header.

        Return None if a key or value is not of the types of `content`.
        """
        if self.memory is None or self.memory.content is not content:
            self.look()
            self.memory, self.where = self.new_memory(content), BASE
        if self.where == BASE:
            try:
                self.memory.fill(self.base_items())
            except Misfit:
                return None
        self.where = TABLE
        return self.memory.address

    def look(self) -> None:
        """Copy the content to the Python object if necessary, before Python reads it."""
        if self.where == TABLE:
            assert self.memory
            self.where = BOTH
            self.take(self.memory.items())

    def change(self) -> None:
        """Copy the content to the Python object if necessary, before Python changes it."""
        self.look()
        self.where = BASE

    def image(self) -> tuple[Content, bytes] | None:
        """Return the types and bytes of the content, which are quick to compare.

        None if the content is not in the table, or cannot be compared by bytes.
        """
        if self.memory is None or self.where == BASE or (found := self.memory.image()) is None:
            return None
        return self.memory.content, found

    def base_items(self) -> list[tuple[object, object]]:
        raise NotImplementedError

    def take(self, items: Iterator[tuple[object, object]]) -> None:
        raise NotImplementedError


READING = (
    "__contains__", "__eq__", "__getitem__", "__iter__", "__len__", "__ne__", "__or__", "__repr__",
    "__reversed__", "__ror__", "get", "items", "keys", "values", "__lt__", "__le__", "__gt__", "__ge__",
)  # fmt: skip
WRITING = ("__delitem__", "__ior__", "__setitem__", "clear", "pop", "popitem", "setdefault", "update")


READING_LISTS = "__add__", "__mul__", "__rmul__", "count", "index"
WRITING_LISTS = "append", "extend", "insert", "remove", "reverse", "sort", "__iadd__", "__imul__"


def looking(method: Callable[Concatenate[N, P], R], changes: bool) -> Callable[Concatenate[N, P], R]:
    """Return a container's method, wrapped so that it first copies the content to the Python object."""

    def run(self: N, /, *args: P.args, **named: P.kwargs) -> R:
        (self.change if changes else self.look)()
        return method(self, *args, **named)

    return run


class NativeDict(dict[object, object], Native):
    """The `dict` in an attribute of a component."""

    def __init__(self, base: dict[object, object]) -> None:
        self.begin()
        dict.update(self, base)

    def base_items(self) -> list[tuple[object, object]]:
        return list(dict.items(self))

    def take(self, items: Iterator[tuple[object, object]]) -> None:
        dict.clear(self)
        dict.update(self, items)

    def copy(self) -> dict[object, object]:
        self.look()
        return dict(dict.items(self))

    def __copy__(self) -> dict[object, object]:
        return self.copy()

    def __reduce_ex__(self, protocol: SupportsIndex) -> Rebuilt:
        return dict, (self.copy(),)


class NativeDefaultDict(defaultdict[object, object], Native):
    """The `defaultdict` in an attribute of a component."""

    def __init__(self, base: defaultdict[object, object]) -> None:
        self.begin()
        defaultdict.__init__(self, base.default_factory)
        dict.update(self, base)

    base_items, take = NativeDict.base_items, NativeDict.take

    def copy(self) -> defaultdict[object, object]:  # type: ignore[override] # an ordinary defaultdict
        self.look()
        return defaultdict(self.default_factory, dict.items(self))

    def __copy__(self) -> defaultdict[object, object]:  # type: ignore[override]
        return self.copy()

    def __reduce_ex__(self, protocol: SupportsIndex) -> Rebuilt:
        return defaultdict, (self.default_factory, dict(self.copy()))


def copied_list(items: list[Any]) -> list[Any]:
    """Return a copy of a list, and of the lists in it."""
    return [copied_list(item) if type(item) is list else item for item in items]


class NativeList(list[object], Native):
    """The `list` in an attribute of a component."""

    new_memory = ItemMemory

    def __init__(self, base: list[object]) -> None:
        self.begin()
        list.extend(self, base)

    def base_items(self) -> list[tuple[object, object]]:
        return [(item, None) for item in list.__iter__(self)]

    def take(self, items: Iterator[tuple[object, object]]) -> None:
        list.clear(self)
        list.extend(self, (item for item, _ in items))

    def lend(self, content: Content) -> int | None:
        nested = isinstance(content.value, VectorOf) and self.where != TABLE
        if nested and any(sys.getrefcount(item) > 3 for item in list.__iter__(self)):  # referenced elsewhere
            return None
        return super().lend(content)

    def look(self) -> None:
        looks = self.where == TABLE
        super().look()
        if looks and self.memory and isinstance(self.memory.content.value, VectorOf):
            self.where = BASE  # Python may change the inner lists unnoticed

    def copy(self) -> list[object]:
        self.look()
        return copied_list(list(list.__iter__(self)))

    def __copy__(self) -> list[object]:
        return self.copy()

    def __radd__(self, other: list[object]) -> list[object]:
        return other + self.copy()

    def __reduce_ex__(self, protocol: SupportsIndex) -> Rebuilt:
        return list, (self.copy(),)


for name in (*READING, *READING_LISTS):
    if name in vars(list):
        setattr(NativeList, name, looking(vars(list)[name], changes=False))
for name in (*WRITING, *WRITING_LISTS):
    if name in vars(list):
        setattr(NativeList, name, looking(vars(list)[name], changes=True))
for cls, base in ((NativeDict, dict), (NativeDefaultDict, defaultdict)):
    for name in {*READING, *WRITING} & {*dir(base)}:
        inserts = cls is NativeDefaultDict and name == "__getitem__"
        setattr(cls, name, looking(getattr(base, name), inserts or name in WRITING))


class NativeSet(MutableSet[object], Native):
    """The `set` in an attribute of a component."""

    def __init__(self, base: Iterable[object]) -> None:
        self.begin()
        self.base = set(base)

    def base_items(self) -> list[tuple[object, object]]:
        return [(key, None) for key in self.base]

    def take(self, items: Iterator[tuple[object, object]]) -> None:
        self.base = {key for key, _ in items}

    def __contains__(self, key: object) -> bool:
        self.look()
        return key in self.base

    def __iter__(self) -> Iterator[object]:
        self.look()
        return iter(self.base)

    def __len__(self) -> int:
        self.look()
        return len(self.base)

    def add(self, value: object) -> None:
        self.change()
        self.base.add(value)

    def discard(self, value: object) -> None:
        self.change()
        self.base.discard(value)

    def update(self, *others: Iterable[object]) -> None:
        self.change()
        self.base.update(*others)

    def copy(self) -> set[object]:
        self.look()
        return set(self.base)

    def __copy__(self) -> set[object]:
        return self.copy()

    def __reduce_ex__(self, protocol: SupportsIndex) -> Rebuilt:
        return set, (list(self),)

    def __repr__(self) -> str:
        self.look()
        return repr(self.base)

    @classmethod
    def _from_iterable(cls, it: Iterable[T]) -> MutableSet[T]:
        return set(it)


NATIVE: dict[type, Callable[[Any], Native]] = {
    dict: NativeDict,
    defaultdict: NativeDefaultDict,
    set: NativeSet,
    list: NativeList,
}


def references(attributes: dict[str, object], name: str) -> int:
    return sys.getrefcount(attributes[name])


ALONE = references({"value": []}, "value")  # reference count of a value without other references


def is_shared(attributes: dict[str, object], name: str) -> bool:
    """Return whether an attribute's value has other references, through which it could be changed."""
    return references(attributes, name) > ALONE


def native(attributes: dict[str, object], name: str) -> Native | None:
    """Replace the list, dictionary or set in an attribute by a `Native` one, and return it.

    Return None if it is referenced elsewhere.
    """
    kind = type(attributes[name])
    if kind in NATIVE:
        if is_shared(attributes, name):
            return None
        attributes[name] = NATIVE[kind](attributes[name])
    found = attributes[name]
    return found if isinstance(found, Native) else None


def kind_of_lists(name: str, value: list[Any]) -> Type | None:
    """Return the type of the items of a list of lists; None if the items are not lists."""
    if not value or not all(type(item) is list for item in value):
        return None
    content = content_of(f"{name}[…]", [part for item in value for part in item])
    return None if isinstance(content, str) else VectorOf(content)


def content_of(name: str, value: Any) -> Content | str:
    """Return the content types of a container, as far as known, or why compiled code cannot use it."""
    is_set = isinstance(value, set | frozenset | NativeSet)
    default = getattr(value, "default_factory", None)
    if default not in (None, int, float, bool):
        return "a default_factory other than int, float and bool"
    if isinstance(value, list):
        items = kind_of_lists(name, value) or kind_of(value)
        wrong = (
            "items of different types, or other items than numbers, texts of one length, and tuples of these"
        )
        return wrong if items is None else Content(name, UNKNOWN, items, owned=True, is_list=True)
    key = kind_of(value)
    kind: Type | None = NONE if is_set else kind_of(value.values())
    if key is None or has_float(key):
        return "keys other than ints, texts or tuples of these, all of the same length"
    if kind is None:
        return "values of different types, or other values than numbers, texts of one length, or tuples"
    return Content(name, key, kind, default, owned=True)
