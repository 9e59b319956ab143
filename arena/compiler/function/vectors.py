"""Lists on the heap, in objects and dictionaries, which may have any length and several references.

The header contains the number of items, the number for which there is room, the address of the items, and the
region; see `heap.py`. The items have the same memory layout as those of other lists.
"""

from __future__ import annotations

import ast
from typing import Any

from arena.compiler.errors import NO_ROOM
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.indexing import checked_index, count_loop
from arena.compiler.function.lists import copy_items, load_item, size_of, store_item
from arena.compiler.function.memory import allocate, holds_rows
from arena.compiler.function.names import check_names
from arena.compiler.function.registry import lowers_method
from arena.compiler.function.words import HEAP, word_place, zeroed
from arena.compiler.types import UNKNOWN, Content, DequeOf, ListOf, NoJoin, Type, Value, VectorOf, unsettled

COUNT, ROOM, ITEMS, REGION = range(4)


def vector_content(value: Value) -> Content:
    """Return the content of a list on the heap."""
    assert isinstance(value.type, VectorOf)
    return value.type.content.last()


def vector_of(em: Emitter, items: Value, content: Content, node: object) -> Value:
    """Return a new list on the heap with the items of another list."""
    widen_items(em, content, items.item, node)
    place = zeroed(em, 4, node)
    em.emit(f"store ptr %heap, ptr {word_place(em, place, REGION)}, {HEAP}")
    kind = content.last().value
    if kind is not UNKNOWN and items.item == kind:
        n = items.ops[1]
        data = allocate(em, em.let(f"mul i64 {n}, {size_of(kind)}"), node)
        copy_items(em, items, data)
        em.emit(f"store i64 {n}, ptr {place}, {HEAP}")
        em.emit(f"store i64 {n}, ptr {word_place(em, place, ROOM)}, {HEAP}")
        em.emit(f"store ptr {data}, ptr {word_place(em, place, ITEMS)}, {HEAP}")
    elif items.item is not UNKNOWN:
        em.fail(node, f"the list contains {kind} and cannot contain {items.item}")
    return Value(VectorOf(content), (place,))


def widen_items(em: Emitter, content: Content, kind: Type, node: object) -> None:
    """Widen the content of a list on the heap to include items of a type, or raise CannotCompile."""
    if content.owned and (kind.in_region or holds_rows(kind)):
        em.fail(node, f"{content.what} cannot keep {kind} beyond the call; keep numbers and tuples")
    try:
        content.widen(UNKNOWN, kind)
    except NoJoin:
        em.fail(node, f"{content.what} contains {content.value} and cannot contain {kind}")


def as_list(em: Emitter, value: Value) -> Value:
    """Return the current items of a list on the heap as a list; other values are returned unchanged."""
    if not isinstance(value.type, VectorOf):
        return value
    kind = vector_content(value).value
    n = em.let(f"load i64, ptr {value.op}, {HEAP}")
    data = em.let(f"load ptr, ptr {word_place(em, value.op, ITEMS)}, {HEAP}")
    return Value(ListOf(kind), (data, n))


def iterate_vector(em: Emitter, value: Value, each: Each) -> None:
    """Write a loop over a list whose length may change in the loop; `each` writes the body."""
    place, before = em.room("i64"), as_list(em, value).ops[1]
    head, body, end = em.label("loop"), em.label("body"), em.label("end")
    em.store("i64", "0", place)
    em.start(head)
    i = em.load("i64", place)
    items = as_list(em, value)
    if isinstance(value.type, DequeOf):
        other = em.let(f"icmp ne i64 {before}, {items.ops[1]}")
        em.check(other, RuntimeError, "deque mutated during iteration", em.frame.node)
    em.branch(em.let(f"icmp slt i64 {i}, {items.ops[1]}"), body, end)
    em.start(body)
    em.store("i64", em.let(f"add nsw i64 {i}, 1"), place)
    each(Value(UNKNOWN) if items.item is UNKNOWN else load_item(em, items, i))
    em.goto(head)
    em.start(end)


@lowers_method(VectorOf, "append", args=(1, 1))
def vector_append(em: Emitter, owner: Value, node: ast.Call) -> Value:
    value = expression(em, node.args[0])
    append(em, owner, value, node)
    return em.constant(None)


