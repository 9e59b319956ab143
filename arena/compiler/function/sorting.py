"""Lists in order."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from arena.compiler.function.arguments import call_arguments
from arena.compiler.function.comparisons import compared, truth_of
from arena.compiler.function.conditions import static
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.iteration import iterate
from arena.compiler.function.lists import gather, load_item, store_item
from arena.compiler.function.loops import count_loop
from arena.compiler.function.reductions import key_function
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.function.traversal import iterate_value
from arena.compiler.source import is_simple
from arena.compiler.types import INT, UNKNOWN, ListOf, Value


def sort_options(em: Emitter, node: ast.Call) -> tuple[Callable[[Value], Value], bool]:
    """What a call's `key=` gives of an item, and its `reverse=`."""
    named = call_arguments(em, node)[1]
    backwards = named.pop("reverse", None)
    known = static(em, backwards) if backwards is not None else False
    if known is None:
        em.fail(node, "reverse is a constant in compiled code")
    kept = [keyword for keyword in node.keywords if keyword.arg != "reverse"]
    call = ast.copy_location(ast.Call(node.func, node.args, kept), node)
    return key_function(em, call), bool(known)


@lowers(sorted, args=(1, 1), keywords=True)
def lower_sorted(em: Emitter, node: ast.Call) -> Value:
    of, backwards = sort_options(em, node)
    made = gather(em, node, lambda each: iterate(em, node.args[0], each, alone=True))
    sort(em, made, of, backwards, node)
    return made


@lowers_method(ListOf, "sort", args=(0, 0), keywords=True)
def list_sort(em: Emitter, owner: Value, node: ast.Call) -> Value:
    em.unit.writes_moves = True
    sort(em, owner, *sort_options(em, node), node)
    return em.constant(None)


def sort(em: Emitter, items: Value, of: Callable[[Value], Value], backwards: bool, node: Any) -> None:
    """Sort by inserting, which leaves equal items in their order."""
    kind = items.item
    if kind is UNKNOWN:
        return
    key = next((keyword.value for keyword in node.keywords if keyword.arg == "key"), None)
    if not (key is None or (isinstance(key, ast.Lambda) and is_simple(key.body))):  # called once an item
        scores = gather(em, key, lambda each: iterate_value(em, items, lambda value: each(of(value)), node))
        if scores.item is not UNKNOWN:
            sort_by(em, items, scores, backwards, node)
        return
    place = em.room("i64")

    def insert(i: Value) -> None:
        value = load_item(em, items, i.op)
        score = em.materialize(of(value))
        em.store("i64", i.op, place)
        head, look, move, done = (em.label(hint) for hint in ("sift", "look", "move", "done"))
        em.start(head)
        j = em.load("i64", place)
        em.branch(em.let(f"icmp sgt i64 {j}, 0"), look, done)
        em.start(look)
        before = em.let(f"sub nsw i64 {j}, 1")
        other = load_item(em, items, before)
        if score.type is UNKNOWN:
            em.goto(done)
        else:
            op = ast.Lt() if backwards else ast.Gt()
            after = truth_of(em, compared(em, op, em.materialize(of(other)), score, node), node)
            em.branch(after.op, move, done)
        em.start(move)
        store_item(em, kind, items.ops[0], j, other)
        em.store("i64", before, place)
        em.goto(head)
        em.start(done)
        store_item(em, kind, items.ops[0], em.load("i64", place), value)

    count_loop(em, em.constant(1), Value(INT, (items.ops[1],)), insert)


def sort_by(em: Emitter, items: Value, scores: Value, backwards: bool, node: Any) -> None:
    """Sort items, and their scores with them, by these."""
    place, rows = em.room("i64"), (items, scores)

    def move(row: Value, to: str, value: Value) -> None:
        store_item(em, row.item, row.ops[0], to, value)

    def insert(i: Value) -> None:
        taken = [load_item(em, row, i.op) for row in rows]
        em.store("i64", i.op, place)
        head, look, up, done = (em.label(hint) for hint in ("sift", "look", "move", "done"))
        em.start(head)
        j = em.load("i64", place)
        em.branch(em.let(f"icmp sgt i64 {j}, 0"), look, done)
        em.start(look)
        before = em.let(f"sub nsw i64 {j}, 1")
        others = [load_item(em, row, before) for row in rows]
        after = compared(em, ast.Lt() if backwards else ast.Gt(), others[1], taken[1], node)
        em.branch(after.op, up, done)
        em.start(up)
        for row, other in zip(rows, others, strict=True):
            move(row, j, other)
        em.store("i64", before, place)
        em.goto(head)
        em.start(done)
        last = em.load("i64", place)
        for row, value in zip(rows, taken, strict=True):
            move(row, last, value)

    count_loop(em, em.constant(1), Value(INT, (items.ops[1],)), insert)
