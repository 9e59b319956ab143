"""Functions of all items of an iterable: length, sum, minimum, maximum, sorting and others."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from typing import Any

from arena.compiler.errors import told
from arena.compiler.function.arithmetic import binary, is_odd
from arena.compiler.function.callables import applied, before_items, key_function
from arena.compiler.function.calls import bind_arguments, callee, filled_list
from arena.compiler.function.comparisons import compared, truth_of
from arena.compiler.function.conditions import static
from arena.compiler.function.dispatch import call_arguments, expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.generators import is_lazy_rule
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.items import length_of
from arena.compiler.function.iteration import iterate
from arena.compiler.function.lists import gather, load_item, store_item
from arena.compiler.function.registry import MANY, iterates, lowers, lowers_method
from arena.compiler.function.traversal import iterate_value
from arena.compiler.source import definition, is_simple, yields
from arena.compiler.types import BOOL, FLOAT, INT, NUMBERS, UNKNOWN, ListOf, Value, join, literal

COMPENSATED = sys.version_info >= (3, 12)


@lowers(len, args=(1, 1))
def lower_len(em: Emitter, node: ast.Call) -> Value:
    if isinstance(node.args[0], ast.Call) and is_lazy_rule(em, node.args[0]):
        return total(em, node.args[0], lambda value: em.constant(1), node)
    return length_of(em, expression(em, node.args[0]), node)


@lowers(list, args=(0, 1))
def lower_list(em: Emitter, node: ast.Call) -> Value:
    if not node.args:
        return gather(em, node, lambda each: None)
    inner = node.args[0]
    if isinstance(inner, ast.Call) and (found := callee(em, inner)) and yields(definition(found[0])):
        function, owner = found
        values = bind_arguments(em, function, owner, *call_arguments(em, inner), inner)
        return filled_list(em, function, owner, values, inner)
    return gather(em, node, lambda each: iterate(em, node.args[0], each, alone=True))


def total(em: Emitter, items: ast.expr, of: Callable[[Value], Value], node: Any) -> Value:
    """Return the sum of `of` over all items."""
    key = (*em.frame.key, id(node), "sum")
    em.set_variable(key, em.constant(0), node, "the sum")

    def each(value: Value) -> None:
        em.set_variable(key, binary(em, ast.Add(), em.get_variable(key), of(value), node), node, "the sum")

    before = set(em.assigned)
    iterate(em, items, each, alone=True)
    em.assigned = before
    return em.get_variable(key)


def in_any_order(em: Emitter, node: ast.Call) -> None:
    """Note that the result of a call does not depend on the order of its argument's items."""
    if not any(keyword.arg == "key" for keyword in node.keywords):
        em.unordered = node.args[0]


@lowers(sum, args=(1, 2))
def lower_sum(em: Emitter, node: ast.Call) -> Value:
    """Return the sum of items as Python computes it, for floats with compensated summation."""
    in_any_order(em, node)
    key, lost = ((*em.frame.key, id(node), part) for part in ("sum", "lost"))
    start = expression(em, node.args[1]) if len(node.args) > 1 else em.constant(0)
    if start.type not in (*NUMBERS, UNKNOWN):
        em.fail(node, f"sum compiles only for numbers, not with {start.type} as start")
    em.set_variable(key, em.convert(start, INT, node) if start.type is BOOL else start, node, "the sum")
    em.set_variable(lost, em.constant(0.0), node, "the sum")

    def each(value: Value) -> None:
        value = em.required(value, node)
        if value.type is FLOAT and COMPENSATED:
            add_float(em, key, lost, value, node)
        else:
            em.set_variable(key, binary(em, ast.Add(), em.get_variable(key), value, node), node, "the sum")

    before = set(em.assigned)
    iterate(em, node.args[0], each, alone=True)
    em.assigned = before
    made = em.get_variable(key)
    if made.type is FLOAT and COMPENSATED:
        rest = em.get_variable(lost)
        made = em.let_float(
            f"select i1 {is_odd(em, rest.op)}, double {made.op}, double {added(em, made, rest)}"
        )
    return made


def added(em: Emitter, one: Value, other: Value) -> str:
    return em.let(f"fadd double {one.op}, {other.op}")


