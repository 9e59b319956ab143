"""Reductions of arrays: sums, minima, maxima and their positions, `any` and `all`."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from arena.compiler.function.array_creation import options
from arena.compiler.function.array_values import as_operand, cast, flat, kind_of, np_name
from arena.compiler.function.arrays import flat_element, size_of_array
from arena.compiler.function.comparisons import truth_of
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.new_arrays import extent_of, new_array
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.function.ufuncs import call_loop, need_loop
from arena.compiler.types import BOOL, FLOAT, INT, UNKNOWN, ArrayOf, Value, literal

LOOPS = {"sum": "add", "max": "maximum", "min": "minimum", "amax": "maximum", "amin": "minimum"}
EMPTY = "zero-size array to reduction operation {} which has no identity"


def reduced_argument(em: Emitter, node: ast.Call) -> tuple[Value, ast.expr | None]:
    """Return the array that a call of a numpy function reduces, and the node of its `axis`."""
    given = options(em, node, "a", "axis")
    return as_operand(em, expression(em, given["a"]), node), given.get("axis")


@lowers(np.sum, np.max, np.min, np.amax, np.amin, args=(1, 2), keywords=True)
def lower_reduction(em: Emitter, node: ast.Call) -> Value:
    value, axis = reduced_argument(em, node)
    return reduced(em, expression(em, node.func).const.__name__, value, axis, node)


@lowers_method(ArrayOf, "sum", args=(0, 1), keywords=True)
@lowers_method(ArrayOf, "max", args=(0, 1), keywords=True)
@lowers_method(ArrayOf, "min", args=(0, 1), keywords=True)
def array_reduction(em: Emitter, owner: Value, node: ast.Call) -> Value:
    assert isinstance(node.func, ast.Attribute)
    return reduced(em, node.func.attr, owner, options(em, node, "axis").get("axis"), node)


def reduced(em: Emitter, name: str, array: Value, axis: ast.expr | None, node: Any) -> Value:
    """Return the sum, minimum or maximum of an array, or of each row or column along an axis."""
    if not isinstance(array.type, ArrayOf):
        return array if array.type is UNKNOWN else em.fail(node, f"np.{name} compiles only for arrays")
    kind, ufunc = kind_of(em, array, node), LOOPS[name]
    if kind is BOOL and ufunc != "add":
        em.fail(node, f"np.{name} of an array of bool does not compile; use any or all")
    kind = INT if kind is BOOL else kind
    array = cast(em, array, np_name(kind), node)
    loop = " ".join([ufunc, *[np_name(kind)] * 3])
    need_loop(em, loop, node)
    at = expression(em, axis) if axis is not None else em.constant(None)
    if at.const is None and at.known:
        place = em.room(kind.irs[0])
        reduce_row(em, loop, array.ops[0], size_of_array(em, array), place, "8", node)
        return Value(kind, (em.load(kind.irs[0], place),))
    if not at.known or not isinstance(at.const, int) or not -array.array.ndim <= at.const < array.array.ndim:
        em.fail(node, f"in compiled code, axis must be a constant from 0 to {array.array.ndim - 1}")
    if array.array.ndim == 1:
        return reduced(em, name, array, None, node)
    if array.array.ndim > 2:
        em.fail(node, "reductions along an axis compile only for arrays of two dimensions")
    return along_rows(em, loop, array, node) if at.const % 2 else along_columns(em, loop, array, node)


def reduce_row(em: Emitter, loop: str, first: str, n: str, place: str, step: str, node: object) -> None:
    """Reduce elements that are `step` bytes apart, and store the result at a place in memory."""
    ir = "double" if "float64" in loop else "i64"
    if loop.startswith("add"):
        em.store(ir, literal(0.0) if ir == "double" else "0", place)
    else:
        text = EMPTY.format(loop.split()[0])
        em.check(em.let(f"icmp eq i64 {n}, 0"), ValueError, text, node)
        em.store(ir, em.load(ir, first), place)
        first = em.let(f"getelementptr i8, ptr {first}, i64 {step}")
        n = em.let(f"sub i64 {n}, 1")
    reduce_loop(em, loop, place, "0", first, step, n)


def reduce_loop(em: Emitter, loop: str, place: str, apart: str, first: str, step: str, n: str) -> None:
    """Combine `n` elements from `first` on with those at `place`, which are `apart` bytes apart."""
    operands: Any = [(place, apart), (first, step), (place, apart)]
    call_loop(em, loop, operands, [n])


def along_rows(em: Emitter, loop: str, array: Value, node: object) -> Value:
    """Return an array of the reductions of a matrix's rows."""
    rows, columns = array.ops[1:]
    made = new_array(em, array.array.dtype, [extent_of(em, rows)], node)

    def row(i: Value) -> None:
        far = em.let(f"mul i64 {em.let(f'mul i64 {i.op}, {columns}')}, 8")
        first = em.let(f"getelementptr i8, ptr {array.ops[0]}, i64 {far}")
        place = em.let(f"getelementptr i64, ptr {made.ops[0]}, i64 {i.op}")
        reduce_row(em, loop, first, columns, place, "8", node)

    count_loop(em, em.constant(0), Value(INT, (rows,)), row)
    return made


