"""Methods and functions of texts and bytes."""

from __future__ import annotations

import ast

from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.iteration import iterate, static_length
from arena.compiler.function.lists import gather, load_item
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.function.texts import converted_byte, equal_texts, part_of, single, sought
from arena.compiler.function.traversal import iterate_value
from arena.compiler.types import (
    INT,
    UNKNOWN,
    BytearrayOf,
    Text,
    TextOf,
    Type,
    Value,
    text_class,
    unsettled,
)

CODES = 0x110000  # number of code points


@lowers_method(Text, "count", args=(1, 1))
@lowers_method(TextOf, "count", args=(1, 1))
def text_count(em: Emitter, owner: Value, node: ast.Call) -> Value:
    wanted = expression(em, node.args[0])
    if wanted.type is UNKNOWN:
        return wanted
    part = part_of(em, owner, wanted, node)
    if not isinstance(part.type, Text) or part.type.length != 1:
        em.fail(node, "count of a text compiles only for one character")
    place = em.room("i64")
    em.store("i64", "0", place)

    def each(item: Value) -> None:
        same = em.let(f"icmp eq i64 {item.op}, {part.op}")
        em.store("i64", em.let(f"add i64 {em.load('i64', place)}, {em.let(f'zext i1 {same} to i64')}"), place)

    iterate_value(em, owner, each, None)
    return em.let_int(f"load i64, ptr {place}")


@lowers_method(Text, "find", args=(1, 1))
@lowers_method(TextOf, "find", args=(1, 1))
def text_find(em: Emitter, owner: Value, node: ast.Call) -> Value:
    wanted = expression(em, node.args[0])
    return wanted if wanted.type is UNKNOWN else Value(INT, (sought(em, owner, wanted, node),))


@lowers_method(Text, "index", args=(1, 1))
@lowers_method(TextOf, "index", args=(1, 1))
def text_index(em: Emitter, owner: Value, node: ast.Call) -> Value:
    found = text_find(em, owner, node)
    if found.type is not UNKNOWN:
        em.check(em.let(f"icmp slt i64 {found.op}, 0"), ValueError, "substring not found", node)
    return found


@lowers_method(Text, "startswith", args=(1, 1))
@lowers_method(Text, "endswith", args=(1, 1))
def text_startswith(em: Emitter, owner: Value, node: ast.Call) -> Value:
    """Return whether a text begins, or ends, with another."""
    wanted = expression(em, node.args[0])
    if wanted.type is UNKNOWN:
        return wanted
    assert isinstance(node.func, ast.Attribute)
    assert isinstance(owner.type, Text)
    part = em.as_text(wanted)
    if not isinstance(part.type, Text) or part.type.cls is not owner.type.cls:
        em.fail(node, f"{node.func.attr} compiles only with a text of fixed length, not {part.type}")
    n, m = owner.type.length, part.type.length
    at = 0 if node.func.attr == "startswith" else n - m
    ops = owner.ops[at : at + m] if m <= n else ()
    return equal_texts(em, Value(Text(len(ops), owner.type.cls), ops), part, node)


@lowers_method(Text, "replace", args=(2, 3))
@lowers_method(TextOf, "replace", args=(2, 3))
def text_replace(em: Emitter, owner: Value, node: ast.Call) -> Value:
    """Return a text with one character replaced by another, everywhere or a number of times."""
    given = [expression(em, part) for part in node.args]
    if any(value.type is UNKNOWN for value in given):
        return Value(UNKNOWN)
    one, other = (single_part(em, owner, value, node) for value in given[:2])
    left = em.room("i64")
    times = em.convert(given[2], INT, node).op if len(given) > 2 else "-1"
    em.store("i64", times, left)  # as in Python, there is no limit if it is negative

    def replaced(item: Value) -> Value:
        n = em.load("i64", left)
        more = em.let(f"icmp ne i64 {n}, 0")
        hit = em.let(f"and i1 {more}, {em.let(f'icmp eq i64 {item.op}, {one}')}")
        em.store("i64", em.let(f"sub i64 {n}, {em.let(f'zext i1 {hit} to i64')}"), left)
        return Value(item.type, (em.let(f"select i1 {hit}, i64 {other}, i64 {item.op}"),))

    if isinstance(owner.type, Text):
        return Value(owner.type, tuple(replaced(item).op for item in em.items_of(owner)))
    made = gather(em, node, lambda each: iterate_value(em, owner, lambda item: each(replaced(item)), None))
    return text_of(em, owner.item, made)


