"""Products of vectors and matrices, computed by numpy's inner loops, which call its BLAS library."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from arena.compiler.function.array_values import as_operand, cast, kind_of, np_name
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.new_arrays import extent_of, new_array
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.function.ufuncs import call_loop, need_loop
from arena.compiler.types import DTYPES, UNKNOWN, ArrayOf, Value, join


@lowers(np.dot, np.matmul, args=(2, 2))
def lower_dot(em: Emitter, node: ast.Call) -> Value:
    left, right = (expression(em, part) for part in node.args)
    return product(em, left, right, node)


@lowers_method(ArrayOf, "dot", args=(1, 1))
def array_dot(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return product(em, owner, expression(em, node.args[0]), node)


def product(em: Emitter, left: Value, right: Value, node: Any) -> Value:
    """Return `left @ right` for vectors and matrices."""
    left, right = as_operand(em, left, node), as_operand(em, right, node)
    if UNKNOWN in (left.type, right.type):
        return Value(UNKNOWN)
    for value in (left, right):
        if not isinstance(value.type, ArrayOf) or value.type.ndim > 2:
            em.fail(node, f"products compile only for arrays of one or two dimensions, not {value.type}")
    kind = join(kind_of(em, left, node), kind_of(em, right, node))
    dtype = np_name(kind)
    loop = f"matmul {dtype} {dtype} {dtype}"
    need_loop(em, loop, node)
    left, right = cast(em, left, dtype, node), cast(em, right, dtype, node)
    inner, size = left.ops[-1], DTYPES[dtype][1]
    if inner != right.ops[1]:
        unlike = em.let(f"icmp ne i64 {inner}, {right.ops[1]}")
        em.check(unlike, ValueError, "the arrays of a product do not have matching extents", node)
    rows = left.ops[1] if left.array.ndim == 2 else "1"
    columns = right.ops[2] if right.array.ndim == 2 else "1"
    shape = [extent_of(em, left.ops[1])] * (left.array.ndim - 1)
    shape += [extent_of(em, columns)] * (right.array.ndim - 1)
    made = new_array(em, dtype, shape, node) if shape else Value(ArrayOf(dtype, 0), (em.room(kind.irs[0]),))
    steps = [
        em.let(f"mul i64 {inner}, {size}"), str(size),
        em.let(f"mul i64 {columns}, {size}"), str(size),
        em.let(f"mul i64 {columns}, {size}"), str(size),
    ]  # fmt: skip
    operands = [(value.ops[0], 0) for value in (left, right, made)]
    call_loop(em, loop, operands, ["1", rows, inner, columns], steps)
    return made if shape else Value(kind, (em.load(kind.irs[0], made.ops[0]),))
