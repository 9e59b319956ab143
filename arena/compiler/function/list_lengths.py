"""Methods that change the length of a list, on the heap or in a frame."""

from __future__ import annotations

import ast

from arena.compiler.function.dispatch import expression, int_argument, int_arguments
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import checked_index, count_loop, slice_bounds
from arena.compiler.function.iteration import iterate
from arena.compiler.function.list_methods import append_item, position, set_length, variable_of
from arena.compiler.function.lists import item_place, load_item, size_of, store_item
from arena.compiler.function.registry import lowers_method
from arena.compiler.function.traversal import iterate_value
from arena.compiler.function.vectors import append, as_list
from arena.compiler.function.words import HEAP
from arena.compiler.types import UNKNOWN, ListOf, Value, VectorOf


@lowers_method(VectorOf, "pop", args=(0, 1))
def vector_pop(em: Emitter, owner: Value, node: ast.Call, empty: str = "pop from empty list") -> Value:
    at = int_arguments(em, node)
    items = as_list(em, owner)
    if items.item is UNKNOWN:
        return Value(UNKNOWN)
    em.check(em.let(f"icmp eq i64 {items.ops[1]}, 0"), IndexError, empty, node)
    left = em.let(f"sub i64 {items.ops[1]}, 1")
    if not at:
        em.emit(f"store i64 {left}, ptr {owner.op}, {HEAP}")
        return load_item(em, items, left)
    i = checked_index(em, at[0], items.ops[1], node, "pop", check=True)
    value = load_item(em, items, i)
    close_gap(em, items, i, left)
    em.emit(f"store i64 {left}, ptr {owner.op}, {HEAP}")
    return value


@lowers_method(VectorOf, "insert", args=(2, 2))
def vector_insert(em: Emitter, owner: Value, node: ast.Call) -> Value:
    at = int_argument(em, node.args[0])
    value = em.materialize(expression(em, node.args[1]))
    before = as_list(em, owner)
    append(em, owner, value, node)
    items = as_list(em, owner)
    if items.item is UNKNOWN or value.type is UNKNOWN:
        return em.constant(None)
    insert_last(em, items, before.ops[1], at, node)
    return em.constant(None)


@lowers_method(VectorOf, "extend", args=(1, 1))
def vector_extend(em: Emitter, owner: Value, node: ast.Call) -> Value:
    part = node.args[0]
    value = expression(em, part) if isinstance(part, ast.Name | ast.Attribute | ast.Subscript) else None
    if value is not None and isinstance(value.type, VectorOf):  # it may be the same list
        n = as_list(em, value).length
        count_loop(
            em, em.constant(0), n, lambda i: append(em, owner, load_item(em, as_list(em, value), i.op), node)
        )
    elif value is not None:
        iterate_value(em, value, lambda item: append(em, owner, em.materialize(item), node), part)
    else:
        iterate(em, part, lambda item: append(em, owner, em.materialize(item), node))
    return em.constant(None)


@lowers_method(VectorOf, "remove", args=(1, 1))
def vector_remove(em: Emitter, owner: Value, node: ast.Call) -> Value:
    wanted = expression(em, node.args[0])
    items = as_list(em, owner)
    if UNKNOWN in (items.item, wanted.type):
        return em.constant(None)
    i = position(em, items, wanted, node)
    em.check(em.let(f"icmp slt i64 {i}, 0"), ValueError, "list.remove(x): x not in list", node)
    left = em.let(f"sub i64 {items.ops[1]}, 1")
    close_gap(em, items, i, left)
    em.emit(f"store i64 {left}, ptr {owner.op}, {HEAP}")
    return em.constant(None)


def move_items(em: Emitter, items: Value, source: str, target: str, count: str) -> None:
    """Move `count` items of a list to another position in the list."""
    size = em.let(f"mul i64 {count}, {size_of(items.item)}")
    places = [item_place(em, items.item, items.ops[0], i) for i in (target, source)]
    em.emit(f"call void @llvm.memmove.p0.p0.i64(ptr {places[0]}, ptr {places[1]}, i64 {size}, i1 false)")


def insert_last(em: Emitter, items: Value, last: str, at: Value, node: ast.Call) -> None:
    """Move the last item of a list, with the index `last`, to where `list.insert` puts it."""
    i, rest = slice_bounds(em, (at, None), last, node)
    item = load_item(em, items, last)
    move_items(em, items, i, em.let(f"add i64 {i}, 1"), rest)
    store_item(em, items.item, items.ops[0], i, item)


def close_gap(em: Emitter, items: Value, i: str, left: str) -> None:
    """Move the items after index `i` down by one, so that `left` items are left."""
    move_items(em, items, em.let(f"add i64 {i}, 1"), i, em.let(f"sub i64 {left}, {i}"))


@lowers_method(ListOf, "extend", args=(1, 1))
def list_extend(em: Emitter, owner: Value, node: ast.Call) -> Value:
    key, part = variable_of(em, node), node.args[0]
    if isinstance(part, ast.Name) and em.key_of(part.id) == key:
        n = owner.length
        count_loop(em, em.constant(0), n, lambda i: append_item(em, key, load_item(em, owner, i.op), node))
    else:
        iterate(em, part, lambda item: append_item(em, key, item, node))
    return em.constant(None)


@lowers_method(ListOf, "insert", args=(2, 2))
def list_insert(em: Emitter, owner: Value, node: ast.Call) -> Value:
    key, at = variable_of(em, node), int_argument(em, node.args[0])
    value = expression(em, node.args[1])
    before = em.get_variable(key)
    append_item(em, key, value, node)
    items = em.get_variable(key)
    if not isinstance(items.type, ListOf) or UNKNOWN in (items.item, value.type) or not before.ops:
        return em.constant(None)
    insert_last(em, items, before.ops[1], at, node)
    return em.constant(None)


@lowers_method(ListOf, "remove", args=(1, 1))
def list_remove(em: Emitter, owner: Value, node: ast.Call) -> Value:
    key, wanted = variable_of(em, node), expression(em, node.args[0])
    if UNKNOWN in (owner.item, wanted.type):
        return em.constant(None)
    i = position(em, owner, wanted, node)
    em.check(em.let(f"icmp slt i64 {i}, 0"), ValueError, "list.remove(x): x not in list", node)
    left = em.let(f"sub i64 {owner.ops[1]}, 1")
    close_gap(em, owner, i, left)
    set_length(em, key, left)
    return em.constant(None)
