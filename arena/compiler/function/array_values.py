"""Conversions of values to arrays and between dtypes, and broadcasting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.compiler.function.arrays import flat_element, size_of_array, store_element
from arena.compiler.function.comparisons import truth_of
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.lists import load_item
from arena.compiler.function.mathematics import to_int
from arena.compiler.function.memory import allocate
from arena.compiler.function.new_arrays import like, new_array
from arena.compiler.types import (
    BOOL,
    DTYPES,
    FLOAT,
    INT,
    NUMBERS,
    UNKNOWN,
    ArrayOf,
    BytearrayOf,
    Known,
    ListOf,
    Tuple,
    Type,
    Value,
    text_class,
)

NAMES: dict[Type, str] = {INT: "int64", FLOAT: "float64", BOOL: "bool"}
WIDE = ("int64", "float64", "bool")  # dtypes for arithmetic in compiled code


def np_name(kind: Type) -> str:
    """Return numpy's name of the dtype for a number's type."""
    return NAMES[kind]


def kind_of(em: Emitter, value: Value, node: object) -> Any:
    """Return the type of a number or of an array's elements, which must be of a dtype for arithmetic."""
    if isinstance(value.type, ArrayOf):
        dtype = value.type.dtype
        if dtype not in WIDE:
            to = "float" if DTYPES[dtype][2] is FLOAT else "int"
            em.fail(node, f"in compiled code, convert an array of {dtype} by .astype({to}) before arithmetic")
        return DTYPES[dtype][2]
    if value.type not in NUMBERS:
        em.fail(node, f"{value.type} does not support array arithmetic in compiled code")
    return value.type


def as_operand(em: Emitter, value: Value, node: object) -> Value:
    """Convert a list or tuple of numbers to an array; arrays and numbers are returned unchanged."""
    if value.type in NUMBERS or isinstance(value.type, ArrayOf) or value.type is UNKNOWN:
        return value
    return as_array(em, value, node)


def as_array(em: Emitter, value: Value, node: object, dtype: str = "") -> Value:
    """Return a new array of the items of a list or a tuple, as `np.array` does."""
    value = em.materialize(value)
    kind = value.type
    if text_class(kind) or isinstance(kind, BytearrayOf):
        em.fail(node, f"{kind} cannot be converted to an array in compiled code")
    if isinstance(kind, ArrayOf):
        return cast(em, value, dtype or kind.dtype, node, copy=True)
    if isinstance(kind, ListOf) and kind.item in NUMBERS:
        return array_of_list(em, value, dtype or np_name(kind.item), node)
    if isinstance(kind, ListOf) and kind.item is UNKNOWN:
        return Value(UNKNOWN)
    if isinstance(kind, ListOf) and isinstance(kind.item, ListOf):
        return array_of_lists(em, value, kind.item, dtype, node)
    if isinstance(kind, ListOf) and isinstance(kind.item, Tuple):
        return array_of_rows(em, value, dtype, node)
    if isinstance(kind, Tuple) and kind.items:
        return array_of_tuple(em, value, dtype, node)
    if isinstance(kind, Known) and value.const == ():
        return new_array(em, dtype or "float64", [em.constant(0)], node)
    return em.fail(node, f"{kind} cannot be converted to an array in compiled code")


def array_of_list(em: Emitter, items: Value, dtype: str, node: object) -> Value:
    made = new_array(em, dtype, [items.length], node)

    def put(i: Value) -> None:
        put_element(em, made, i, load_item(em, items, i.op), node)

    count_loop(em, em.constant(0), items.length, put)
    return made


def array_of_lists(em: Emitter, rows: Value, kind: ListOf, dtype: str, node: object) -> Value:
    """Return a two-dimensional array whose rows are the lists in a list."""
    if kind.item is UNKNOWN:
        return Value(UNKNOWN)
    if kind.item not in NUMBERS:
        em.fail(node, f"a list of lists of {kind.item} cannot be converted to an array in compiled code")
    none = em.let(f"icmp eq i64 {rows.ops[1]}, 0")
    em.check(none, ValueError, "an array of no rows does not compile", node)
    width = load_item(em, rows, "0").length
    made = new_array(em, dtype or np_name(kind.item), [rows.length, width], node)

    def put(i: Value) -> None:
        row = load_item(em, rows, i.op)
        unlike = em.let(f"icmp ne i64 {row.ops[1]}, {width.op}")
        em.check(unlike, ValueError, "rows of different lengths", node)
        first = em.let(f"mul i64 {i.op}, {width.op}")

        def put_item(j: Value) -> None:
            at = em.let_int(f"add i64 {first}, {j.op}")
            put_element(em, made, at, load_item(em, row, j.op), node)

        count_loop(em, em.constant(0), width, put_item)

    count_loop(em, em.constant(0), rows.length, put)
    return made


def array_of_rows(em: Emitter, rows: Value, dtype: str, node: object) -> Value:
    """Return a two-dimensional array whose rows are the tuples in a list."""
    assert isinstance(rows.item, Tuple)
    kinds, width = rows.item.items, len(rows.item.items)
    if any(kind not in NUMBERS for kind in kinds) or not kinds:
        em.fail(node, f"a list of {rows.item} cannot be converted to an array in compiled code")
    made = new_array(em, dtype or common(kinds), [rows.length, em.constant(width)], node)

    def put(i: Value) -> None:
        first = em.let(f"mul i64 {i.op}, {width}")
        for j, item in enumerate(em.items_of(load_item(em, rows, i.op))):
            put_element(em, made, em.let_int(f"add i64 {first}, {j}"), item, node)

    count_loop(em, em.constant(0), rows.length, put)
    return made