def single_part(em: Emitter, owner: Value, value: Value, node: ast.Call) -> str:
    """Return the code of an argument that must be a text of one character, or bytes of length 1."""
    value = em.as_text(value)
    if value.type != Text(1, text_class(owner.type) or str):
        em.fail(node, f"replace of a text compiles only for one character by another, not {value.type}")
    return value.op


def text_of(em: Emitter, item: Type, made: Value) -> Value:
    """Return a new list of characters, or of ints from 0 to 255, as a text of any length."""
    data = made.ops[0] if made.item is not UNKNOWN else em.list_room(item)
    return Value(TextOf(item), (data, made.ops[1]), fresh=True)


@lowers_method(Text, "join", args=(1, 1))
def text_join(em: Emitter, owner: Value, node: ast.Call) -> Value:
    """Return the concatenation of texts, of known length if they are those of a comprehension."""
    inner = node.args[0]
    if owner.type != Text(0):
        em.fail(node, 'of joined texts, only "".join(…) compiles')
    known = static_length(em, inner)
    kinds: set[Type] = set()

    def run(each: Each) -> None:
        def part(value: Value) -> None:
            value = em.as_text(value)
            kinds.add(value.type)
            if value.type is UNKNOWN:
                each(value)
            elif text_class(value.type) is not str:
                em.fail(node, f"join compiles only for texts, not {value.type}")
            else:
                iterate_value(em, value, each, None)

        iterate(em, inner, part, alone=True)

    made = gather(em, node, run)
    if known is not None and kinds == {Text(1)}:
        return Value(Text(known), tuple(load_item(em, made, str(i)).op for i in range(known)))
    return Value(UNKNOWN) if UNKNOWN in kinds else text_of(em, Text(1), made)


@lowers(ord, args=(1, 1))
def lower_ord(em: Emitter, node: ast.Call) -> Value:
    value = expression(em, node.args[0])
    if value.type is UNKNOWN:
        return value
    if isinstance(value.const, str | bytes) and len(value.const) == 1:
        return em.constant(ord(value.const))
    return Value(INT, (single(em, value, node),))


@lowers(chr, args=(1, 1))
def lower_chr(em: Emitter, node: ast.Call) -> Value:
    value = em.required(expression(em, node.args[0]), node)
    if value.type is UNKNOWN:
        return value
    code = em.convert(value, INT, node)
    if code.known and 0 <= code.const < CODES:
        return em.constant(chr(code.const))
    outside = em.let(f"icmp uge i64 {code.op}, {CODES}")
    em.check(outside, ValueError, "chr() arg not in range(0x110000)", node)
    return Value(Text(1), (code.op,))


@lowers(bytes, args=(0, 1))
def lower_bytes(em: Emitter, node: ast.Call) -> Value:
    """Return bytes: zeros, or the items of a list, a bytearray or another sequence of ints."""
    if not node.args:
        return em.constant(b"")
    inner = node.args[0]
    if isinstance(inner, ast.List) and not any(isinstance(part, ast.Starred) for part in inner.elts):
        items = [converted_byte(em, expression(em, part), node) for part in inner.elts]
        return Value(Text(len(items), bytes), tuple(item.op for item in items))
    if not isinstance(inner, ast.GeneratorExp | ast.ListComp | ast.Call):
        value = expression(em, inner)
        if value.type is INT and value.known and 0 <= value.const <= em.unit.cap:
            return em.constant(bytes(value.const))
        if text_class(value.type) is bytes or value.type is UNKNOWN:
            return value
    return text_of(em, INT, bytes_in(em, inner, node))


def bytes_in(em: Emitter, inner: ast.expr, node: ast.Call) -> Value:
    """Return a new list of the ints of an iterable, which must be from 0 to 255, or of a number of zeros."""
    zeros = expression(em, inner) if isinstance(inner, ast.Constant | ast.Name | ast.Attribute) else None

    def run(each: Each) -> None:
        def part(value: Value) -> None:
            each(value if unsettled(value.type) else converted_byte(em, value, node))

        if zeros is not None and zeros.type is INT and zeros.known:
            count_loop(em, em.constant(0), zeros, lambda _: each(em.constant(0)))
        else:
            iterate(em, inner, part, alone=True)

    return gather(em, node, run)


@lowers(bytearray, args=(1, 1))
def lower_bytearray(em: Emitter, node: ast.Call) -> Value:
    made = bytes_in(em, node.args[0], node)
    return Value(BytearrayOf(made.item), made.ops, fresh=True)
