"""Subscripts, lengths, and `in`."""

from __future__ import annotations

import ast
from typing import Any

from arena.compiler.function.array_values import as_array, cast
from arena.compiler.function.arrays import (
    array_slice,
    check_writable,
    element,
    element_place,
    fill_array,
    store_element,
)
from arena.compiler.function.calls import call_method
from arena.compiler.function.comparisons import compared
from arena.compiler.function.dictionaries import delete_item, dict_item, has_key, length, put
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import Slice, checked_index, slice_bounds
from arena.compiler.function.list_methods import position
from arena.compiler.function.lists import (
    as_item,
    check_room,
    copy_of,
    item_place,
    load_item,
    store_item,
    strided,
)
from arena.compiler.function.memory import holds_rows, needs_links
from arena.compiler.function.names import constant_from
from arena.compiler.function.registry import lowers_node
from arena.compiler.function.texts import converted_byte, text_contains, text_item
from arena.compiler.function.vectors import as_list, set_vector_item
from arena.compiler.types import (
    INT,
    NONE,
    NUMBERS,
    SPARE,
    UNKNOWN,
    ArrayOf,
    BytearrayOf,
    ContainerOf,
    DequeOf,
    DictOf,
    ListOf,
    NoJoin,
    ObjectOf,
    OptionalOf,
    SetOf,
    Text,
    Tuple,
    TupleOf,
    Type,
    Value,
    VectorOf,
    ViewOf,
    join_parts,
    slot,
    text_class,
    unsettled,
)