def array_of_tuple(em: Emitter, value: Value, dtype: str, node: object) -> Value:
    items = [em.materialize(item) for item in em.items_of(value)]
    rows = [em.items_of(item) for item in items if isinstance(item.type, Tuple)]
    shape = [em.constant(len(items))]
    if rows:
        if len(rows) != len(items) or len({len(row) for row in rows}) > 1:
            em.fail(node, "rows of different lengths cannot be converted to an array")
        items = [item for row in rows for item in row]
        shape.append(em.constant(len(rows[0])))
    if any(item.type is UNKNOWN for item in items):
        return Value(UNKNOWN)
    if any(item.type not in NUMBERS for item in items):
        em.fail(node, f"{value.type} cannot be converted to an array in compiled code")
    made = new_array(em, dtype or common([item.type for item in items]), shape, node)
    for i, item in enumerate(items):
        put_element(em, made, em.constant(i), item, node)
    return made


def common(kinds: Sequence[Type]) -> str:
    return np_name(max(kinds, key=lambda kind: getattr(kind, "rank", 0)))


def put_element(em: Emitter, array: Value, i: Value, value: Value, node: object) -> None:
    """Set the element of an array at a flat index to a number, after conversion to the dtype."""
    dtype = array.array.dtype
    ir = DTYPES[dtype][0]
    where = em.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {i.op}")
    store_element(em, dtype, where, as_kind(em, value, DTYPES[dtype][2], node), node)


def as_kind(em: Emitter, value: Value, kind: Type, node: object) -> Value:
    """Convert a number to another type, possibly with loss, as `astype` does."""
    if kind is BOOL:
        return truth_of(em, value, node)
    if kind is INT and value.type is FLOAT:
        return to_int(em, value.op, node)
    return em.convert(value, kind, node)


def flat(em: Emitter, array: Value) -> Value:
    """Return an array as one with a single dimension that shares the elements."""
    if array.array.ndim == 1:
        return array
    kind = ArrayOf(array.array.dtype, 1, array.array.fixed)
    return Value(kind, (array.ops[0], size_of_array(em, array)))


def cast(em: Emitter, value: Value, dtype: str, node: object, copy: bool = False) -> Value:
    """Convert a number or an array to a dtype; an array is copied if the dtype differs or `copy` is set."""
    if not isinstance(value.type, ArrayOf):
        return as_kind(em, value, DTYPES[dtype][2], node)
    same = value.type.dtype == dtype
    if same and not copy:
        return value
    made = like(em, value, dtype, node)
    if same:
        size = em.let(f"mul i64 {size_of_array(em, value)}, {DTYPES[dtype][1]}")
        places = f"ptr {made.ops[0]}, ptr {value.ops[0]}"
        em.emit(f"call void @llvm.memcpy.p0.p0.i64({places}, i64 {size}, i1 false)")
        return made
    given = flat(em, value)

    def put(i: Value) -> None:
        put_element(em, made, i, flat_element(em, given, i.op), node)

    count_loop(em, em.constant(0), given.length, put)
    return made


def broadcast(em: Emitter, values: Sequence[Value], node: object) -> list[Value]:
    """Broadcast all arrays among operands to one shape; numbers are returned unchanged."""
    arrays = [value for value in values if isinstance(value.type, ArrayOf)]
    whole = max(arrays, key=lambda value: value.array.ndim)
    found = []
    for value in values:
        if isinstance(value.type, ArrayOf) and value is not whole:
            value = fitted(em, value, whole, node)
        found.append(value)
    return found


def fitted(em: Emitter, value: Value, whole: Value, node: object) -> Value:
    """Broadcast an array to the shape of another, which may have one dimension more."""
    missing = whole.array.ndim - value.array.ndim
    for one, other in zip(value.ops[1:], whole.ops[1 + missing :], strict=True):
        if one != other:
            text = "operands could not be broadcast together"
            em.check(em.let(f"icmp ne i64 {one}, {other}"), ValueError, text, node)
    if not missing:
        return value
    if missing > 1 or value.array.ndim > 1:
        em.fail(node, f"{value.type} and {whole.type} cannot be broadcast in compiled code")
    return repeated_rows(em, value, whole, node)


def repeated_rows(em: Emitter, row: Value, whole: Value, node: object) -> Value:
    size = em.let(f"mul i64 {row.ops[1]}, {DTYPES[row.array.dtype][1]}")
    whole_size = em.let(f"mul i64 {size}, {whole.ops[1]}")
    where = allocate(em, em.let(f"add i64 {whole_size}, 1"), node)

    def put(i: Value) -> None:
        place = em.let(f"getelementptr i8, ptr {where}, i64 {em.let(f'mul i64 {i.op}, {size}')}")
        em.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr {row.ops[0]}, i64 {size}, i1 false)")

    count_loop(em, em.constant(0), Value(INT, (whole.ops[1],)), put)
    return Value(ArrayOf(row.array.dtype, 2), (where, *whole.ops[1:]))
