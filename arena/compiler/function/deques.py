"""`deque`, compiled as a list on the heap whose first item can be removed."""

from __future__ import annotations

import ast
from collections import deque

from arena.compiler.function.dictionaries import new_content
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.iteration import iterate
from arena.compiler.function.list_lengths import move_items, vector_pop
from arena.compiler.function.lists import load_item, size_of, store_item
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.function.vectors import ITEMS, REGION, ROOM, append, as_list, vector_clear
from arena.compiler.function.words import HEAP, word_place, zeroed
from arena.compiler.types import UNKNOWN, DequeOf, Value

EMPTY = "pop from an empty deque"


@lowers(deque, args=(0, 1))
def lower_deque(em: Emitter, node: ast.Call) -> Value:
    content = new_content(em, node, "deque")
    content.is_list = True
    place = zeroed(em, 4, node)
    em.emit(f"store ptr %heap, ptr {word_place(em, place, REGION)}, {HEAP}")
    made = Value(DequeOf(content), (place,), fresh=True)
    for part in node.args:
        iterate(em, part, lambda item: append(em, made, em.materialize(item), node))
    return made


@lowers_method(DequeOf, "append", args=(1, 1))
def deque_append(em: Emitter, owner: Value, node: ast.Call) -> Value:
    append(em, owner, em.materialize(expression(em, node.args[0])), node)
    return em.constant(None)


@lowers_method(DequeOf, "appendleft", args=(1, 1))
def deque_appendleft(em: Emitter, owner: Value, node: ast.Call) -> Value:
    value = em.materialize(expression(em, node.args[0]))
    before = as_list(em, owner)
    append(em, owner, value, node)
    items = as_list(em, owner)
    if UNKNOWN not in (items.item, value.type):
        last = load_item(em, items, before.ops[1])
        move_items(em, items, "0", "1", before.ops[1])
        store_item(em, items.item, items.ops[0], "0", last)
    return em.constant(None)


@lowers_method(DequeOf, "extend", args=(1, 1))
def deque_extend(em: Emitter, owner: Value, node: ast.Call) -> Value:
    part = node.args[0]
    if isinstance(part, ast.Name | ast.Attribute) and isinstance(expression(em, part).type, DequeOf):
        em.fail(node, "a deque cannot be extended by another in compiled code; append in a loop")
    iterate(em, part, lambda item: append(em, owner, em.materialize(item), node))
    return em.constant(None)


@lowers_method(DequeOf, "pop", args=(0, 0))
def deque_pop(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return vector_pop(em, owner, node, EMPTY)


@lowers_method(DequeOf, "popleft", args=(0, 0))
def deque_popleft(em: Emitter, owner: Value, node: ast.Call) -> Value:
    items = as_list(em, owner)
    if items.item is UNKNOWN:
        return Value(UNKNOWN)
    em.check(em.let(f"icmp eq i64 {items.ops[1]}, 0"), IndexError, EMPTY, node)
    value = load_item(em, items, "0")
    for word in (None, ROOM):  # decrement the number of items and the room
        place = owner.op if word is None else word_place(em, owner.op, word)
        before = em.let(f"load i64, ptr {place}, {HEAP}")
        em.emit(f"store i64 {em.let(f'sub i64 {before}, 1')}, ptr {place}, {HEAP}")
    second = em.let(f"getelementptr i8, ptr {items.ops[0]}, i64 {size_of(items.item)}")
    em.emit(f"store ptr {second}, ptr {word_place(em, owner.op, ITEMS)}, {HEAP}")
    return value


@lowers_method(DequeOf, "clear", args=(0, 0))
def deque_clear(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return vector_clear(em, owner, node)
