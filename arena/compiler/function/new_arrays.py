"""New arrays in memory that compiled code allocates."""

from __future__ import annotations

from collections.abc import Sequence

from arena.compiler.function.emitter import Emitter
from arena.compiler.function.memory import allocate
from arena.compiler.types import DTYPES, INT, ArrayOf, Value

MOST = 1 << 29  # maximum extent, so that sizes in bytes fit in 64 bits


def new_array(em: Emitter, dtype: str, shape: Sequence[Value], node: object) -> Value:
    """Return a new array whose elements are not set yet."""
    for extent in shape:
        check_extent(em, extent, node)
    n = "1"
    for extent in shape:
        n = extent.op if n == "1" else em.let(f"mul i64 {n}, {extent.op}")
    size = em.let(f"mul i64 {n}, {DTYPES[dtype][1]}")
    where = allocate(em, em.let(f"add i64 {size}, 1"), node)  # never empty
    return Value(ArrayOf(dtype, len(shape)), (where, *(extent.op for extent in shape)))


def check_extent(em: Emitter, extent: Value, node: object) -> None:
    if extent.known and 0 <= extent.const <= MOST:
        return
    negative = em.let(f"icmp slt i64 {extent.op}, 0")
    em.check(negative, ValueError, "negative dimensions are not allowed", node)
    beyond = em.let(f"icmp sgt i64 {extent.op}, {MOST}")
    em.check(beyond, MemoryError, "no memory for an array", node)


def like(em: Emitter, array: Value, dtype: str, node: object) -> Value:
    """Return a new array with the shape of another, whose elements are not set yet."""
    return new_array(em, dtype, [extent_of(em, op) for op in array.ops[1:]], node)


def extent_of(em: Emitter, op: str) -> Value:
    """Return an extent of an array as an int, which is a constant if the operand is."""
    return em.constant(int(op)) if op.isdigit() else Value(INT, (op,))
