"""Loops over ints."""

from __future__ import annotations

from arena.compiler.function.emitter import UNLIKELY, Emitter
from arena.compiler.function.frame import Each
from arena.compiler.types import INT, Value


def count_loop(
    em: Emitter, start: Value, stop: Value, each: Each, step: int = 1, short: bool = False
) -> None:
    """Write `each` for the ints from start up to stop, or down to it.

    A step beyond 64 bits ends the loop; with `short` there is none, as in a loop over a list.
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
        flags = " nsw" if short or step in (1, -1) or is_near(stop, step) else ""
        following = em.let(f"add{flags} i64 {i}, {step}")
        em.store("i64", following, place)
        if not flags:
            wraps = em.let(f"icmp {'slt' if step > 0 else 'sgt'} i64 {following}, {i}")
            em.branch(wraps, end, head, UNLIKELY)
    em.goto(head)
    em.start(end)


def is_near(stop: Value, step: int) -> bool:
    """Return whether one step past the last value fits into 64 bits."""
    return stop.known and -(2**63) <= stop.const + step < 2**63
