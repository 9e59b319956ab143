"""`functools.reduce` and `itertools.accumulate`, which combine items one after the other."""

from __future__ import annotations

import ast
import functools
import itertools

from arena.compiler.errors import told
from arena.compiler.function.arithmetic import binary
from arena.compiler.function.callables import applied, before_items
from arena.compiler.function.dispatch import call_arguments
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.iteration import iterate
from arena.compiler.function.registry import iterates, lowers
from arena.compiler.types import BOOL, UNKNOWN, Value


class Fold:
    """What has been combined so far, in variables of the function.

    Args:
        em: The emitter.
        node: The call.
        function: The function of two arguments; None for `+`.
        first: The initial value; None if the first item is.
    """

    def __init__(self, em: Emitter, node: ast.Call, function: ast.expr | None, first: Value | None) -> None:
        self.em, self.node = em, node
        self.of = applied(em, function, node, "the function", arity=2) if function else self.add
        self.key, some = ((*em.frame.key, id(node), part) for part in ("combined", "some"))
        if first is not None:
            self.set(first)
        em.set_variable(some, em.constant(first is not None), node, "this")
        self.flag = em.slots_of(some, BOOL)[0]

    def add(self, one: Value, other: Value) -> Value:
        return binary(self.em, ast.Add(), one, other, self.node)

    def set(self, value: Value) -> None:
        self.em.set_variable(self.key, self.em.materialize(value), self.node, "what is combined")

    def take(self, value: Value) -> None:
        """Combine an item with those before."""
        em = self.em
        value = em.materialize(value)
        first, more, after = (em.label(hint) for hint in ("first", "more", "after"))
        em.branch(em.load("i1", self.flag), more, first)
        em.start(more)
        before = em.get_variable(self.key)
        if UNKNOWN not in (before.type, value.type):
            self.set(self.of(before, value))
        em.goto(after)
        em.start(first)
        self.set(value)
        em.store("i1", "true", self.flag)
        em.start(after)


@iterates(itertools.accumulate)
def iterate_accumulate(em: Emitter, node: ast.Call, each: Each) -> None:
    named = call_arguments(em, node)[1]
    function = named.pop("func", node.args[1] if len(node.args) == 2 else None)
    first = named.pop("initial", None)
    if named or not 1 <= len(node.args) <= 2:
        em.fail(node, "itertools.accumulate takes a sequence, a function and initial= in compiled code")
    start = None if first is None or is_none(first) else before_items(em, first, node)
    fold = Fold(em, node, None if function is None or is_none(function) else function, start)
    if start is not None:
        each(em.get_variable(fold.key))

    def step(value: Value) -> None:
        fold.take(value)
        each(em.get_variable(fold.key))

    iterate(em, node.args[0], step)


@lowers(functools.reduce, args=(2, 3))
def lower_reduce(em: Emitter, node: ast.Call) -> Value:
    first = before_items(em, node.args[2], node, 1) if len(node.args) > 2 else None
    fold = Fold(em, node, node.args[0], first)
    before = set(em.assigned)
    iterate(em, node.args[1], fold.take)
    em.assigned = before
    none = em.let(f"xor i1 {em.load('i1', fold.flag)}, true")
    em.check(none, TypeError, told(functools.reduce, lambda one, other: one, ()), node)
    return em.get_variable(fold.key)


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