def add_float(em: Emitter, key: object, lost: object, value: Value, node: Any) -> None:
    """Add a float to a sum, and the rounding error to another variable, as `sum` does since Python 3.12.

    For numpy floats, which compiled code cannot distinguish from Python floats, `sum` does not do so.
    """
    em.unit.float_sums.setdefault((em.frame.file, node.lineno))
    before = em.convert(em.get_variable(key), FLOAT, node)
    after = added(em, before, value)
    sizes = [em.intrinsic("fabs.f64", op) for op in (before.op, value.op)]
    larger = em.let(f"fcmp oge double {sizes[0]}, {sizes[1]}")
    high, low = (
        em.let(f"select i1 {larger}, double {one.op}, double {other.op}")
        for one, other in ((before, value), (value, before))
    )
    off = em.let(f"fadd double {em.let(f'fsub double {high}, {after}')}, {low}")
    rest = em.get_variable(lost)
    em.set_variable(lost, em.let_float(f"fadd double {rest.op}, {off}"), node, "the sum")
    em.set_variable(key, Value(FLOAT, (after,)), node, "the sum")


@lowers(any, args=(1, 1))
def lower_any(em: Emitter, node: ast.Call, wanted: bool = True) -> Value:
    place, end = em.room("i1"), em.label("any")
    em.store("i1", literal(not wanted), place)

    def each(value: Value) -> None:
        truth = truth_of(em, value, node)
        hit, other = em.label("hit"), em.label("other")
        em.branch_on(truth, *((hit, other) if wanted else (other, hit)))
        em.start(hit)
        em.store("i1", literal(wanted), place)
        em.goto(end)
        em.start(other)

    before = set(em.assigned)
    iterate(em, node.args[0], each)
    em.assigned = before
    em.start(end)
    return em.let_bool(f"load i1, ptr {place}")


@lowers(all, args=(1, 1))
def lower_all(em: Emitter, node: ast.Call) -> Value:
    return lower_any(em, node, wanted=False)


@lowers(min, args=(1, MANY), keywords=True)
def lower_min(em: Emitter, node: ast.Call, larger: bool = False) -> Value:
    named = call_arguments(em, node)[1]
    if len(node.args) > 1:
        values = [em.required(expression(em, part), node) for part in node.args]
        if not named and all(value.type in (*NUMBERS, UNKNOWN) for value in values):
            return extreme(em, values, larger, node)
        if "default" in named:
            em.fail(node, "default= goes with one sequence")
    else:
        in_any_order(em, node)
    default = named.pop("default", None)
    otherwise = None if default is None else em.materialize(before_items(em, default, node))
    of, op = key_function(em, named, node), ast.Gt() if larger else ast.Lt()
    best, least, some = ((*em.frame.key, id(node), part) for part in ("best", "least", "some"))
    em.set_variable(some, em.constant(False), node, "this")
    flag = em.slots_of(some, BOOL)[0]
    if otherwise is not None:
        em.set_variable(best, otherwise, node, "an item")

    def each(value: Value) -> None:
        value = em.materialize(value)
        score = em.materialize(of(value))
        first, compare, better, after = (em.label(hint) for hint in ("first", "compare", "better", "after"))
        em.branch(em.load("i1", flag), compare, first)
        em.start(compare)
        em.unknown.add(least)
        if least in em.instance.variables:
            before = em.get_variable(least)
            if before.type is UNKNOWN or score.type is UNKNOWN:
                em.goto(after)
            else:
                em.branch_on(compared(em, op, score, before, node), better, after)
        else:
            em.goto(after)
        em.start(first)
        em.start(better)
        em.set_variable(best, value, node, "an item")
        em.set_variable(least, score, node, "a score")
        em.store("i1", "true", flag)
        em.start(after)

    before = set(em.assigned)
    if len(node.args) > 1:
        for value in values:
            each(value)
    else:
        iterate(em, node.args[0], each, alone=not named)
    em.assigned = before
    if otherwise is None:
        none = em.let(f"xor i1 {em.load('i1', flag)}, true")
        em.check(none, ValueError, told(max if larger else min, ()), node)
    return em.get_variable(best)


@lowers(max, args=(1, MANY), keywords=True)
def lower_max(em: Emitter, node: ast.Call) -> Value:
    return lower_min(em, node, larger=True)


def extreme(em: Emitter, values: list[Value], larger: bool, node: ast.Call) -> Value:
    """Return the minimum or maximum of numbers; of equal values, the first."""
    best, *others = values
    for value in others:
        if UNKNOWN in (best.type, value.type):
            best = best if value.type is UNKNOWN else value
            continue
        if best.known and value.known:
            best = em.constant((max if larger else min)(best.const, value.const))
            continue
        kind = join(best.type, value.type)
        one, other = em.convert(best, kind, node), em.convert(value, kind, node)
        better = compared(em, ast.Gt() if larger else ast.Lt(), other, one, node)
        ir = kind.irs[0]
        best = Value(kind, (em.let(f"select i1 {better.op}, {ir} {other.op}, {ir} {one.op}"),))
    return best