def along_columns(em: Emitter, loop: str, array: Value, node: object) -> Value:
    """Return an array of the reductions of a matrix's columns, computed row by row as numpy does.

    A single column is reduced as a vector, for which numpy adds in another order.
    """
    rows, columns = array.ops[1:]
    made = new_array(em, array.array.dtype, [extent_of(em, columns)], node)
    single, many, end = em.label("single"), em.label("many"), em.label("columns")
    em.branch(em.let(f"icmp eq i64 {columns}, 1"), single, many)
    em.start(single)
    reduce_row(em, loop, array.ops[0], rows, made.ops[0], "8", node)
    em.goto(end)
    em.start(many)
    size = em.let(f"mul i64 {columns}, 8")
    begin = em.constant(0)
    if loop.startswith("add"):
        em.emit(f"call void @llvm.memset.p0.i64(ptr {made.ops[0]}, i8 0, i64 {size}, i1 false)")
    else:
        em.check(em.let(f"icmp eq i64 {rows}, 0"), ValueError, EMPTY.format(loop.split()[0]), node)
        places = f"ptr {made.ops[0]}, ptr {array.ops[0]}"
        em.emit(f"call void @llvm.memcpy.p0.p0.i64({places}, i64 {size}, i1 false)")
        begin = em.constant(1)

    def row(i: Value) -> None:
        first = em.let(f"getelementptr i8, ptr {array.ops[0]}, i64 {em.let(f'mul i64 {i.op}, {size}')}")
        reduce_loop(em, loop, made.ops[0], "8", first, "8", columns)

    count_loop(em, begin, Value(INT, (rows,)), row)
    em.goto(end)
    em.start(end)
    return made


@lowers(np.mean, args=(1, 1))
def lower_mean(em: Emitter, node: ast.Call) -> Value:
    return mean(em, reduced_argument(em, node)[0], node)


@lowers_method(ArrayOf, "mean", args=(0, 0))
def array_mean(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return mean(em, owner, node)


def mean(em: Emitter, array: Value, node: object) -> Value:
    """Return the mean of an array."""
    if array.type is UNKNOWN:
        return array
    if kind_of(em, array, node) is not FLOAT or not isinstance(array.type, ArrayOf):
        em.fail(node, f"np.mean compiles only for arrays of floats, not {array.type}")
    total = reduced(em, "sum", array, None, node)
    n = em.let(f"sitofp i64 {size_of_array(em, array)} to double")
    return em.let_float(f"fdiv double {total.op}, {n}")


@lowers(np.argmax, np.argmin, args=(1, 1))
def lower_argmax(em: Emitter, node: ast.Call) -> Value:
    value, _ = reduced_argument(em, node)
    return place_of_extreme(em, expression(em, node.func).const.__name__, value, node)


@lowers_method(ArrayOf, "argmax", args=(0, 0))
@lowers_method(ArrayOf, "argmin", args=(0, 0))
def array_argmax(em: Emitter, owner: Value, node: ast.Call) -> Value:
    assert isinstance(node.func, ast.Attribute)
    return place_of_extreme(em, node.func.attr, owner, node)


def place_of_extreme(em: Emitter, name: str, array: Value, node: object) -> Value:
    """Return the index of the first minimum or maximum of an array, or of the first NaN."""
    if not isinstance(array.type, ArrayOf):
        return array if array.type is UNKNOWN else em.fail(node, f"np.{name} compiles only for arrays")
    kind_of(em, array, node)
    row = flat(em, array)
    text = f"attempt to get {name} of an empty sequence"
    em.check(em.let(f"icmp eq i64 {row.length.op}, 0"), ValueError, text, node)
    first = flat_element(em, row, "0")
    ir, place = first.type.irs[0], em.room("i64")
    best = em.room(ir)
    em.store("i64", "0", place)
    em.store(ir, first.op, best)

    def look(i: Value) -> None:
        item, before = flat_element(em, row, i.op), em.load(ir, best)
        better, other = em.label("better"), em.label("other")
        em.branch(is_better(em, item, before, name == "argmax"), better, other)
        em.start(better)
        em.store("i64", i.op, place)
        em.store(ir, item.op, best)
        em.goto(other)
        em.start(other)

    count_loop(em, em.constant(1), row.length, look)
    return Value(INT, (em.load("i64", place),))


def is_better(em: Emitter, item: Value, before: str, largest: bool) -> str:
    """Return whether an element replaces the current minimum or maximum; the first NaN is never replaced."""
    if item.type is INT:
        return em.let(f"icmp {'sgt' if largest else 'slt'} i64 {item.op}, {before}")
    if item.type is BOOL:
        return em.let(f"icmp {'ugt' if largest else 'ult'} i1 {item.op}, {before}")
    more = em.let(f"fcmp {'ugt' if largest else 'ult'} double {item.op}, {before}")
    number = em.let(f"fcmp ord double {before}, {before}")
    return em.let(f"and i1 {more}, {number}")


@lowers(np.any, np.all, args=(1, 1))
def lower_any(em: Emitter, node: ast.Call) -> Value:
    value, _ = reduced_argument(em, node)
    return any_or_all(em, expression(em, node.func).const.__name__ == "any", value, node)


@lowers_method(ArrayOf, "any", args=(0, 0))
@lowers_method(ArrayOf, "all", args=(0, 0))
def array_any(em: Emitter, owner: Value, node: ast.Call) -> Value:
    assert isinstance(node.func, ast.Attribute)
    return any_or_all(em, node.func.attr == "any", owner, node)


def any_or_all(em: Emitter, some: bool, array: Value, node: object) -> Value:
    """Return whether any element, or with `some` false every element, is true."""
    if not isinstance(array.type, ArrayOf):
        return array if array.type is UNKNOWN else em.fail(node, "np.any and np.all compile only for arrays")
    row, place = flat(em, array), em.room("i1")
    em.store("i1", literal(not some), place)

    def look(i: Value) -> None:
        truth = truth_of(em, flat_element(em, row, i.op), node)
        em.store("i1", em.let(f"{'or' if some else 'and'} i1 {em.load('i1', place)}, {truth.op}"), place)

    count_loop(em, em.constant(0), row.length, look)
    return em.let_bool(f"load i1, ptr {place}")