def subscript(em: Emitter, node: ast.expr) -> list[Any]:
    """Return the indices in brackets: values, or slices as pairs of values."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return [slice_parts(em, part) if isinstance(part, ast.Slice) else expression(em, part) for part in parts]


def slice_parts(em: Emitter, node: ast.Slice) -> Slice:
    """Return the bounds of a slice, and its step unless it is 1."""
    low, high, step = (expression(em, part) if part else None for part in (node.lower, node.upper, node.step))
    if step is None or step.const == 1:
        return low, high
    if not isinstance(step.const, int) or step.const == 0:
        em.fail(node, "in compiled code, the step of a slice must be a constant other than 0")
    return low, high, step.const


def item_of(em: Emitter, owner: Value, at: list[Any], node: Any) -> Value:
    """Return an item or a slice of a value."""
    is_vector = isinstance(owner.type, VectorOf)
    if isinstance(owner.type, DequeOf) and isinstance(at[0], tuple):
        em.fail(node, "a deque has no slices")
    owner = as_list(em, owner)
    if isinstance(owner.const, dict):
        return constant_item(em, owner, key_of(em, at, node), node)
    kind = owner.type
    if kind is UNKNOWN or any(isinstance(x, Value) and x.type is UNKNOWN for x in at):
        return Value(UNKNOWN)
    if isinstance(kind, ObjectOf):
        key = at[0] if len(at) == 1 else em.tuple_of(at)
        return call_method(em, owner, "__getitem__", [key], {}, node)
    if isinstance(kind, ArrayOf):
        return (array_slice if isinstance(at[0], tuple) else element)(em, owner, at, node)
    if isinstance(kind, DictOf):
        return dict_item(em, owner, key_of(em, at, node), node)
    if isinstance(kind, OptionalOf):
        return item_of(em, em.required(owner, node), at, node)
    if len(at) != 1:
        em.fail(node, f"{kind} has only one index")
    if isinstance(kind, Text) or isinstance(owner.const, str | bytes):
        return text_item(em, owner, at[0], node)
    if isinstance(kind, ListOf):
        if isinstance(at[0], tuple):
            if len(at[0]) > 2:
                return strided(em, owner, at[0], node)
            low, n = slice_bounds(em, at[0], owner.ops[1], node)
            if is_vector:
                check_room(em, n, node)
            return copy_of(em, Value(kind, (item_place(em, kind.item, owner.ops[0], low), n)))
        check = (node.lineno, node.col_offset) in em.unit.own_items
        return load_item(em, owner, checked_index(em, at[0], owner.ops[1], node, "list", check))
    if isinstance(owner.const, tuple) or isinstance(kind, Tuple):
        return tuple_item(em, owner, at[0], node)
    return em.fail(node, f"{kind} has no items in compiled code")


def constant_item(em: Emitter, owner: Value, key: Value, node: object) -> Value:
    """Return the value of a constant dictionary for a key."""
    if key.known and key.const in owner.const:
        return constant_from(em, owner.const[key.const], node, f"an item of {owner.type.name}")
    return dict_item(em, em.materialize(owner), key, node)


def key_of(em: Emitter, at: list[Any], node: object) -> Value:
    """Return the indices in brackets as the key of a dictionary."""
    if any(isinstance(x, tuple) for x in at):
        em.fail(node, "a dictionary has no slices")
    key: Value = at[0] if len(at) == 1 else em.tuple_of([em.materialize(x) for x in at])
    return key


@lowers_node(ast.Delete)
def lower_delete(em: Emitter, node: ast.Delete) -> None:
    for target in node.targets:
        owner = expression(em, target.value) if isinstance(target, ast.Subscript) else None
        if owner is None or (owner.type is not UNKNOWN and not isinstance(owner.type, DictOf)):
            em.fail(node, "del compiles only for keys of dictionaries")
        assert isinstance(target, ast.Subscript)
        if owner.type is not UNKNOWN:
            delete_item(em, owner, key_of(em, subscript(em, target.slice), node), node)


def listed(em: Emitter, owner: Value, node: object) -> Value:
    """Convert a tuple with items of one type to a tuple of any length, which lies in memory."""
    if isinstance(owner.type, TupleOf):
        return owner
    kind: Type = UNKNOWN
    items = em.items_of(owner)
    for item in items:
        try:
            kind = join_parts(kind, item.type)
        except NoJoin:
            em.fail(node, f"a slice of a tuple of {kind} and {item.type} must have constant bounds")
    place = em.room(slot(kind), len(items) + SPARE)
    for j, item in enumerate(items):
        store_item(em, kind, place, str(j), em.convert(item, kind, node))
    return Value(TupleOf(kind), (place, str(len(items))), fresh=True)


def tuple_item(em: Emitter, owner: Value, at: Any, node: object) -> Value:
    """Return an item or a slice of a tuple."""
    if isinstance(at, tuple):
        if any(x and not x.known for x in at[:2]):
            whole = listed(em, owner, node)
            if len(at) > 2:
                return strided(em, whole, at, node)
            first, n = slice_bounds(em, at, whole.ops[1], node)
            check_room(em, n, node)
            return copy_of(em, Value(whole.type, (item_place(em, whole.item, whole.ops[0], first), n)))
        part = slice(*(x.const if isinstance(x, Value) else x for x in at))
        if isinstance(owner.const, tuple):
            return em.constant(owner.const[part])
        return em.tuple_of(em.items_of(owner)[part])
    if at.known and isinstance(owner.const, tuple):
        try:
            return em.constant(owner.const[at.const], node)
        except (IndexError, TypeError) as error:
            em.fail(node, str(error))
    if at.known:
        items = em.items_of(owner)
        if not isinstance(at.const, int) or not -len(items) <= at.const < len(items):
            em.fail(node, f"{owner.type} has no item {at.const}")
        return items[at.const]
    items = [*map(em.as_texts, em.items_of(owner))]
    if any(unsettled(item.type) for item in items):
        return Value(UNKNOWN)
    kinds: set[Any] = {item.type for item in items}
    kind = (
        kinds.pop()
        if len(kinds) == 1
        else max(kinds, key=lambda kind: kind.rank)
        if kinds <= {*NUMBERS}
        else NONE
    )
    if kind not in NUMBERS and not isinstance(kind, Tuple | Text):
        em.fail(node, "a tuple of different types needs a constant index in compiled code")
    i = checked_index(em, at, str(len(items)), node, "tuple")
    if isinstance(owner.const, tuple):
        place = em.unit.constant_table(owner.const, kind)
    else:
        place = em.room(slot(kind), len(items))
        for j, item in enumerate(items):
            store_item(em, kind, place, str(j), em.convert(item, kind, node))
    return load_item(em, Value(ListOf(kind), (place, str(len(items)))), i)


def set_item(em: Emitter, owner: Value, at: list[Any], value: Value, node: object) -> None:
    """Set an item or a slice of a value."""
    if isinstance(owner.const, dict):
        owner = em.materialize(owner)
    kind = owner.type
    if kind is UNKNOWN or any(isinstance(x, Value) and x.type is UNKNOWN for x in at):
        return
    if isinstance(kind, ObjectOf):
        key = at[0] if len(at) == 1 else em.tuple_of(at)
        call_method(em, owner, "__setitem__", [key, value], {}, node)
    elif isinstance(kind, DictOf):
        put(em, owner, key_of(em, at, node), value, node)
    elif isinstance(kind, ArrayOf):
        check_writable(em, owner, node)
        value = value if value.type in NUMBERS else rows_for(em, kind.dtype, value, node)
        if value.type is UNKNOWN:
            return
        if isinstance(at[0], tuple):
            fill_array(em, array_slice(em, owner, at, node), value, node)
            return
        where, row = element_place(em, owner, at, node)
        if row.array.ndim:
            fill_array(em, row, value, node)
        else:
            store_element(em, kind.dtype, where, value, node)
    elif isinstance(kind, VectorOf):
        if len(at) != 1 or isinstance(at[0], tuple):
            em.fail(node, "assignment to a slice of a list does not compile")
        set_vector_item(em, owner, at[0], value, node)
    elif isinstance(kind, ListOf) and not isinstance(kind, TupleOf):
        if len(at) != 1 or isinstance(at[0], tuple):
            em.fail(node, "assignment to a slice of a list does not compile")
        em.unit.writes_moves = True
        place = checked_index(em, at[0], owner.ops[1], node, "list")
        value = as_item(em, value, node)
        if isinstance(kind, BytearrayOf) and value.type is not UNKNOWN:
            value = converted_byte(em, value, node)
        if holds_rows(value.type):
            needs_links(em)
        value = em.convert(value, kind.item, node, "an item of the list")
        store_item(em, kind.item, owner.ops[0], place, value)
    else:
        em.fail(node, f"an item of {kind} cannot be set")


def rows_for(em: Emitter, dtype: str, value: Value, node: object) -> Value:
    """Convert a list or an array for assignment to elements of an array of a dtype.

    Arrays of dtypes that cannot be converted are returned unchanged; the assignment then refuses them.
    """
    if isinstance(value.type, ListOf):
        return as_array(em, value, node)
    if isinstance(value.type, ArrayOf) and {value.type.dtype, dtype} == {"int64", "float64"}:
        return cast(em, value, "float64", node)
    return value


def length_of(em: Emitter, value: Value, node: object) -> Value:
    """Return the length of a value."""
    kind = value.type
    if isinstance(kind, ContainerOf | ViewOf):
        return length(em, value)
    if isinstance(kind, ListOf | ArrayOf):
        if value.ops[1].isdigit():
            return em.constant(int(value.ops[1]))
        return value.length
    if isinstance(kind, Tuple | Text):
        return em.constant(len(kind.items))
    if value.known and hasattr(value.const, "__len__"):
        return em.constant(len(value.const))
    if isinstance(kind, ObjectOf):
        return call_method(em, value, "__len__", [], {}, node)
    if kind is UNKNOWN:
        return value
    return em.fail(node, f"{kind} has no length")


def contains(em: Emitter, items: Value, wanted: Value, node: object) -> Value:
    """Return whether a value contains an item, as a bool."""
    if UNKNOWN in (items.type, wanted.type):
        return Value(UNKNOWN)
    items = as_list(em, items)
    if not wanted.known and isinstance(items.const, dict | set | frozenset):
        items = em.materialize(items)
    if items.type == ListOf(UNKNOWN):
        return Value(UNKNOWN)
    if items.known and wanted.known:
        return em.constant(wanted.const in items.const)
    if text_class(items.type):
        return text_contains(em, items, wanted, node)
    if isinstance(items.type, BytearrayOf) and wanted.type is not INT:
        em.fail(node, f"`in` does not compile for {items.type} and {wanted.type}")
    if isinstance(items.type, DictOf | SetOf):
        return has_key(em, items, wanted, node)
    if isinstance(items.type, ViewOf) and items.type.what == "keys":
        return has_key(em, Value(items.type.of, items.ops), wanted, node)
    if isinstance(items.type, ObjectOf):
        return call_method(em, items, "__contains__", [wanted], {}, node)
    if isinstance(items.type, ArrayOf) and items.type.ndim > 1:
        em.fail(node, f"`in` does not compile for {items.type}")
    if isinstance(items.type, ListOf | ArrayOf):
        return em.let_bool(f"icmp sge i64 {position(em, items, wanted, node)}, 0")
    items = em.materialize(items)
    if isinstance(items.type, Tuple):
        found = em.constant(False)
        for item in em.items_of(items):
            same = compared(em, ast.Eq(), item, wanted, node)
            if same.known and same.const:
                return same
            if not same.known:
                found = same if found.known else em.let_bool(f"or i1 {found.op}, {same.op}")
        return found
    return em.fail(node, f"`in` does not compile for {items.type}")
