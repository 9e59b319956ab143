"""Loops over the results of expressions, and comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from arena.compiler.function.assignment import assign
from arena.compiler.function.calls import callee
from arena.compiler.function.conditions import condition, static
from arena.compiler.function.dictionaries import new_container, put, put_all
from arena.compiler.function.dispatch import expression, int_argument
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.generators import inline_generator, yield_from_call
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.items import item_of, length_of
from arena.compiler.function.lists import as_item, gather, load_item
from arena.compiler.function.names import global_value
from arena.compiler.function.positions import parts_of
from arena.compiler.function.registry import iterates, iterators, lowers, lowers_node
from arena.compiler.function.traversal import is_changed, iterate_value, unchanging
from arena.compiler.source import definition, is_simple, yields
from arena.compiler.types import (
    INT,
    UNKNOWN,
    ArrayOf,
    DictOf,
    Known,
    ListOf,
    SetOf,
    Text,
    TextOf,
    Tuple,
    TupleOf,
    Value,
)

LONGEST = 64  # maximum number of items of a tuple of fixed length from a comprehension


def iterate(em: Emitter, node: ast.expr, each: Each, alone: bool = False) -> None:
    """Write a loop over an expression; `each` writes the body.

    Args:
        em: The emitter.
        node: The expression.
        each: Function that writes the body of the loop for an item.
        alone: Whether the body does not affect the expression, and the loop never ends early.
    """
    thing = class_called(em, node)
    if thing in iterators:
        iterators[thing](em, node, each)
        return
    if isinstance(node, ast.GeneratorExp) or (alone and isinstance(node, ast.ListComp)):
        comprehend(em, node, each)
        return
    if isinstance(node, ast.Call):
        function, owner = callee(em, node) or (None, None)
        if function in iterators:
            iterators[function](em, owner, node, each)
            return
        if inline_generator(em, node, each):
            return
    iterate_value(em, expression(em, node), each, node)


def is_lazy(em: Emitter, node: ast.expr) -> bool:
    """Return whether an expression is a generator, or an iterator such as `zip`, which a loop evaluates."""
    if isinstance(node, ast.GeneratorExp) or class_called(em, node) in iterators:
        return True
    function = (callee(em, node) or (None,))[0] if isinstance(node, ast.Call) else None
    return function in iterators or (isinstance(function, FunctionType) and yields(definition(function)) > 0)


def class_called(em: Emitter, node: ast.expr) -> type | None:
    """Return the class that a node calls, if it is a name or an attribute of a module; otherwise None."""
    func = node.func if isinstance(node, ast.Call) else None
    base = func.value if isinstance(func, ast.Attribute) else func
    if not isinstance(base, ast.Name) or em.key_of(base.id) is not None:
        return None
    thing = global_value(em, base.id, node).const
    if isinstance(func, ast.Attribute):
        thing = expression(em, func).const if isinstance(thing, ModuleType) else None
    return thing if isinstance(thing, type) else None


def comprehend(em: Emitter, node: Any, each: Callable[..., None]) -> None:
    """Write a loop over the items of a comprehension; `each` writes the body.

    For a dictionary comprehension, `each` takes a key and a value.
    """
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    names = {
        part.id for loop in node.generators for part in ast.walk(loop.target) if isinstance(part, ast.Name)
    }
    frame = em.frame
    inner = frame.within(node, names)

    def loop(depth: int) -> None:
        if depth == len(node.generators):
            with em.within(inner):
                values = [expression(em, part) for part in parts]
            with em.within(frame):
                each(*values)
            return
        part = node.generators[depth]

        def item(value: Value) -> None:
            with em.within(inner):
                assign(em, part.target, value)
                yes, no = em.label("keep"), em.label("skip")
                for test in part.ifs:
                    condition(em, test, yes, no)
                    em.start(yes)
                    yes = em.label("keep")
                loop(depth + 1)
                if part.ifs:
                    em.goto(no)
                    em.start(no)

        with em.within(frame if depth == 0 else inner):
            iterate(em, part.iter, item)

    before = set(em.assigned)
    loop(0)
    em.assigned = before


def range_bounds(em: Emitter, node: ast.Call) -> tuple[Value, Value, int]:
    """Return start, stop and step of a `range`."""
    if node.keywords or not 1 <= len(node.args) <= 3:
        em.fail(node, "range takes from one to three ints")
    given = [int_argument(em, part) for part in node.args]
    if len(given) == 1:
        given.insert(0, em.constant(0))
    step = given[2] if len(given) == 3 else em.constant(1)
    if not step.known or step.const == 0:
        em.fail(node, "in compiled code, the step of a range must be a constant other than 0")
    return given[0], given[1], step.const


@iterates(range)
def iterate_range(em: Emitter, node: ast.Call, each: Each) -> None:
    start, stop, step = range_bounds(em, node)
    count_loop(em, start, stop, each, step)


@iterates(enumerate)
def iterate_enumerate(em: Emitter, node: ast.Call, each: Each) -> None:
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    first = named.pop("start", node.args[1] if len(node.args) > 1 else None)
    if not 1 <= len(node.args) <= 2 or named:
        em.fail(node, "enumerate takes an iterable, and start=")
    start = int_argument(em, first) if first is not None else em.constant(0)
    place = em.room("i64")
    em.store("i64", start.op, place)

    def numbered(value: Value) -> None:
        i = em.load("i64", place)
        em.store("i64", em.let(f"add nsw i64 {i}, 1"), place)
        each(em.tuple_of([Value(INT, (i,)), em.materialize(value)]))

    iterate(em, node.args[0], numbered)


@iterates(reversed)
def iterate_reversed(em: Emitter, node: ast.Call, each: Each) -> None:
    inner = node.args[0]
    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "range":
        start, stop, step = range_bounds(em, inner)
        if step != 1:
            em.fail(node, "reversed compiles only for a range with step 1, lists and tuples")
        count_loop(em, stop, start, lambda i: each(em.let_int(f"sub nsw i64 {i.op}, 1")), -1)
        return
    value = unchanging(em, expression(em, inner), inner)
    if isinstance(value.type, Tuple | Text | Known):
        for item in reversed(em.items_of(value)):
            each(item)
    elif isinstance(value.type, ListOf):
        if is_changed(em, inner) and not isinstance(value.type, TextOf):
            text = "compiled code cannot change a list while reversed iterates over it; pass list(…)"
            em.fail(node, text)
        last = em.let_int(f"sub i64 {value.ops[1]}, 1")
        count_loop(em, last, em.constant(-1), lambda i: each(load_item(em, value, i.op)), -1)
    else:
        em.fail(node, f"compiled code cannot iterate over {value.type} in reverse")


@iterates(zip)
def iterate_zip(em: Emitter, node: ast.Call, each: Each) -> None:
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    strict = static(em, named.pop("strict")) if "strict" in named else False
    if named or strict is None or not node.args:
        em.fail(node, "zip compiles only for lists, arrays and tuples, with strict=True or False")
    values = []
    for part in node.args:
        if not isinstance(part, ast.Starred):
            values.append(unchanging(em, em.materialize(expression(em, part)), part))
            continue
        whole = em.materialize(expression(em, part.value))
        if not isinstance(whole.type, Tuple) and whole.type is not UNKNOWN:
            em.fail(node, f"* in zip compiles only for a tuple of fixed length, not {whole.type}")
        values += em.items_of(whole) if isinstance(whole.type, Tuple) else [whole]
    if not values:
        return
    named_lists = [part for part in node.args if not isinstance(part, ast.Starred)]
    kinds = [value.type for value in values]
    are_lists = any(isinstance(kind, ListOf) and not isinstance(kind, TextOf) for kind in kinds)
    lists = named_lists if are_lists else []
    if any(is_changed(em, part) for part in lists):
        em.fail(node, "compiled code cannot change a list while zip iterates over it; pass list(…)")
    if any(value.type is UNKNOWN for value in values):
        each(Value(UNKNOWN))
        return
    tuples = [value.type for value in values if isinstance(value.type, Tuple)]
    if len(tuples) == len(values) and len({len(kind.items) for kind in tuples}) == 1:
        for items in zip(*map(em.items_of, values), strict=True):
            each(em.tuple_of(items))
        return
    lengths = [length_of(em, value, node) for value in values]
    n = lengths[0]
    for length in lengths[1:]:
        n = em.let_int(f"call i64 @llvm.smin.i64(i64 {n.op}, i64 {length.op})")

    def row(i: Value) -> None:
        each(em.tuple_of([item_of(em, value, [i], node) for value in values]))

    count_loop(em, em.constant(0), n, row)
    if strict:
        for length in lengths:
            unlike = em.let(f"icmp ne i64 {n.op}, {length.op}")
            em.check(unlike, ValueError, "the arguments of zip have different lengths", node)


def yield_from(em: Emitter, node: ast.YieldFrom) -> None:
    """Write `yield from`: yield all items of an expression."""
    each = em.frame.each
    if em.frame.fills_list and isinstance(node.value, ast.Call) and (found := callee(em, node.value)):
        function, owner = found
        if yields(definition(function)):
            yield_from_call(em, node.value, function, owner)
            return
    if each is None:
        em.fail(node, "yield does not compile here")
    iterate(em, node.value, each)


@lowers_node(ast.ListComp)
def lower_list_comp(em: Emitter, node: ast.ListComp) -> Value:
    return gather(em, node, lambda each: comprehend(em, node, each))


@lowers(set, args=(0, 1))
def lower_set(em: Emitter, node: ast.Call) -> Value:
    owner = new_container(em, node, SetOf)
    if node.args:
        em.unordered = node.args[0]
        iterate(em, node.args[0], lambda key: put(em, owner, key, em.constant(None), node))
    return owner


@lowers_node(ast.SetComp)
def lower_set_comp(em: Emitter, node: ast.SetComp) -> Value:
    owner = new_container(em, node, SetOf)
    comprehend(em, node, lambda key: put(em, owner, key, em.constant(None), node))
    return owner


@lowers(dict, args=(0, 1))
def lower_dict(em: Emitter, node: ast.Call) -> Value:
    owner = new_container(em, node, DictOf)
    if not node.args:
        return owner

    def pair(item: Value) -> None:
        item = em.materialize(item)
        if not isinstance(item.type, Tuple) or len(item.type.items) != 2:
            if item.type is not UNKNOWN:
                em.fail(node, f"dict compiles only for a dictionary or for pairs, not for {item.type}")
            return
        key, value = em.items_of(item)
        put(em, owner, key, value, node)

    if is_lazy(em, node.args[0]):
        iterate(em, node.args[0], pair)
        return owner
    given = em.materialize(expression(em, node.args[0]))
    if isinstance(given.type, DictOf):
        put_all(em, owner, given, node)
    else:
        iterate_value(em, given, pair, node.args[0])
    return owner


@lowers_node(ast.DictComp)
def lower_dict_comp(em: Emitter, node: ast.DictComp) -> Value:
    owner = new_container(em, node, DictOf)
    comprehend(em, node, lambda key, value: put(em, owner, key, value, node))
    return owner


def unstarred(part: ast.expr) -> ast.expr:
    return part.value if isinstance(part, ast.Starred) else part


def is_iterated(em: Emitter, part: ast.expr) -> bool:
    """Return whether an item of a list display is like `*zip(a, b)`, which is not a value."""
    return isinstance(part, ast.Starred) and class_called(em, part.value) in iterators


@lowers_node(ast.List)
def lower_list_display(em: Emitter, node: ast.List) -> Value:
    values = [None if is_iterated(em, part) else expression(em, unstarred(part)) for part in node.elts]

    def run(each: Each) -> None:
        for value, part in zip(values, node.elts, strict=True):
            if value is None:
                iterate(em, unstarred(part), each)
            elif isinstance(part, ast.Starred):
                iterate_value(em, value, each, None)
            else:
                each(value)

    return gather(em, node, run)


@lowers_node(ast.Tuple)
def lower_tuple(em: Emitter, node: ast.Tuple) -> Value:
    return tuple_of_values(em, node, [expression(em, unstarred(part)) for part in node.elts])


def tuple_of_values(em: Emitter, node: ast.Tuple, values: list[Value]) -> Value:
    """Return the tuple of a display, given the values of its parts."""
    starred = [isinstance(part, ast.Starred) for part in node.elts]
    unpacked = [value for value, star in zip(values, starred, strict=True) if star]
    if any(value.type is UNKNOWN for value in unpacked):
        return Value(UNKNOWN)
    if any(not isinstance(em.materialize(value).type, Tuple) for value in unpacked):
        return any_length(em, values, starred, node)
    items: list[Value] = []
    for value, star in zip(values, starred, strict=True):
        items += em.items_of(value) if star else [value]
    if items and all(item.known for item in items):
        return Value(Known(made := tuple(item.const for item in items)), (), made)
    items = parts_of(em, items, node)
    items = [as_item(em, item, node) if isinstance(item.type, ListOf) else item for item in items]
    if any(isinstance(item.type, ArrayOf) for item in items):
        em.fail(node, "an array cannot be stored in a tuple in compiled code")
    return em.tuple_of([em.materialize(item) for item in items])


def any_length(em: Emitter, values: list[Value], starred: list[bool], node: object) -> Value:
    """Return a tuple of values and of the items of starred values, whose number is unknown."""

    def run(each: Each) -> None:
        for value, star in zip(values, starred, strict=True):
            if star:
                iterate_value(em, value, each, None)
            else:
                each(value)

    made = gather(em, node, run)
    return Value(TupleOf(made.item), made.ops, fresh=True)


@lowers(tuple, args=(0, 1))
def lower_tuple_call(em: Emitter, node: ast.Call) -> Value:
    if not node.args:
        return em.constant(())
    inner = node.args[0]
    known = static_length(em, inner)
    if not isinstance(inner, ast.GeneratorExp | ast.Call):
        value = expression(em, inner)
        if isinstance(value.type, Tuple | Text | Known) and not isinstance(
            value.const, dict | set | frozenset
        ):
            return em.tuple_of(em.items_of(value))
        if value.type is UNKNOWN:
            return value
        made = gather(em, node, lambda each: iterate_value(em, value, each, inner))
    else:
        made = gather(em, node, lambda each: iterate(em, inner, each, alone=True))
    if known is None:
        return Value(TupleOf(made.item), made.ops, fresh=True)
    if made.item is UNKNOWN and known:
        return Value(UNKNOWN)
    return em.tuple_of([load_item(em, made, str(i)) for i in range(known)])


def static_length(em: Emitter, node: ast.expr) -> int | None:
    """Return the number of items of a comprehension over a constant range or a tuple; None if unknown."""
    if not isinstance(node, ast.GeneratorExp | ast.ListComp) or len(node.generators) != 1:
        return None
    (loop,) = node.generators
    if loop.ifs:
        return None
    if isinstance(loop.iter, ast.Call):
        called = loop.iter.func
        if not (isinstance(called, ast.Name) and called.id == "range" and em.key_of("range") is None):
            return None
        with em.undone():
            start, stop, step = range_bounds(em, loop.iter)
        n = len(range(start.const, stop.const, step)) if start.known and stop.known else None
    else:
        if not is_simple(loop.iter):
            return None
        with em.undone():
            kind = em.as_text(em.materialize(expression(em, loop.iter))).type
        n = len(kind.items) if isinstance(kind, Tuple | Text) else None
    return n if n is not None and n <= min(LONGEST, em.unit.cap) else None
