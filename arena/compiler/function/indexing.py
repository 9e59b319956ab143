"""Indices, slices, and loops over ints."""

from __future__ import annotations

from typing import Any

from arena.compiler.function.emitter import UNLIKELY, Emitter
from arena.compiler.function.frame import Each
from arena.compiler.types import BOOL, INT, UNKNOWN, Value

Slice = tuple[Any, ...]  # its bounds, values or None, and its step, an int, unless it is 1


def checked_index(em: Emitter, at: Value, n: str, node: object, what: str, check: bool = False) -> str:
    """Return an index as a position from 0; negative indices count from the end."""
    at = em.required(at, node)
    if at.type is BOOL and what == "array":
        em.fail(node, "an index must be an int, not a bool; write int(…)")
    if at.type is BOOL:
        at = em.convert(at, INT, node)
    if at.type is UNKNOWN:
        return "0"
    if at.type is not INT:
        em.fail(node, f"an index must be an int, not {at.type}")
    if at.known:
        i = at.op if at.const >= 0 else em.let(f"add i64 {n}, {at.op}")
    else:
        negative = em.let(f"icmp slt i64 {at.op}, 0")
        from_end = em.let(f"add i64 {at.op}, {n}")
        i = em.let(f"select i1 {negative}, i64 {from_end}, i64 {at.op}")
    if em.bounded or check:
        em.check(em.let(f"icmp uge i64 {i}, {n}"), IndexError, f"{what} index out of range", node)
    return i


def slice_bounds(em: Emitter, at: Slice, n: str, node: object) -> tuple[str, str]:
    """Return the start and the length of a slice of a sequence with `n` items."""
    if len(at) > 2:
        em.fail(node, "a slice with a step compiles only for lists and tuples")
    low, high = (clamped(em, value, n, "0", n, node) if value else None for value in at)
    if low in (None, "0"):
        return "0", high or n
    return low, em.let(f"call i64 @llvm.smax.i64(i64 {em.let(f'sub i64 {high or n}, {low}')}, i64 0)")


def clamped(em: Emitter, value: Value, n: str, least: str, most: str, node: object) -> str:
    """Return a bound of a slice as a position between two others; negative ones count from the end."""
    op = em.convert(value, INT, node).op
    if not (value.known and value.const >= 0):
        negative = em.let(f"icmp slt i64 {op}, 0")
        op = em.let(f"select i1 {negative}, i64 {em.let(f'add i64 {op}, {n}')}, i64 {op}")
        op = em.intrinsic("smax.i64", op, least)
    return em.intrinsic("smin.i64", op, most)


def count_loop(
    em: Emitter, start: Value, stop: Value, each: Each, step: int = 1, short: bool = False
) -> None:
    """Write a loop over `range(start, stop, step)`; `each` writes the body.

    The loop ends if the next value exceeds 64 bits. With `short`, as in a loop over a list, it cannot.
    """
    if start.known and stop.known and not range(start.const, stop.const, step):
        return
    place = em.room("i64")
    head, body, end = em.label("loop"), em.label("body"), em.label("end")
    em.store("i64", start.op, place)
    em.start(head)
    i = em.load("i64", place)
    em.branch(em.let(f"icmp {'slt' if step > 0 else 'sgt'} i64 {i}, {stop.op}"), body, end)
    em.start(body)
    each(Value(INT, (i,)))
    if not em.dead:
        near = stop.known and -(2**63) <= stop.const + step < 2**63  # one step past the last value still fits
        flags = " nsw" if short or step in (1, -1) or near else ""
        following = em.let(f"add{flags} i64 {i}, {step}")
        em.store("i64", following, place)
        if not flags:
            wraps = em.let(f"icmp {'slt' if step > 0 else 'sgt'} i64 {following}, {i}")
            em.branch(wraps, end, head, UNLIKELY)
    em.goto(head)
    em.start(end)
