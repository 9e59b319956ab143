"""Lowerings of arena's own functions: positions in arrays, bits, components, calls of agents, the clock."""

from __future__ import annotations

import ast
import time

from arena.api import table, words
from arena.api.component import Component, author_of
from arena.compiler import matching
from arena.compiler.function.arrays import check_writable
from arena.compiler.function.attributes import field_of
from arena.compiler.function.comparisons import truth_of
from arena.compiler.function.dispatch import expression, int_argument, int_arguments
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.registry import iterates, lowers
from arena.compiler.types import INT, RNG, UNKNOWN, ArrayOf, ObjectOf, Tuple, Type, Value, literal


def rows(em: Emitter, node: ast.Call, at: int) -> tuple[Value, Value]:
    """Return two arguments of a call: the array of positions at index `at`, and the row after it."""
    words, i = expression(em, node.args[at]), int_argument(em, node.args[at + 1])
    if not isinstance(words.type, ArrayOf) or words.type.dtype != "int64":
        em.fail(node, f"positions must be in an array of int64, not in {words.type}")
    return words, i


def place_of(em: Emitter, words: Value, i: Value, j: int, node: object) -> str:
    """Return the address of number `j` of the position in row `i` of an array."""
    if em.bounded and j == 0:
        beyond = em.let(f"icmp uge i64 {i.op}, {words.ops[1]}")
        em.check(beyond, IndexError, "the row of a position is out of range", node)
    state = em.unit.state
    at = em.let(f"mul nsw i64 {i.op}, {len(state.irs)}")
    return em.let(f"getelementptr inbounds i64, ptr {words.ops[0]}, i64 {em.let(f'add nsw i64 {at}, {j}')}")


@lowers(table.load, args=(3, 3))
def lower_load(em: Emitter, node: ast.Call) -> Value:
    words, i = rows(em, node, 1)
    kind = em.unit.state
    places = (place_of(em, words, i, j, node) for j in range(len(kind.irs)))
    items = [em.let_int(f"load i64, ptr {place}, !tbaa !12") for place in places]
    pairs = zip(items, kind.irs, strict=True)
    return Value(kind, tuple(truth_of(em, item, node).op if ir == "i1" else item.op for item, ir in pairs))


@lowers(table.store, args=(3, 3))
def lower_store(em: Emitter, node: ast.Call) -> Value:
    words, i = rows(em, node, 0)
    check_writable(em, words, node)
    state = expression(em, node.args[2])
    if state.type is UNKNOWN:
        return em.constant(None)
    for j, item in enumerate(em.leaves_of(em.convert(state, em.unit.state, node, "a position"))):
        op = em.convert(item, INT, node).op
        em.emit(f"store i64 {op}, ptr {place_of(em, words, i, j, node)}, !tbaa !12")
    return em.constant(None)


@lowers(table.is_at, args=(3, 3))
def lower_is_at(em: Emitter, node: ast.Call) -> Value:
    words, i = rows(em, node, 0)
    state = expression(em, node.args[2])
    if state.type is UNKNOWN:
        return state
    differ = "0"
    for j, item in enumerate(em.leaves_of(em.convert(state, em.unit.state, node, "a position"))):
        there = em.let(f"load i64, ptr {place_of(em, words, i, j, node)}, !tbaa !12")
        other = em.let(f"xor i64 {there}, {em.convert(item, INT, node).op}")
        differ = em.let(f"or i64 {differ}, {other}")
    return em.let_bool(f"icmp eq i64 {differ}, 0")


@iterates(author_of(Component.components))
def iterate_components(em: Emitter, owner: Value | None, node: ast.Call, each: Each) -> None:
    """Write a loop over a component's parts, with `each` as the body."""
    if owner is None:
        em.fail(node, f"{ast.unparse(node.func)} compiles only as a method")
    for name, (kind, _) in owner.layout.fields.items():
        if isinstance(kind, ObjectOf) and kind.layout.cls.is_part:
            each(field_of(em, owner, name, node))


@lowers(matching.ask, args=(5, 5))
def lower_ask(em: Emitter, node: ast.Call) -> Value:
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


@lowers(table.is_state_and_move, args=(2, 2))
def lower_is_state_and_move(em: Emitter, node: ast.Call) -> Value:
    """Return a constant, so that only one of the two cases of a table's subscript is compiled."""
    with em.undone():
        key = expression(em, node.args[1])
    if key.type is UNKNOWN:
        return key
    kind = key.type
    pair = isinstance(kind, Tuple) and kind.cls is None and len(kind.items) == 2
    return em.constant(pair and isinstance(kind, Tuple) and depth(kind.items[0]) == depth(em.unit.state))


def depth(kind: Type) -> int:
    """Return the nesting depth of a type of tuples at the first item; see `table.depth`."""
    return 1 + (depth(kind.items[0]) if kind.items else 0) if isinstance(kind, Tuple) else 0


@lowers(matching.tell, args=(3, 3))
def lower_tell(em: Emitter, node: ast.Call) -> Value:
    address, block, seat = (expression(em, part) for part in node.args)
    given = f"{pointer(em, block)}, i64 {seat.op}, ptr null"
    status = em.let(f"call i32 {em.let(f'inttoptr i64 {address.op} to ptr')}({given})")
    return em.let_int(f"zext i32 {status} to i64")


@lowers(matching.put, args=(2, 2))
def lower_put(em: Emitter, node: ast.Call) -> Value:
    address, word = (expression(em, part) for part in node.args)
    em.emit(f"store i64 {word.op}, ptr {em.let(f'inttoptr i64 {address.op} to ptr')}, align 1")
    return word


@lowers(matching.stream, args=(2, 2))
def lower_stream(em: Emitter, node: ast.Call) -> Value:
    words, i = expression(em, node.args[0]), int_argument(em, node.args[1])
    at = em.let(f"shl i64 {i.op}, 1")
    return Value(RNG, (em.let(f"getelementptr inbounds i64, ptr {words.ops[0]}, i64 {at}"),))


def pointer(em: Emitter, address: Value) -> str:
    """Convert an address from an int to a pointer."""
    return f"ptr {em.let(f'inttoptr i64 {address.op} to ptr')}"


@lowers(time.perf_counter_ns, args=(0, 0))
def lower_clock(em: Emitter, node: ast.Call) -> Value:
    em.unit.need_helper("clock")
    em.unit.uses_clock = True
    return em.let_int("call i64 @arena.clock()")


@lowers(time.perf_counter, time.monotonic, args=(0, 0))
def lower_seconds(em: Emitter, node: ast.Call) -> Value:
    ns = lower_clock(em, node)
    return em.let_float(f"fdiv double {em.let(f'sitofp i64 {ns.op} to double')}, {literal(1e9)}")


@lowers(words.popcount, args=(1, 1))
def lower_popcount(em: Emitter, node: ast.Call) -> Value:
    return em.let_int(f"call i64 @llvm.ctpop.i64(i64 {int_arguments(em, node)[0].op})")


@lowers(words.lowest, args=(1, 1))
def lower_lowest(em: Emitter, node: ast.Call) -> Value:
    return em.let_int(f"call i64 @llvm.cttz.i64(i64 {int_arguments(em, node)[0].op}, i1 true)")
