"""Lists and the memory of their items.

A list is stored in the frame of the function that created it, has at most `unit.cap` items, and has only one
reference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.indexing import Slice, clamped, count_loop
from arena.compiler.function.memory import allocate
from arena.compiler.source import yields
from arena.compiler.types import (
    GAME,
    SPARE,
    UNKNOWN,
    ArrayOf,
    ListOf,
    NoJoin,
    ObjectOf,
    Tuple,
    TupleOf,
    Type,
    Value,
    join_items,
    slot,
    unsettled,
)


def gather(em: Emitter, node: object, run: Callable[[Each], None]) -> Value:
    """Return a new list of the values that `run` passes to the function that is its argument."""
    key = (*em.frame.key, id(node), "item")
    kind = em.instance.variables.get(key, UNKNOWN)
    data, n = "" if kind is UNKNOWN else em.list_room(kind), em.room("i64")
    em.store("i64", "0", n)

    def each(value: Value) -> None:
        nonlocal data
        value = as_item(em, value, node)
        before = em.instance.variables.get(key, UNKNOWN)
        try:
            now = join_items(before, value.type)
        except NoJoin:
            em.fail(node, f"a list of {before} cannot contain {value.type}")
        if now != before:
            em.instance.variables[key] = now
            em.unit.changed |= data != ""
        data = data or em.list_room(now)
        if isinstance(value.type, ArrayOf | ObjectOf):
            em.fail(node, f"{value.type} cannot be stored in a list in compiled code")
        at = em.load("i64", n)
        if isinstance(now, TupleOf) and isinstance(value.type, Tuple):
            value = as_row(em, value, now, node)
        store_behind(em, now, data, at, str(em.unit.cap), em.convert(value, now, node), node)
        em.store("i64", em.let(f"add nsw i64 {at}, 1"), n)

    run(each)
    kind = em.instance.variables.get(key, UNKNOWN)
    return Value(ListOf(kind), (data or em.list_room(kind), em.load("i64", n)), fresh=True)


def as_item(em: Emitter, value: Value, node: object) -> Value:
    """Convert a new list, or a constant, to a form that a list or tuple can contain; others are unchanged."""
    value = em.as_texts(value)
    kind = value.type
    if not isinstance(kind, ListOf) or kind.row:
        return value
    if not value.fresh and not isinstance(kind, TupleOf):
        em.fail(node, "a list that has a name cannot be stored in a list or tuple; write list(…) for a copy")
    made = type(kind)(kind.item, row=True)
    if unsettled(kind):  # it is empty, or its type is not known yet
        return Value(made, value.ops)
    size = em.let(f"mul i64 {value.ops[1]}, {size_of(kind.item)}")
    data = allocate(em, em.let(f"add i64 {size}, 8"), node)
    copy_items(em, value, data)
    return Value(made, (data, value.ops[1]))


def as_row(em: Emitter, value: Value, kind: TupleOf, node: object) -> Value:
    """Convert a tuple of fixed length to one of any length in the region of the call."""
    if unsettled(kind):
        return Value(UNKNOWN)
    items = em.items_of(value)
    data = allocate(em, str(len(items) * size_of(kind.item) + 8), node)
    for i, item in enumerate(items):
        store_item(em, kind.item, data, str(i), em.convert(item, kind.item, node))
    return Value(kind, (data, str(len(items))))


def check_room(em: Emitter, n: str, node: object) -> None:
    """Write code that raises an exception if a number of items exceeds the capacity of lists."""
    em.check(em.let(f"icmp sgt i64 {n}, {em.unit.cap}"), IndexError, em.unit.room_text, node)


def copy_of(em: Emitter, items: Value) -> Value:
    """Return a copy of a list, whose length must not exceed the capacity of lists."""
    data = em.list_room(items.item)
    copy_items(em, items, data)
    kind: Any = type(items.type)
    return Value(kind(items.item), (data, items.ops[1]), fresh=True)


def strided(em: Emitter, items: Value, at: Slice, node: object) -> Value:
    """Return a slice of a list, tuple or text with a step, as a copy."""
    (low, high, step), n = at, items.ops[1]
    least, most = ("0", n) if step > 0 else ("-1", em.let(f"sub i64 {n}, 1"))
    first = clamped(em, low, n, least, most, node) if low else least if step > 0 else most
    end = clamped(em, high, n, least, most, node) if high else most if step > 0 else least
    span = em.let(f"sub i64 {end}, {first}" if step > 0 else f"sub i64 {first}, {end}")
    span = em.let(f"add i64 {em.intrinsic('smax.i64', span, '0')}, {abs(step) - 1}")
    count, data = em.let_int(f"udiv i64 {span}, {abs(step)}"), em.list_room(items.item)
    check_room(em, count.op, node)

    def copy(i: Value) -> None:
        place = em.let(f"add i64 {first}, {em.let(f'mul i64 {i.op}, {step}')}")
        store_item(em, items.item, data, i.op, load_item(em, items, place))

    count_loop(em, em.constant(0), count, copy)
    kind: Any = type(items.type)
    return Value(kind(items.item), (data, count.op), fresh=True)


def copy_items(em: Emitter, items: Value, out: str) -> None:
    """Copy the items of a list to another address."""
    size = em.let(f"mul i64 {items.ops[1]}, {size_of(items.item)}")
    em.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {out}, ptr {items.ops[0]}, i64 {size}, i1 false)")


def item_place(em: Emitter, kind: Type, data: str, i: str) -> str:
    """Return the address of an item of a list."""
    return em.let(f"getelementptr inbounds {slot(kind)}, ptr {data}, i64 {i}")


def store_behind(em: Emitter, kind: Type, data: str, n: str, cap: str, value: Value, node: object) -> None:
    """Append an item to a list; at run time an exception is raised if the list is full."""
    if not has_spare_room(em):
        over = em.let(f"icmp sge i64 {n}, {cap}")
        em.check(over, IndexError, em.unit.room_text, node)
    store_item(em, kind, data, n, value)


def has_spare_room(em: Emitter) -> bool:
    """Return whether the list that the function fills may drop items beyond its capacity.

    One such item is counted, to mark the overflow.
    """
    instance = em.instance
    free = instance.owner in (GAME, None) and not em.unit.checked
    return instance.generator and free and yields(instance.node) < SPARE - 1


def load_item(em: Emitter, items: Value, i: str) -> Value:
    """Return an item of a list."""
    kind = items.item
    place = item_place(em, kind, items.ops[0], i)
    if len(kind.irs) == 1:
        return Value(kind, (em.let(f"load {kind.irs[0]}, ptr {place}, !tbaa !13"),))
    ops = []
    for j, ir in enumerate(kind.irs):
        part = em.let(f"getelementptr inbounds {slot(kind)}, ptr {place}, i64 0, i32 {j}")
        ops.append(em.let(f"load {ir}, ptr {part}, !tbaa !13"))
    return Value(kind, tuple(ops))


def store_item(em: Emitter, kind: Type, data: str, i: str, value: Value) -> None:
    """Store a value as item `i` of a list or of other memory."""
    if kind is UNKNOWN or not kind.irs:
        return
    place = item_place(em, kind, data, i)
    if len(kind.irs) == 1:
        em.emit(f"store {kind.irs[0]} {value.op}, ptr {place}, !tbaa !13")
        return
    for j, (ir, op) in enumerate(zip(kind.irs, value.ops, strict=True)):
        part = em.let(f"getelementptr inbounds {slot(kind)}, ptr {place}, i64 0, i32 {j}")
        em.emit(f"store {ir} {op}, ptr {part}, !tbaa !13")


def swap_items(em: Emitter, items: Value, i: str, j: str) -> None:
    """Exchange two items of a list."""
    one, two = load_item(em, items, i), load_item(em, items, j)
    store_item(em, items.item, items.ops[0], i, two)
    store_item(em, items.item, items.ops[0], j, one)


def size_of(kind: Any) -> int:
    """Return the size in bytes of a list item of a type, in LLVM's memory layout."""
    at = 0
    for ir in kind.irs or ("i64",):
        size = {"i1": 1, "i32": 4}.get(ir, 8)
        at = -(-at // size) * size + size
    largest = max({"i1": 1, "i32": 4}.get(ir, 8) for ir in kind.irs or ("i64",))
    return -(-at // largest) * largest
