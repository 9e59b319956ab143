"""Texts and bytes: items, slices, operators, and what they contain.

A text is an int for each character, its code point; bytes are ints. Texts of fixed length are operands, and
those of any length lie in memory like the items of a list.
"""

from __future__ import annotations

import ast
from functools import partial, reduce

from arena.compiler.function.comparisons import both, compared_optionals, negated
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import Slice, checked_index, count_loop, slice_bounds
from arena.compiler.function.lists import check_room, copy_of, item_place, load_item, strided
from arena.compiler.function.registry import combines
from arena.compiler.types import (
    BOOL,
    INT,
    NUMBERS,
    SPARE,
    BytearrayOf,
    Known,
    ListOf,
    OptionalOf,
    Text,
    TextOf,
    Tuple,
    Value,
    text_class,
)

MOST = 64  # characters of a text that is repeated


def in_frame(em: Emitter, value: Value) -> Value:
    """Return a text or a constant text as one of any length, in the frame, which code only reads."""
    value = em.as_text(value)
    if not isinstance(value.type, Text):
        return value
    place = em.room("i64", value.type.length + SPARE)
    for i, op in enumerate(value.ops):
        em.emit(f"store i64 {op}, ptr {item_place(em, INT, place, str(i))}, !tbaa !13")
    return Value(TextOf(value.type.item), (place, str(value.type.length)))


def text_item(em: Emitter, owner: Value, at: Value | Slice, node: object) -> Value:
    """Return an item or a slice of a text of fixed length, or of a constant text."""
    if isinstance(at, tuple):
        return text_slice(em, owner, at, node)
    at = em.required(at, node)
    n = len(owner.const) if owner.known else len(owner.ops)
    if at.known and at.type in (INT, BOOL):
        if not -n <= at.const < n:
            em.fail(node, f"{em.as_text(owner).type} has no item {at.const}")
        if owner.known:
            return em.constant(owner.const[at.const])
        item: Value = em.items_of(owner)[at.const]
        return item
    i = checked_index(em, at, str(n), node, "string" if text_class(owner.type) is str else "bytes")
    text = em.as_text(owner)
    assert isinstance(text.type, Text)
    if not owner.known:
        return load_item(em, in_frame(em, owner), i)
    table = em.unit.constant_table([int(op) for op in text.ops] or [0], INT)
    return load_item(em, Value(TextOf(text.type.item), (table, str(n))), i)


def text_slice(em: Emitter, owner: Value, at: Slice, node: object) -> Value:
    """Return a slice of a text of fixed length, or of a constant text."""
    if all(x is None or x.known for x in at[:2]):
        part = slice(*(x.const if isinstance(x, Value) else x for x in at))
        if owner.known:
            return em.constant(owner.const[part])
        assert isinstance(owner.type, Text)
        ops = owner.ops[part]
        return Value(Text(len(ops), owner.type.cls), ops)
    whole = in_frame(em, owner)
    check_length(em, int(whole.ops[1]), node)
    if len(at) > 2:
        return strided(em, whole, at, node)
    first, n = slice_bounds(em, at, whole.ops[1], node)
    return copy_of(em, Value(whole.type, (item_place(em, whole.item, whole.ops[0], first), n)))


def check_length(em: Emitter, n: int, node: object) -> None:
    """Refuse a text of this length where the length may vary, since such a text has limited space."""
    if n > em.unit.cap:
        em.fail(
            node, f"a text of {n} characters is too long where its length may vary, at most {em.unit.cap}"
        )


def is_text(value: Value) -> bool:
    return text_class(value.type) is not None