def sort_options(em: Emitter, node: ast.Call) -> tuple[Callable[[Value], Value], bool]:
    """Return the `key` of a call as a function that writes it for an item, and the value of `reverse`."""
    named = call_arguments(em, node)[1]
    backwards = named.pop("reverse", None)
    known = static(em, backwards) if backwards is not None else False
    if known is None:
        em.fail(node, "in compiled code, reverse must be a constant")
    return key_function(em, named, node), bool(known)


@lowers(sorted, args=(1, 1), keywords=True)
def lower_sorted(em: Emitter, node: ast.Call) -> Value:
    of, backwards = sort_options(em, node)
    in_any_order(em, node)
    made = gather(em, node, lambda each: iterate(em, node.args[0], each, alone=True))
    sort(em, made, of, backwards, node)
    return made


@lowers_method(ListOf, "sort", args=(0, 0), keywords=True)
def list_sort(em: Emitter, owner: Value, node: ast.Call) -> Value:
    em.unit.writes_moves = True
    sort(em, owner, *sort_options(em, node), node)
    return em.constant(None)


def sort(em: Emitter, items: Value, of: Callable[[Value], Value], backwards: bool, node: Any) -> None:
    """Write a stable sort of a list in place."""
    if items.item is UNKNOWN:
        return
    key = next((keyword.value for keyword in node.keywords if keyword.arg == "key"), None)
    if not (key is None or (isinstance(key, ast.Lambda) and is_simple(key.body))):  # call it once per item
        scores = gather(em, key, lambda each: iterate_value(em, items, lambda value: each(of(value)), node))
        if scores.item is not UNKNOWN:
            insertion_sort(em, (items, scores), lambda taken: taken[1], backwards, node)
        return
    insertion_sort(em, (items,), lambda taken: em.materialize(of(taken[0])), backwards, node)


def insertion_sort(
    em: Emitter,
    rows: Sequence[Value],
    score_of: Callable[[Sequence[Value]], Value],
    backwards: bool,
    node: object,
) -> None:
    """Write an insertion sort of lists of equal length, by a score of the items at each position.

    Args:
        em: The emitter.
        rows: The lists.
        score_of: Function that writes the score, given the items at one position.
        backwards: Sort in descending order.
        node: The node of the call, for errors.
    """
    place = em.room("i64")

    def move(to: str, values: Sequence[Value]) -> None:
        for row, value in zip(rows, values, strict=True):
            store_item(em, row.item, row.ops[0], to, value)

    def insert(i: Value) -> None:
        taken = [load_item(em, row, i.op) for row in rows]
        score = score_of(taken)
        em.store("i64", i.op, place)
        head, look, up, done = (em.label(hint) for hint in ("sift", "look", "move", "done"))
        em.start(head)
        j = em.load("i64", place)
        em.branch(em.let(f"icmp sgt i64 {j}, 0"), look, done)
        em.start(look)
        before = em.let(f"sub nsw i64 {j}, 1")
        others = [load_item(em, row, before) for row in rows]
        if score.type is UNKNOWN:
            em.goto(done)
        else:
            op = ast.Lt() if backwards else ast.Gt()
            em.branch(truth_of(em, compared(em, op, score_of(others), score, node), node).op, up, done)
        em.start(up)
        move(j, others)
        em.store("i64", before, place)
        em.goto(head)
        em.start(done)
        move(em.load("i64", place), taken)

    count_loop(em, em.constant(1), rows[0].length, insert)


@iterates(map)
def iterate_map(em: Emitter, node: ast.Call, each: Each) -> None:
    if len(node.args) != 2 or node.keywords:
        em.fail(node, "in compiled code, map takes a function and one sequence")
    of = applied(em, node.args[0], node, "the function of map")
    iterate(em, node.args[1], lambda value: each(of(value)))


@iterates(filter)
def iterate_filter(em: Emitter, node: ast.Call, each: Each) -> None:
    if len(node.args) != 2 or node.keywords:
        em.fail(node, "filter takes a function and a sequence")
    of = applied(em, node.args[0], node, "the function of filter")

    def keep(value: Value) -> None:
        value = em.materialize(value)
        yes, no = em.label("keep"), em.label("skip")
        em.branch_on(truth_of(em, of(value), node), yes, no)
        em.start(yes)
        each(value)
        em.goto(no)
        em.start(no)

    iterate(em, node.args[1], keep)