def append(em: Emitter, owner: Value, value: Value, node: object) -> None:
    """Append an item to a list on the heap."""
    value = em.as_texts(value)
    if value.type is UNKNOWN or unsettled(value.type):
        return
    if isinstance(value.type, ListOf):
        em.fail(node, "a list cannot be stored in this list in compiled code")
    content = vector_content(owner)
    widen_items(em, content, value.type, node)
    kind = content.last().value
    value = em.convert(value, kind, node, "an item of the list")
    em.unit.need_helper("vectors")
    n = em.let(f"load i64, ptr {owner.op}, {HEAP}")
    room = em.let(f"load i64, ptr {word_place(em, owner.op, ROOM)}, {HEAP}")
    full, fits = em.label("full"), em.label("fits")
    em.branch(em.let(f"icmp eq i64 {n}, {room}"), full, fits)
    em.start(full)
    grown = em.let(f"call i1 @arena.lengthen(ptr {owner.op}, i64 {size_of(kind)})")
    em.check(em.let(f"xor i1 {grown}, true"), MemoryError, "", node)
    em.start(fits)
    store_item(em, kind, as_list(em, owner).ops[0], n, value)
    em.emit(f"store i64 {em.let(f'add i64 {n}, 1')}, ptr {owner.op}, {HEAP}")


@lowers_method(VectorOf, "clear", args=(0, 0))
def vector_clear(em: Emitter, owner: Value, node: ast.Call) -> Value:
    em.emit(f"store i64 0, ptr {owner.op}, {HEAP}")
    return em.constant(None)


def set_items(em: Emitter, owned: Value, value: Value, node: Any) -> None:
    """Replace the items of a component's list, or of a list in it, by those of a new list."""
    if not (value.fresh or (isinstance(value.type, ListOf) and value.type.row)):
        em.fail(node, "a list cannot have a second name; write list(…) for a copy")
    em.unit.replaced.add(vector_content(owned))
    check_names(em, owned, node)
    if isinstance(value.item, ListOf) and vector_content(owned).value is not UNKNOWN:
        set_lists(em, owned, value, node)
        return
    em.emit(f"store i64 0, ptr {owned.op}, {HEAP}")
    count_loop(
        em, em.constant(0), value.length, lambda i: append(em, owned, load_item(em, value, i.op), node)
    )


def set_lists(em: Emitter, owned: Value, value: Value, node: Any) -> None:
    """Replace the items of each inner list of a component's list by those of a new list of as many lists."""
    items = as_list(em, owned)
    if not isinstance(items.item, VectorOf):
        em.fail(node, f"the list contains {items.item} and cannot contain a list")
    other = em.let(f"icmp ne i64 {items.ops[1]}, {value.ops[1]}")
    em.check(other, IndexError, f"{NO_ROOM} only as many inner lists as before", node)
    count_loop(
        em,
        em.constant(0),
        value.length,
        lambda i: set_items(em, load_item(em, items, i.op), load_item(em, value, i.op), node),
    )


def set_vector_item(em: Emitter, owner: Value, at: Value, value: Value, node: Any) -> None:
    """Set an item of a list on the heap."""
    value = em.as_texts(value)
    if value.type is UNKNOWN:
        return
    items = as_list(em, owner)
    if isinstance(items.item, VectorOf) and isinstance(value.type, ListOf):
        place = checked_index(em, at, items.ops[1], node, "list")
        set_items(em, load_item(em, items, place), value, node)
        return
    widen_items(em, vector_content(owner), value.type, node)
    items = as_list(em, owner)
    place = checked_index(em, at, items.ops[1], node, "list")
    store_item(em, items.item, items.ops[0], place, em.convert(value, items.item, node))


# makes room for more items of a given size in bytes
LENGTHEN = f"""
define internal i1 @arena.lengthen(ptr %v, i64 %size) noinline nounwind {{
  %roomp = getelementptr i64, ptr %v, i64 {ROOM}
  %room = load i64, ptr %roomp, !tbaa !15
  %itemsp = getelementptr i64, ptr %v, i64 {ITEMS}
  %old = load ptr, ptr %itemsp, !tbaa !15
  %regionp = getelementptr i64, ptr %v, i64 {REGION}
  %region = load ptr, ptr %regionp, !tbaa !15
  %double = shl i64 %room, 1
  %more = call i64 @llvm.umax.i64(i64 %double, i64 4)
  %bytes = mul i64 %more, %size
  %new = call ptr @arena.memory(ptr %region, i64 %bytes)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %none, label %made
made:
  %used = mul i64 %room, %size
  %some = icmp ne i64 %used, 0
  br i1 %some, label %copy, label %set
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %old, i64 %used, i1 false)
  %owned = icmp eq ptr %region, null
  br i1 %owned, label %release, label %set
release:
  call void @free(ptr %old)
  br label %set
set:
  store i64 %more, ptr %roomp, !tbaa !15
  store ptr %new, ptr %itemsp, !tbaa !15
  ret i1 true
none:
  ret i1 false
}}
"""
