"""Element-wise operators on arrays, and numpy's `where`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arena.compiler.function.arithmetic import BITS, FRACTIONS, WHOLE
from arena.compiler.function.array_values import (
    as_operand,
    broadcast,
    flat,
    kind_of,
    np_name,
    put_element,
)
from arena.compiler.function.arrays import flat_element
from arena.compiler.function.comparisons import COMPARED, compared_numbers, truth_of
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.new_arrays import like, new_array
from arena.compiler.function.products import product
from arena.compiler.function.registry import combines, lowers
from arena.compiler.function.ufuncs import apply
from arena.compiler.types import BOOL, FLOAT, INT, UNKNOWN, ArrayOf, Value, join

OTHER = {ast.FloorDiv: "floor_divide", ast.Mod: "remainder"}
SQUARE_ONLY = "of powers of arrays, only ** 2 compiles; write a * a * a, or np.sqrt(a)"


@combines(ArrayOf)
def operate(em: Emitter, op: Any, left: Value, right: Value | None, node: Any) -> Value:
    """Return the result of an operator on one or two arrays."""
    if right is None:
        return operate_alone(em, op, left, node)
    left, right = as_operand(em, em.materialize(left), node), as_operand(em, em.materialize(right), node)
    if UNKNOWN in (left.type, right.type):
        return Value(UNKNOWN)
    if isinstance(op, ast.MatMult):
        return product(em, left, right, node)
    one, other = kind_of(em, left, node), kind_of(em, right, node)
    kind = join(one, other)
    if type(op) in COMPARED:
        return related(em, type(op), [left, right], node)
    if type(op) in BITS and kind is not FLOAT:
        return calculated(em, BITS[type(op)], [left, right], kind, node)
    if isinstance(op, ast.Div) or (type(op) in FRACTIONS and kind is FLOAT):
        text = "fdiv" if isinstance(op, ast.Div) else FRACTIONS[type(op)]
        return calculated(em, text, [left, right], FLOAT, node)
    if type(op) in WHOLE and kind is INT:
        return calculated(em, WHOLE[type(op)], [left, right], INT, node)
    if type(op) in OTHER and kind is not BOOL:
        return apply(em, OTHER[type(op)], [left, right], kind, node)
    if isinstance(op, ast.Pow) and isinstance(left.type, ArrayOf):
        if right.const != 2 or one is BOOL:
            em.fail(node, SQUARE_ONLY)
        return apply(em, "square", [left], kind, node)
    return em.fail(node, f"{left.type} and {right.type} cannot be combined by this operator in compiled code")


def operate_alone(em: Emitter, op: Any, value: Value, node: Any) -> Value:
    """Return the result of a unary operator on an array."""
    kind = kind_of(em, value, node)
    if isinstance(op, ast.USub) and kind is not BOOL:
        return apply(em, "negative", [value], kind, node)
    if isinstance(op, ast.Invert) and kind is not FLOAT:
        ones = em.constant(True if kind is BOOL else -1)
        return calculated(em, "xor", [value, ones], kind, node)
    return em.fail(node, f"{value.type} does not support this operator in compiled code")


def related(em: Emitter, kind: Any, values: Sequence[Value], node: object) -> Value:
    """Return an array of the results of an element-wise comparison."""

    def compare(items: Sequence[Value]) -> Value:
        return compared_numbers(em, kind, items[0], items[1], node)

    return elementwise(em, values, BOOL, compare, node)


def calculated(em: Emitter, text: str, values: Sequence[Value], kind: Any, node: object) -> Value:
    """Return an array of the results of an LLVM instruction for all elements."""
    ir = kind.irs[0]

    def calculate(items: Sequence[Value]) -> Value:
        ops = ", ".join(em.convert(item, kind, node).op for item in items)
        return Value(kind, (em.let(f"{text} {ir} {ops}"),))

    return elementwise(em, values, kind, calculate, node)


def elementwise(
    em: Emitter, values: Sequence[Value], kind: Any, of: Callable[[Sequence[Value]], Value], node: object
) -> Value:
    """Return a new array of the results of `of` for corresponding elements; numbers are broadcast."""
    values = broadcast(em, values, node)
    whole = next(value for value in values if isinstance(value.type, ArrayOf))
    made = like(em, whole, np_name(kind), node)
    rows = [flat(em, value) if isinstance(value.type, ArrayOf) else value for value in values]

    def put(i: Value) -> None:
        items = [flat_element(em, row, i.op) if isinstance(row.type, ArrayOf) else row for row in rows]
        put_element(em, made, i, of(items), node)

    count_loop(em, em.constant(0), flat(em, whole).length, put)
    return made


@lowers(np.where, args=(1, 3))
def lower_where(em: Emitter, node: ast.Call) -> Value:
    values = [as_operand(em, expression(em, part), part) for part in node.args]
    if any(value.type is UNKNOWN for value in values):
        return Value(UNKNOWN)
    if len(values) == 1:
        return em.tuple_of([true_places(em, values[0], node)])
    if len(values) == 2 or not isinstance(values[0].type, ArrayOf):
        em.fail(node, "np.where compiles only for an array, alone or with two arrays or numbers")
    kind = join(*(kind_of(em, value, node) for value in values[1:]))
    ir = kind.irs[0]

    def choose(items: Sequence[Value]) -> Value:
        yes, no = (em.convert(item, kind, node) for item in items[1:])
        return Value(
            kind, (em.let(f"select i1 {truth_of(em, items[0], node).op}, {ir} {yes.op}, {ir} {no.op}"),)
        )

    return elementwise(em, values, kind, choose, node)


@lowers(np.flatnonzero, args=(1, 1))
def lower_flatnonzero(em: Emitter, node: ast.Call) -> Value:
    value = as_operand(em, expression(em, node.args[0]), node)
    return value if value.type is UNKNOWN else true_places(em, flat(em, value), node)


def true_places(em: Emitter, array: Value, node: object) -> Value:
    """Return an array of the flat indices of the true elements."""
    if not isinstance(array.type, ArrayOf) or array.type.ndim > 1:
        em.fail(node, "this compiles only for arrays of one dimension; use np.flatnonzero(…)")
    made = new_array(em, "int64", [array.length], node)
    place = em.room("i64")
    em.store("i64", "0", place)

    def look(i: Value) -> None:
        n = em.load("i64", place)
        put_element(em, made, Value(INT, (n,)), i, node)
        truth = truth_of(em, flat_element(em, array, i.op), node)
        em.store("i64", em.let(f"add i64 {n}, {em.let(f'zext i1 {truth.op} to i64')}"), place)

    count_loop(em, em.constant(0), array.length, look)
    return Value(made.type, (made.ops[0], em.load("i64", place)))
