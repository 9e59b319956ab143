"""`deque`, compiled as a list on the heap whose first item can be removed."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable

from arena.compiler.function.dictionaries import content_of, new_content
from arena.compiler.function.dispatch import call_arguments, expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.iteration import iterate
from arena.compiler.function.list_lengths import move_items, vector_pop
from arena.compiler.function.lists import load_item, size_of, store_item
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.function.vectors import ITEMS, REGION, ROOM, append, as_list, vector_clear
from arena.compiler.function.words import HEAP, word_place, zeroed
from arena.compiler.types import UNKNOWN, DequeOf, Value

SHORT = 256  # largest maxlen; ints up to it are the same objects, as contents compare them
EMPTY = "pop from an empty deque"


@lowers(deque, args=(0, 2), keywords=True)
def lower_deque(em: Emitter, node: ast.Call) -> Value:
    args, named = call_arguments(em, node)
    most = named.pop("maxlen", args[1] if len(args) > 1 else None)
    if named:
        em.fail(node, "deque takes an iterable, and maxlen=")
    content = new_content(em, node, "deque")
    content.is_list = True
    content.default = longest(em, most)
    place = zeroed(em, 4, node)
    em.emit(f"store ptr %heap, ptr {word_place(em, place, REGION)}, {HEAP}")
    made = Value(DequeOf(content), (place,), fresh=True)
    for part in args[:1]:
        iterate(em, part, lambda item: append_last(em, made, em.materialize(item), node))
    return made


def longest(em: Emitter, node: ast.expr | None) -> int | None:
    """Return the `maxlen` of a deque, which must be a constant; None if there is none."""
    value = expression(em, node) if node else em.constant(None)
    most: object = value.const
    if most is None or (type(most) is int and 1 <= most <= SHORT):
        return most
    return em.fail(node, f"in compiled code, maxlen must be a constant from 1 to {SHORT}")


def append_last(em: Emitter, owner: Value, value: Value, node: object) -> None:
    """Append an item to a deque, which loses its first item if it is full."""
    if value.type is not UNKNOWN:
        drop_if_full(em, owner, lambda: first_removed(em, owner))
    append(em, owner, value, node)


def drop_if_full(em: Emitter, owner: Value, drop: Callable[[], object]) -> None:
    """Write code that removes an item of a deque that has `maxlen` items."""
    most = content_of(owner).default
    if most is None or as_list(em, owner).item is UNKNOWN:
        return
    full, fits = em.label("full"), em.label("fits")
    em.branch(em.let(f"icmp eq i64 {as_list(em, owner).ops[1]}, {most}"), full, fits)
    em.start(full)
    drop()
    em.start(fits)


@lowers_method(DequeOf, "append", args=(1, 1))
def deque_append(em: Emitter, owner: Value, node: ast.Call) -> Value:
    append_last(em, owner, em.materialize(expression(em, node.args[0])), node)
    return em.constant(None)


@lowers_method(DequeOf, "appendleft", args=(1, 1))
def deque_appendleft(em: Emitter, owner: Value, node: ast.Call) -> Value:
    value = em.materialize(expression(em, node.args[0]))
    if value.type is not UNKNOWN:
        drop_if_full(em, owner, lambda: last_removed(em, owner))
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
    iterate(em, part, lambda item: append_last(em, owner, em.materialize(item), node))
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
    first_removed(em, owner)
    return value


def last_removed(em: Emitter, owner: Value) -> None:
    """Write code that removes the last item of a deque that is not empty."""
    em.emit(f"store i64 {em.let(f'sub i64 {as_list(em, owner).ops[1]}, 1')}, ptr {owner.op}, {HEAP}")


def first_removed(em: Emitter, owner: Value) -> None:
    """Write code that removes the first item of a deque that is not empty."""
    items = as_list(em, owner)
    for word in (None, ROOM):  # decrement the number of items and the room
        place = owner.op if word is None else word_place(em, owner.op, word)
        before = em.let(f"load i64, ptr {place}, {HEAP}")
        em.emit(f"store i64 {em.let(f'sub i64 {before}, 1')}, ptr {place}, {HEAP}")
    second = em.let(f"getelementptr i8, ptr {items.ops[0]}, i64 {size_of(items.item)}")
    em.emit(f"store ptr {second}, ptr {word_place(em, owner.op, ITEMS)}, {HEAP}")


@lowers_method(DequeOf, "clear", args=(0, 0))
def deque_clear(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return vector_clear(em, owner, node)