@combines(Text)
@combines(TextOf)
def text_operator(em: Emitter, op: ast.AST, left: Value, right: Value | None, node: object) -> Value:
    """Return the result of an operator if an operand is a text that is not known at compile time."""
    if right is None:
        em.fail(node, f"{left.type} does not support this operator in compiled code")
    if any(isinstance(value.type, OptionalOf) for value in (left, right)):
        if isinstance(op, ast.cmpop):
            return compared_optionals(em, op, left, right, node)
        left, right = em.required(left, node), em.required(right, node)
    alike = is_text(left) and text_class(left.type) is text_class(right.type)
    if isinstance(op, ast.Eq | ast.NotEq):
        same = equal_texts(em, left, right, node) if alike else never_equal(em, left, right, node)
        return same if isinstance(op, ast.Eq) else negated(em, same)
    if alike and isinstance(op, ast.cmpop):
        return ordered(em, op, left, right, node)
    if alike and isinstance(op, ast.Add):
        return joined(em, [left, right], node)
    if isinstance(op, ast.Mult) and (made := repeated(em, left, right, node)):
        return made
    said = "compared" if isinstance(op, ast.cmpop) else "combined by this operator"
    return em.fail(node, f"{left.type} and {right.type} cannot be {said} in compiled code")


def never_equal(em: Emitter, left: Value, right: Value, node: object) -> Value:
    """Return that a text is not equal to a value that is no text, or refuse other values."""
    other = right.type if is_text(left) else left.type
    plain = other in NUMBERS or isinstance(other, Tuple | Known | Text | TextOf)
    if not plain and (not isinstance(other, ListOf) or isinstance(other, BytearrayOf)):
        em.fail(node, f"{left.type} and {right.type} cannot be compared in compiled code")
    return em.constant(False)


def equal_texts(em: Emitter, left: Value, right: Value, node: object) -> Value:
    """Compare two texts for equality."""
    one, other = em.as_text(left), em.as_text(right)
    if isinstance(one.type, Text) and isinstance(other.type, Text):
        if one.type != other.type:
            return em.constant(False)
        pairs = zip(one.ops, other.ops, strict=True)
        equal = [em.let_bool(f"icmp eq i64 {a}, {b}") for a, b in pairs]
        return reduce(partial(both, em), equal, em.constant(True))
    one, other = in_frame(em, one), in_frame(em, other)
    place, end, alike = em.room("i1"), em.label("end"), em.label("alike")
    em.store("i1", "false", place)
    em.branch(em.let(f"icmp eq i64 {one.ops[1]}, {other.ops[1]}"), alike, end)
    em.start(alike)

    def compare(i: Value) -> None:
        a, b = (load_item(em, value, i.op) for value in (one, other))
        following = em.label("same")
        em.branch(em.let(f"icmp eq i64 {a.op}, {b.op}"), following, end)
        em.start(following)

    count_loop(em, em.constant(0), one.length, compare, short=True)
    em.store("i1", "true", place)
    em.start(end)
    return em.let_bool(f"load i1, ptr {place}")


def ordered(em: Emitter, op: ast.cmpop, left: Value, right: Value, node: object) -> Value:
    """Compare two texts of fixed length by the order of their code points."""
    one, other = em.as_text(left), em.as_text(right)
    if not (isinstance(one.type, Text) and isinstance(other.type, Text)):
        em.fail(node, "texts of any length can be compared only by == and != in compiled code")
    less = isinstance(op, ast.Lt | ast.LtE)
    n, m = one.type.length, other.type.length
    last = (n < m if less else n > m) or (n == m and isinstance(op, ast.LtE | ast.GtE))
    result = em.constant(last)
    for a, b in reversed([*zip(one.ops, other.ops, strict=False)]):
        equal = both(em, em.let_bool(f"icmp eq i64 {a}, {b}"), result)
        before = em.let(f"icmp {'slt' if less else 'sgt'} i64 {a}, {b}")
        result = em.let_bool(f"or i1 {before}, {equal.op}")
    return result


def joined(em: Emitter, parts: list[Value], node: object) -> Value:
    """Return the concatenation of texts."""
    parts = [em.as_text(part) for part in parts]
    if all(isinstance(part.type, Text) for part in parts):
        ops = tuple(op for part in parts for op in part.ops)
        return Value(Text(len(ops), text_class(parts[0].type) or str), ops)
    item = next(part.item for part in parts if isinstance(part.type, TextOf))
    parts = [in_frame(em, part) for part in parts]
    total = parts[0].ops[1]
    for part in parts[1:]:
        total = em.let(f"add nsw i64 {total}, {part.ops[1]}")
    check_room(em, total, node)
    data, at = em.list_room(item), "0"
    for part in parts:
        size = em.let(f"shl i64 {part.ops[1]}, 3")
        to = item_place(em, item, data, at)
        em.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {part.ops[0]}, i64 {size}, i1 false)")
        at = em.let(f"add nsw i64 {at}, {part.ops[1]}")
    return Value(TextOf(item), (data, total), fresh=True)


