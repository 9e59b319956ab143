"""Agents that are called by where their machine code is, and the clock."""

from __future__ import annotations

import ast
import time

from arena.compiler import matching
from arena.compiler.function.arguments import int_argument
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.registry import lowers
from arena.compiler.types import RNG, Value


@lowers(matching.ask, args=(5, 5))
def lower_ask(em: Emitter, node: ast.Call) -> Value:
    """See `matching.ask`."""
    address, block, state, moves, stream = (expression(em, part) for part in node.args)
    place = em.room("i64")
    em.store("i64", "-1", place)
    words = [f"{ir} {op}" for ir, op in zip(state.type.irs, state.ops, strict=True)]
    given = [
        pointer(em, block),
        *words,
        f"ptr {moves.ops[0]}",
        f"i64 {moves.ops[1]}",
        f"ptr {stream.op}",
        f"ptr {place}",
    ]
    status = em.let(f"call i32 {em.let(f'inttoptr i64 {address.op} to ptr')}({', '.join(given)})")
    wide = em.let_int(f"zext i32 {status} to i64")
    return em.tuple_of([wide, em.let_int(f"load i64, ptr {place}")])


@lowers(matching.tell, args=(3, 3))
def lower_tell(em: Emitter, node: ast.Call) -> Value:
    """See `matching.tell`."""
    address, block, seat = (expression(em, part) for part in node.args)
    given = f"{pointer(em, block)}, i64 {seat.op}, ptr null"
    status = em.let(f"call i32 {em.let(f'inttoptr i64 {address.op} to ptr')}({given})")
    return em.let_int(f"zext i32 {status} to i64")


@lowers(matching.stream, args=(2, 2))
def lower_stream(em: Emitter, node: ast.Call) -> Value:
    """See `matching.stream`."""
    words, i = expression(em, node.args[0]), int_argument(em, node.args[1])
    at = em.let(f"shl i64 {i.op}, 1")
    return Value(RNG, (em.let(f"getelementptr inbounds i64, ptr {words.ops[0]}, i64 {at}"),))


def pointer(em: Emitter, address: Value) -> str:
    """An address as an operand of a call."""
    return f"ptr {em.let(f'inttoptr i64 {address.op} to ptr')}"


@lowers(time.perf_counter_ns, args=(0, 0))
def lower_clock(em: Emitter, node: ast.Call) -> Value:
    em.unit.need_helper("clock")
    em.unit.uses_clock = True
    return em.let_int("call i64 @arena.clock()")
