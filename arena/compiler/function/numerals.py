"""Numbers in texts: digits as ints, ints as texts, f-strings."""

from __future__ import annotations

import ast
import functools
import sys
import unicodedata

from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.lists import load_item
from arena.compiler.function.registry import lowers, lowers_node
from arena.compiler.function.texts import joined
from arena.compiler.types import INT, UNKNOWN, ListOf, Text, TextOf, Value, text_class

LONGEST = 20  # characters of the longest int, -2**63
MINUS, ZERO = ord("-"), ord("0")


@functools.cache
def zeros() -> tuple[int, ...]:
    """Return the code points of the digit 0 in other scripts; the digits 1 to 9 follow each of them."""
    return tuple(code for code in range(128, sys.maxunicode + 1) if unicodedata.decimal(chr(code), None) == 0)


def digit_of(em: Emitter, text: Value, node: object) -> Value:
    """Convert a digit of any script to an int, as `int` does; other characters raise ValueError."""
    place, plain, other, wrong, end = em.room("i64"), *map(em.label, ("plain", "other", "wrong", "end"))
    digit = em.let(f"sub i64 {text.op}, {ZERO}")
    em.store("i64", digit, place)
    em.branch(em.let(f"icmp ult i64 {digit}, 10"), end, plain)
    em.start(plain)
    em.branch(em.let(f"icmp ult i64 {text.op}, 128"), wrong, other)
    em.start(other)
    table = Value(ListOf(INT), (em.unit.constant_table(zeros(), INT), str(len(zeros()))))

    def look(i: Value) -> None:
        following = em.label("next")
        digit = em.let(f"sub i64 {text.op}, {load_item(em, table, i.op).op}")
        em.store("i64", digit, place)
        em.branch(em.let(f"icmp ult i64 {digit}, 10"), end, following)
        em.start(following)

    count_loop(em, em.constant(0), em.constant(len(zeros())), look)
    em.start(wrong)
    em.raise_error(ValueError, "int() of a text that is no digit", node)
    em.start(end)
    return em.let_int(f"load i64, ptr {place}")


def decimal(em: Emitter, number: Value) -> Value:
    """Return an int as a text, as `str` does."""
    if number.known:
        return em.constant(str(number.const))
    room, first, left = em.room("i64", LONGEST), em.room("i64"), em.room("i64")
    head, signed, end = map(em.label, ("digit", "sign", "end"))
    negative = em.let(f"icmp slt i64 {number.op}, 0")
    opposite = em.let(f"sub i64 0, {number.op}")
    em.store("i64", em.let(f"select i1 {negative}, i64 {opposite}, i64 {number.op}"), left)
    em.store("i64", str(LONGEST), first)

    def put(code: str) -> None:
        at = em.let(f"sub nsw i64 {em.load('i64', first)}, 1")
        em.store("i64", at, first)
        em.emit(f"store i64 {code}, ptr {em.let(f'getelementptr i64, ptr {room}, i64 {at}')}, !tbaa !13")

    em.start(head)
    n = em.load("i64", left)
    put(em.let(f"add nsw i64 {em.let(f'urem i64 {n}, 10')}, {ZERO}"))
    rest = em.let(f"udiv i64 {n}, 10")
    em.store("i64", rest, left)
    done = em.label("done")
    em.branch(em.let(f"icmp eq i64 {rest}, 0"), done, head)
    em.start(done)
    em.branch(negative, signed, end)
    em.start(signed)
    put(str(MINUS))
    em.start(end)
    at = em.load("i64", first)
    data = em.let(f"getelementptr i64, ptr {room}, i64 {at}")
    return Value(TextOf(Text(1)), (data, em.let(f"sub nsw i64 {LONGEST}, {at}")), fresh=True)


def as_written(em: Emitter, value: Value, node: object) -> Value:
    """Return the text that `str` gives for a value."""
    value = em.required(value, node)
    if value.type is UNKNOWN or text_class(value.type) is str:
        return value
    if value.type is not INT:
        em.fail(node, f"{value.type} as a text does not compile, only ints and texts")
    return decimal(em, value)


@lowers(str, args=(1, 1))
def lower_str(em: Emitter, node: ast.Call) -> Value:
    return as_written(em, expression(em, node.args[0]), node)


@lowers_node(ast.JoinedStr)
def lower_joined_str(em: Emitter, node: ast.JoinedStr) -> Value:
    parts: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            if part.format_spec or part.conversion != -1:
                em.fail(node, "f-strings compile only without formats")
            parts.append(as_written(em, expression(em, part.value), node))
        else:
            parts.append(expression(em, part))
    if any(part.type is UNKNOWN for part in parts):
        return Value(UNKNOWN)
    if all(part.known for part in parts):
        return em.constant("".join(part.const for part in parts))
    return joined(em, parts, node)