def repeated(em: Emitter, left: Value, right: Value, node: object) -> Value | None:
    """Return a text of fixed length times a constant int; None for other operands."""
    if isinstance(right.type, Text):
        left, right = right, left
    if not isinstance(left.type, Text) or right.type is not INT or not right.known:
        return None
    if len(left.ops) * right.const > MOST:
        em.fail(node, f"a text of {len(left.ops) * right.const} characters is too long for compiled code")
    ops = left.ops * right.const
    return Value(Text(len(ops), left.type.cls), ops)


def text_contains(em: Emitter, items: Value, wanted: Value, node: object) -> Value:
    """Return whether a text contains another, or bytes an int or other bytes."""
    return em.let_bool(f"icmp sge i64 {sought(em, items, wanted, node)}, 0")


def sought(em: Emitter, items: Value, wanted: Value, node: object) -> str:
    """Return the first place of a text in another, or of an int in bytes; -1 if there is none."""
    wanted = part_of(em, items, wanted, node)
    items = em.as_text(items)
    n = len(wanted.ops)
    if isinstance(items.type, TextOf) or isinstance(wanted.type, TextOf):
        return sought_in_memory(em, in_frame(em, items), in_frame(em, wanted))
    i = "-1"
    for at in reversed(range(len(items.ops) - n + 1)):
        pairs = zip(items.ops[at : at + n], wanted.ops, strict=True)
        equal = [em.let_bool(f"icmp eq i64 {a}, {b}") for a, b in pairs]
        same = reduce(partial(both, em), equal, em.constant(True))
        i = em.let(f"select i1 {same.op}, i64 {at}, i64 {i}")
    return i


def sought_in_memory(em: Emitter, items: Value, wanted: Value) -> str:
    """Return the first place of a text in another, both of any length; -1 if there is none."""
    place, end = em.room("i64"), em.label("end")
    em.store("i64", "-1", place)

    def look(at: Value) -> None:
        other = em.label("other")

        def compare(j: Value) -> None:
            following = em.label("same")
            item = load_item(em, items, em.let(f"add nsw i64 {at.op}, {j.op}"))
            code = load_item(em, wanted, j.op)
            em.branch(em.let(f"icmp eq i64 {item.op}, {code.op}"), following, other)
            em.start(following)

        count_loop(em, em.constant(0), wanted.length, compare, short=True)
        em.store("i64", at.op, place)
        em.goto(end)
        em.start(other)

    places = em.let(f"sub nsw i64 {items.ops[1]}, {wanted.ops[1]}")
    count_loop(em, em.constant(0), em.let_int(f"add nsw i64 {places}, 1"), look)
    em.start(end)
    return em.load("i64", place)


def part_of(em: Emitter, items: Value, wanted: Value, node: object) -> Value:
    """Return what is sought in a text, as a text that is not a constant; other values are refused."""
    cls = text_class(items.type)
    wanted = em.as_text(em.required(wanted, node))
    if cls is bytes and wanted.type is INT:
        outside = em.let(f"icmp ugt i64 {wanted.op}, 255")
        em.check(outside, ValueError, "byte must be in range(0, 256)", node)
        return Value(Text(1, bytes), wanted.ops)
    if text_class(wanted.type) is not cls:
        em.fail(node, f"{wanted.type} cannot be sought in {em.as_text(items).type} in compiled code")
    return wanted


def single(em: Emitter, value: Value, node: object) -> str:
    """Return the code of a text of one character."""
    value = em.as_text(em.required(value, node))
    if not isinstance(value.type, Text) or value.type.length != 1:
        em.fail(node, f"a text of one character is required here, not {value.type}")
    return value.op


def converted_byte(em: Emitter, value: Value, node: object) -> Value:
    """Return an int that becomes an item of bytes, after a check."""
    value = em.convert(em.required(value, node), INT, node)
    outside = em.let(f"icmp ugt i64 {value.op}, 255")
    em.check(outside, ValueError, "bytes must be in range(0, 256)", node)
    return value
