"""Indexes and slices: the places that they mean."""

from __future__ import annotations

from typing import Any

from arena.compiler.function.emitter import Emitter
from arena.compiler.types import BOOL, INT, UNKNOWN, Value

Slice = tuple[Value | None, Value | None]


def checked_index(em: Emitter, at: Value, n: str, node: Any, what: str, check: bool = False) -> str:
    """The place that an index means, a negative one counted from the end."""
    if at.type is BOOL and what == "array":
        em.fail(node, "an index is an int, and not a bool; write int(…)")
    if at.type is BOOL:
        at = em.convert(at, INT, node)
    if at.type is UNKNOWN:
        return "0"
    if at.type is not INT:
        em.fail(node, f"an index is an int, and not {at.type}")
    if at.known:
        i = at.op if at.const >= 0 else em.let(f"add i64 {n}, {at.op}")
    else:
        negative = em.let(f"icmp slt i64 {at.op}, 0")
        from_end = em.let(f"add i64 {at.op}, {n}")
        i = em.let(f"select i1 {negative}, i64 {from_end}, i64 {at.op}")
    if em.bounded or check:
        em.check(em.let(f"icmp uge i64 {i}, {n}"), IndexError, f"{what} index out of range", node)
    return i


def slice_bounds(em: Emitter, at: Slice, n: str, node: Any) -> tuple[str, str]:
    """Where a slice of something with so many items begins, and how many it has."""

    def clamp(value: Value | None, default: str) -> str:
        if value is None:
            return default
        op = em.convert(value, INT, node).op
        if value.known and value.const >= 0:
            place = op
        else:
            negative = em.let(f"icmp slt i64 {op}, 0")
            place = em.let(f"select i1 {negative}, i64 {em.let(f'add i64 {op}, {n}')}, i64 {op}")
            place = em.let(f"call i64 @llvm.smax.i64(i64 {place}, i64 0)")
        return em.let(f"call i64 @llvm.smin.i64(i64 {place}, i64 {n})")

    low, high = clamp(at[0], "0"), clamp(at[1], n)
    if low == "0":
        return low, high
    return low, em.let(f"call i64 @llvm.smax.i64(i64 {em.let(f'sub i64 {high}, {low}')}, i64 0)")
