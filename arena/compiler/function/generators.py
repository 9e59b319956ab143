"""Generators, which fill lists or are inlined into loops.

A generator of the game with a single `yield` is inlined into the loop over it, so that items after a
`break` are never generated; other generators fill a list.
"""

from __future__ import annotations

import ast
from types import FunctionType

from arena.compiler.function.calls import bind_arguments, call_instance, callee, filled_list
from arena.compiler.function.comparisons import truth_of
from arena.compiler.function.dispatch import block, call_arguments, expression
from arena.compiler.function.emitter import UNLIKELY, Emitter
from arena.compiler.function.frame import Each, Frame
from arena.compiler.function.lists import has_spare_room, item_place, store_behind
from arena.compiler.function.registry import functions
from arena.compiler.function.traversal import is_changed, iterate_value
from arena.compiler.source import definition, local_names, times_set, yields
from arena.compiler.types import (
    BOOL,
    GAME,
    INT,
    RNG,
    UNKNOWN,
    ArrayOf,
    ListOf,
    NoJoin,
    ObjectOf,
    TextOf,
    Value,
    join_parts,
)

MOST_COPIES = 8  # maximum number of copies of a loop's body, one for each `yield` of an inlined generator
CHEAP = (
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.Name, ast.Constant, ast.Load, ast.operator, ast.cmpop,
    ast.unaryop,
)  # fmt: skip
SLOW = ast.Div, ast.FloorDiv, ast.Mod, ast.Pow


def yield_item(em: Emitter, value: Value) -> None:
    """Append an item that a generator yields to the list being filled."""
    instance = em.instance
    value = em.as_texts(value)
    if isinstance(value.type, TextOf):
        em.fail(instance.node, f"{instance.function.__name__} yields {value.type}, which does not compile")
    before = instance.result.item if isinstance(instance.result, ListOf) else UNKNOWN
    try:
        kind = join_parts(before, value.type)
    except NoJoin:
        em.fail(instance.node, f"{instance.function.__name__} yields both {before} and {value.type}")
    if not isinstance(instance.result, ListOf) or kind != before:
        instance.result = ListOf(kind)
        em.unit.changed = True
    n = em.load("i64", em.filled)
    store_behind(em, kind, em.out, n, em.cap, em.convert(value, kind, instance.node), instance.node)
    em.store("i64", em.let(f"add nsw i64 {n}, 1"), em.filled)


def clamped_length(em: Emitter, n: str) -> str:
    """Return the minimum of a number of items and the capacity of the list plus 1."""
    beyond = em.let(f"add nsw i64 {em.cap}, 1")
    return em.intrinsic("smin.i64", n, beyond)


def check_spare_room(em: Emitter, loop: ast.stmt) -> None:
    """Write code at the beginning of a loop's body that drops items beyond the capacity of the list.

    A body adds at most as many items as the spare room holds, so that not every item needs a check.
    """
    if has_spare_room(em) and any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(loop)):
        n = em.load("i64", em.filled)
        over, fits = em.label("over"), em.label("fits")
        em.branch(em.let(f"icmp sgt i64 {n}, {em.cap}"), over, fits, UNLIKELY)
        em.start(over)
        em.store("i64", clamped_length(em, n), em.filled)
        em.start(fits)


def yield_if(em: Emitter, node: ast.If) -> bool:
    """Write `if …: yield …` without a jump, if condition and item are only a few operations.

    Returns:
        Whether the statement was written.
    """
    body = node.body[0]
    if not (em.frame.fills_list and has_spare_room(em) and len(node.body) == 1 and not node.orelse):
        return False
    if not (isinstance(body, ast.Expr) and isinstance(body.value, ast.Yield) and body.value.value):
        return False
    kind = em.instance.result
    if yields(em.instance.node) == 1:
        return False  # the processor predicts the branch well
    if not (is_cheap(node.test) and is_cheap(body.value.value)) or kind != ListOf(INT):
        return False
    truth = truth_of(em, expression(em, node.test), node)
    value = expression(em, body.value.value)
    if truth.type is not BOOL or truth.known or value.type is not INT:
        return False
    n, more = em.load("i64", em.filled), em.let(f"zext i1 {truth.op} to i64")
    store_behind(em, INT, em.out, n, em.cap, value, node)
    em.store("i64", em.let(f"add nsw i64 {n}, {more}"), em.filled)
    return True


