"""Loops over values: lists, arrays and tuples."""

from __future__ import annotations

import ast
from typing import Any

from arena.compiler.function.arrays import element
from arena.compiler.function.dictionaries import iterate_table
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.lists import copy_of, load_item, store_item
from arena.compiler.function.vectors import iterate_vector
from arena.compiler.source import changing
from arena.compiler.types import (
    UNKNOWN,
    ArrayOf,
    DictOf,
    ListOf,
    ObjectOf,
    SetOf,
    Text,
    TextOf,
    Tuple,
    Value,
    VectorOf,
    ViewOf,
    is_nested,
    slot,
)

UNROLLED = 16  # maximum length of a constant tuple, and words of a nested one, over which a loop is unrolled


def iterate_value(em: Emitter, value: Value, each: Each, node: Any) -> None:
    """Write a loop over the items of a value; `each` writes the body."""
    if isinstance(value.const, dict | set | frozenset):
        value = em.materialize(value)
    value = unchanging(em, em.required(value, node), node)
    kind = value.type
    if kind is UNKNOWN:
        each(Value(UNKNOWN))
    elif isinstance(kind, SetOf) and em.unordered is not node:
        em.fail(node, "the order of a set is not the same in all Python processes; loop over sorted(…)")
    elif isinstance(kind, DictOf | SetOf):
        iterate_table(em, value, "keys", each, node)
    elif isinstance(kind, VectorOf):
        iterate_vector(em, value, each)
    elif isinstance(kind, ViewOf):
        iterate_table(em, Value(kind.of, value.ops), kind.what, each, node)
    elif isinstance(kind, ListOf) and not isinstance(kind, TextOf) and is_changed(em, node):
        if node.id in changing(em.frame.node)[0]:
            iterate_changing(em, value, each, node)
        else:
            iterate_value(em, copy_of(em, value), each, None)
    elif isinstance(kind, ListOf):
        count_loop(em, em.constant(0), value.length, lambda i: each(load_item(em, value, i.op)))
    elif isinstance(kind, ArrayOf):
        count_loop(em, em.constant(0), value.length, lambda i: each(element(em, value, [i], node)))
    elif isinstance(value.const, tuple) and len(value.const) > UNROLLED and (table := as_table(em, value)):
        n = em.constant(len(value.const))
        count_loop(em, em.constant(0), n, lambda i: each(load_item(em, table, i.op)))
    elif isinstance(value.const, str | bytes) and len(value.const) > UNROLLED:
        iterate_value(em, em.as_text(value), each, node)
    elif isinstance(value.const, tuple | str | bytes):
        for item in value.const:
            each(em.constant(item, node))
    elif (
        isinstance(kind, Tuple | Text)
        and is_nested(kind)
        and len({*kind.items}) == 1
        and len(kind.irs) > UNROLLED
    ):
        rows = in_memory(em, value)
        count_loop(em, em.constant(0), rows.length, lambda i: each(load_item(em, rows, i.op)))
    elif isinstance(kind, Tuple | Text):
        for part in em.items_of(value):
            each(part)
    elif isinstance(kind, ObjectOf) and hasattr(kind.layout.cls, "__iter__"):
        em.fail(node, "__iter__ does not compile; loop over an attribute of the component")
    else:
        em.fail(node, f"compiled code cannot iterate over {kind}")


def unchanging(em: Emitter, value: Value, node: object) -> Value:
    """Copy a text that a variable refers to, and that the body of a loop over it may overwrite.

    Other values are returned unchanged, and all if the node is None, which no statement follows.
    """
    if node is None or not isinstance(value.type, TextOf) or value.fresh or value.type.row:
        return value
    return value if isinstance(node, ast.Name) and not is_changed(em, node) else copy_of(em, value)


def in_memory(em: Emitter, value: Value) -> Value:
    """Return a tuple whose items have one type, or a text, as a list in the frame."""
    items = em.items_of(value)
    kind = items[0].type
    place = em.room(slot(kind), len(items))
    for i, item in enumerate(items):
        store_item(em, kind, place, str(i), item)
    return Value(ListOf(kind), (place, str(len(items))))


def is_changed(em: Emitter, node: object) -> bool:
    """Return whether a node is the name of a list that a loop over it resizes or reassigns."""
    return isinstance(node, ast.Name) and any(node.id in names for names in changing(em.frame.node))


def iterate_changing(em: Emitter, items: Value, each: Each, node: ast.Name) -> None:
    """Write a loop over a list whose length may change in the loop; `each` writes the body."""
    if node.id in changing(em.frame.node)[1]:
        em.fail(node, f"the loop over {node.id} assigns another list to it, which does not compile")
    length = em.slots_of(em.key_of(node.id), items.type)[1]
    place = em.room("i64")
    head, body, end = em.label("loop"), em.label("body"), em.label("end")
    em.store("i64", "0", place)
    em.start(head)
    i = em.load("i64", place)
    em.branch(em.let(f"icmp slt i64 {i}, {em.load('i64', length)}"), body, end)
    em.start(body)
    each(load_item(em, items, i))
    if not em.dead:
        em.store("i64", em.let(f"add nsw i64 {i}, 1"), place)
    em.goto(head)
    em.start(end)


def as_table(em: Emitter, value: Value) -> Value | None:
    """Return a constant tuple as a list in constant memory; None if its items have different types."""
    kinds = {item.type for item in em.items_of(value)}
    if len(kinds) != 1 or not (kind := kinds.pop()).irs:
        return None
    return Value(ListOf(kind), (em.unit.constant_table(value.const, kind), str(len(value.const))))
