"""The order of an array's elements: `argsort`."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from arena.compiler.function.array_creation import options
from arena.compiler.function.array_values import as_operand
from arena.compiler.function.arrays import flat_element
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.new_arrays import extent_of, new_array
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.types import FLOAT, INT, UNKNOWN, ArrayOf, Value

STABLE = "stable", "mergesort"  # numpy's names of the same order
OTHER = 'argsort compiles only with kind="stable"; the order of equal elements is otherwise undefined'


@lowers(np.argsort, args=(1, 1), keywords=True)
def lower_argsort(em: Emitter, node: ast.Call) -> Value:
    given = options(em, node, "a", "kind")
    return order_of(em, as_operand(em, expression(em, given["a"]), node), given.get("kind"), node)


@lowers_method(ArrayOf, "argsort", args=(0, 0), keywords=True)
def array_argsort(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return order_of(em, owner, options(em, node, "kind").get("kind"), node)


def order_of(em: Emitter, array: Value, kind: ast.expr | None, node: Any) -> Value:
    """Return the indices that sort an array, computed by a merge sort from the bottom up."""
    if kind is None or expression(em, kind).const not in STABLE:
        em.fail(node, OTHER)
    if array.type is UNKNOWN:
        return array
    if not isinstance(array.type, ArrayOf) or array.type.ndim != 1:
        em.fail(node, "argsort compiles only for arrays of one dimension")
    n = array.ops[1]
    made, other = (new_array(em, "int64", [extent_of(em, n)], node) for _ in range(2))
    given, merged, width = em.room("ptr"), em.room("ptr"), em.room("i64")
    em.store("ptr", made.op, given)
    em.store("ptr", other.op, merged)
    em.store("i64", "1", width)
    count_loop(em, em.constant(0), array.length, lambda i: set_index(em, made.op, i.op, i.op))
    head, body, end = em.label("runs"), em.label("merge"), em.label("sorted")
    em.start(head)
    em.branch(em.let(f"icmp slt i64 {em.load('i64', width)}, {n}"), body, end)
    em.start(body)
    before, after, size = em.load("ptr", given), em.load("ptr", merged), em.load("i64", width)
    merge_runs(em, array, before, after, size)
    em.store("ptr", after, given)
    em.store("ptr", before, merged)
    em.store("i64", em.let(f"shl i64 {size}, 1"), width)
    em.goto(head)
    em.start(end)
    return Value(made.type, (em.load("ptr", given), n))


def merge_runs(em: Emitter, array: Value, before: str, after: str, size: str) -> None:
    """Merge each two neighbouring runs of sorted indices, of `size` each, from one address to another."""
    n = array.ops[1]
    left, middle, right, end = (em.room("i64") for _ in range(4))
    em.store("i64", "0", end)

    def place(k: Value) -> None:
        fresh, merge, both, compare, one, other, done = (
            em.label(hint) for hint in ("pair", "next", "both", "compare", "left", "right", "done")
        )
        em.branch(em.let(f"icmp eq i64 {k.op}, {em.load('i64', end)}"), fresh, merge)
        em.start(fresh)
        half = em.intrinsic("smin.i64", em.let(f"add i64 {k.op}, {size}"), n)
        for where, op in ((left, k.op), (middle, half), (right, half)):
            em.store("i64", op, where)
        em.store("i64", em.intrinsic("smin.i64", em.let(f"add i64 {half}, {size}"), n), end)
        em.start(merge)
        i, j = em.load("i64", left), em.load("i64", right)
        em.branch(em.let(f"icmp slt i64 {j}, {em.load('i64', end)}"), both, one)
        em.start(both)
        em.branch(em.let(f"icmp slt i64 {i}, {em.load('i64', middle)}"), compare, other)
        em.start(compare)
        items = [flat_element(em, array, index_at(em, before, x)) for x in (i, j)]
        em.branch(is_before(em, items[1], items[0]), other, one)
        for label, x, where in ((one, i, left), (other, j, right)):
            em.start(label)
            set_index(em, after, k.op, index_at(em, before, x))
            em.store("i64", em.let(f"add i64 {x}, 1"), where)
            em.goto(done)
        em.start(done)

    count_loop(em, em.constant(0), array.length, place)


def is_before(em: Emitter, item: Value, other: Value) -> str:
    """Return whether an element comes before another; NaN comes last."""
    if item.type is not FLOAT:
        return em.let(f"icmp {'slt' if item.type is INT else 'ult'} {item.type.irs[0]} {item.op}, {other.op}")
    less = em.let(f"fcmp olt double {item.op}, {other.op}")
    number = em.let(f"fcmp ord double {item.op}, {item.op}")
    return em.let(f"select i1 {em.let(f'fcmp uno double {other.op}, {other.op}')}, i1 {number}, i1 {less}")


def index_at(em: Emitter, indices: str, i: str) -> str:
    return em.let(f"load i64, ptr {em.let(f'getelementptr i64, ptr {indices}, i64 {i}')}, !tbaa !12")


def set_index(em: Emitter, indices: str, i: str, op: str) -> None:
    em.emit(f"store i64 {op}, ptr {em.let(f'getelementptr i64, ptr {indices}, i64 {i}')}, !tbaa !12")