def yield_from_call(em: Emitter, node: ast.Call, function: FunctionType, owner: Value | None) -> None:
    """Write a call of another generator that continues to fill the same list."""
    args = bind_arguments(em, function, owner, *call_arguments(em, node), node)
    n = clamped_length(em, em.load("i64", em.filled))
    called = em.unit.instance(function, owner, [value.type for value in args], em.instance)
    item = called.result.item if isinstance(called.result, ListOf) else UNKNOWN
    if item is not UNKNOWN and em.instance.result in (UNKNOWN, ListOf(UNKNOWN)):
        em.instance.result = ListOf(item)
        em.unit.changed = True
    rest = item_place(em, item, em.out, n)
    (more,) = call_instance(em, called, args, node, (rest, em.let(f"sub i64 {em.cap}, {n}")))
    em.store("i64", em.let(f"add nsw i64 {n}, {more}"), em.filled)


def inline_generator(em: Emitter, node: ast.Call, each: Each) -> bool:
    """Write a loop over a generator, inlined if possible, and return whether the call is of a generator.

    An inlined generator and the loop's body alternate, as in Python. For a generator of the game, or one
    whose arguments are all numbers, this makes no difference; if it has several `yield` expressions, it fills
    a list before the loop.
    """
    found = callee(em, node)
    if not found or found[0] in functions:
        return False
    function, owner = found
    tree = definition(function)
    if not yields(tree):
        return False
    args = bind_arguments(em, function, owner, *call_arguments(em, node), node)
    if any(isinstance(x.type, ListOf) for x in args) and any(is_changed(em, part) for part in node.args):
        text = "compiled code cannot change a list while a generator iterates over it; pass list(…)"
        em.fail(node, text)
    pure = not any(isinstance(value.type, ObjectOf | ArrayOf | ListOf) or value.type is RNG for value in args)
    if pure and (yields(tree) > 1 or em.unit.eager or function in em.inlined):
        iterate_value(em, filled_list(em, function, owner, args, node), each, node)
        return True
    if function in em.frame.inlined or yields(tree) > MOST_COPIES:
        em.fail(node, f"{function.__name__} does not compile in this loop; write list(…)")
    end = em.label("over")
    key = (*em.frame.key, id(node))
    outside, inlined = em.frame, (*em.frame.inlined, function)

    def item(value: Value) -> None:
        with em.within(outside):
            each(value)

    self = args[0] if owner else None
    frame = Frame(function, tree, key, local_names(tree), self, None, item, end, inlined)
    em.unit.facts.function(function)
    assigned, loops = set(em.assigned), em.loops
    em.inlined.append(function)
    for variable, flag in em.flags.items():  # at the start, no variable of the generator is set
        if variable[:-1] == key:
            em.store("i1", "false", flag)
    with em.within(frame):
        for arg, value in zip(tree.args.args, args, strict=True):
            variable = (*key, arg.arg)
            em.constants.pop(variable, None)
            still = value.known or not value.type.irs or isinstance(value.type, ObjectOf)
            if still and times_set(tree)[arg.arg] == 1:
                em.constants[variable] = value
            em.set_variable(variable, value, arg, arg.arg)
        block(em, tree.body)
    em.inlined.pop()
    em.loops, em.assigned = loops, assigned
    em.goto(end)
    em.start(end)
    return True


def is_lazy_rule(em: Emitter, node: ast.Call) -> bool:
    """Return whether a call is of a generator of the game that is inlined rather than filling a list."""
    found = callee(em, node)
    if not found or found[1] is None or found[1].type is not GAME:
        return False
    return yields(definition(found[0])) == 1 and not em.unit.eager and found[0] not in functions


def is_cheap(node: ast.expr) -> bool:
    """Return whether an expression consists of a few operations that may be executed speculatively."""
    parts = list(ast.walk(node))
    return len(parts) < 24 and all(isinstance(part, CHEAP) and not isinstance(part, SLOW) for part in parts)
