"""Conditions and branches."""

from __future__ import annotations

import ast

from arena.compiler.function.comparisons import compared, negated, truth_of
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.generators import inline_generator, is_lazy_rule
from arena.compiler.function.items import contains
from arena.compiler.function.list_methods import equal_lists, joined_kind
from arena.compiler.function.registry import lowers_node
from arena.compiler.function.traversal import is_changed
from arena.compiler.generated import ABSENT
from arena.compiler.source import is_simple
from arena.compiler.types import ListOf, ObjectOf, TextOf, Value


@lowers_node(ast.Compare)
def lower_compare(em: Emitter, node: ast.Compare) -> Value:
    if len(node.ops) == 1:
        return related(em, node.ops[0], expression(em, node.left), expression(em, node.comparators[0]), node)
    return condition_value(em, node)


def related(em: Emitter, op: ast.cmpop, left: Value, right: Value, node: object) -> Value:
    """Compare two values with any operator, including `in`."""
    if isinstance(op, ast.Eq | ast.NotEq) and joined_kind(left, right) is ListOf:
        same = equal_lists(em, left, right, node)
        return same if isinstance(op, ast.Eq) else negated(em, same)
    if not isinstance(op, ast.In | ast.NotIn):
        return compared(em, op, left, right, node)
    found = contains(em, right, left, node)
    return found if isinstance(op, ast.In) else negated(em, found)


def static(em: Emitter, node: ast.expr) -> bool | None:
    """Return the truth value of a condition if known at compile time, else None, without writing code."""
    if isinstance(node, ast.BoolOp):
        stops, found = isinstance(node.op, ast.Or), []
        for part in node.values:  # up to the first that decides, unless an earlier one has a side effect
            found.append(static(em, part))
            if found[-1] is stops:
                return stops if all(is_harmless(em, part) for part in node.values[: len(found) - 1]) else None
        return None if None in found else not stops
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = static(em, node.operand)
        return None if inner is None else not inner
    if isinstance(node, ast.Compare) and getattr(node.comparators[0], "value", None) is ABSENT:
        with em.undone():
            return expression(em, node.left).const is ABSENT
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        if not is_harmless(em, node):
            return None
        sides = [node.left, *node.comparators]
        pairs = zip(sides, node.ops, sides[1:], strict=False)
        found = [static(em, ast.copy_location(ast.Compare(a, [op], [b]), node)) for a, op, b in pairs]
        return False if False in found else None if None in found else True
    if not is_simple(node):
        return None
    with em.undone():
        lines = len(em.lines)
        value = expression(em, node)
        silent = len(em.lines) == lines
    if isinstance(value.type, ObjectOf) and not hasattr(value.type.layout.cls, "__len__"):
        return True
    return bool(value.const) if value.known and silent else None


def is_harmless(em: Emitter, node: ast.expr) -> bool:
    """Return whether an expression has no side effect and raises nothing, so that it may be omitted."""
    risky, parts = ast.Div | ast.FloorDiv | ast.Mod | ast.Pow, list(ast.walk(node))
    read = [em.key_of(part.id) for part in parts if isinstance(part, ast.Name)]
    unset = any(key is not None and key not in em.assigned for key in read)
    return is_simple(node) and not unset and not any(isinstance(part, risky) for part in parts)


def condition(em: Emitter, node: ast.expr, yes: str, no: str) -> None:
    """Write a jump to one of two labels, depending on a condition."""
    known = static(em, node)
    if known is not None:
        em.goto(yes if known else no)
    elif isinstance(node, ast.BoolOp):
        either, surely = isinstance(node.op, ast.Or), None
        for part in node.values[:-1]:
            further = em.label("and")
            condition(em, part, yes if either else further, further if either else no)
            surely = set(em.assigned) if surely is None else surely
            em.start(further)
        condition(em, node.values[-1], yes, no)
        em.assigned = em.assigned if surely is None else surely
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        condition(em, node.operand, no, yes)
    elif isinstance(node, ast.Compare) and len(node.ops) > 1:
        chain(em, node, yes, no)
    elif branch_on_any(em, node, yes):
        em.goto(no)
    else:
        em.branch_on(truth_of(em, expression(em, node), node), yes, no)


def branch_on_any(em: Emitter, node: ast.expr, yes: str) -> bool:
    """Write a test whether a game's generator, such as `moves`, yields an item: then jump to a label.

    Returns:
        Whether the expression is a call of such a generator; otherwise nothing is written.
    """
    if not isinstance(node, ast.Call) or not is_lazy_rule(em, node):
        return False
    before = set(em.assigned)
    inline_generator(em, node, lambda _: em.goto(yes))
    em.assigned = before
    return True


def chain(em: Emitter, node: ast.Compare, yes: str, no: str) -> None:
    """Write a jump to one of two labels, depending on a chained comparison such as `a < b < c`."""
    left, surely = expression(em, node.left), None
    for i, (op, part) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = expression(em, part)
        surely = set(em.assigned) if surely is None else surely
        value = truth_of(em, related(em, op, left, right, node), node)
        further = yes if i == len(node.ops) - 1 else em.label("and")
        em.branch_on(value, further, no)
        if further != yes:
            em.start(further)
        left = right
    em.assigned = em.assigned if surely is None else surely


def condition_value(em: Emitter, node: ast.expr) -> Value:
    """Return the value of a condition as a bool."""
    yes, no, end = em.label("yes"), em.label("no"), em.label("either")
    place = em.room("i1")
    condition(em, node, yes, no)
    for label, op in ((yes, "true"), (no, "false")):
        em.start(label)
        em.store("i1", op, place)
        em.goto(end)
    em.start(end)
    return em.let_bool(f"load i1, ptr {place}")


@lowers_node(ast.BoolOp)
def lower_bool_op(em: Emitter, node: ast.BoolOp) -> Value:
    stops = isinstance(node.op, ast.Or)
    key = (*em.frame.key, id(node))
    end = em.label("either")
    last = len(node.values) - 1
    surely: set[object] | None = None  # variables that are set regardless of how many parts are evaluated
    fresh = True
    for i, part in enumerate(node.values):
        if i < last and static(em, part) is (not stops):
            continue
        value = expression(em, part)
        fresh = is_fresh(em, value, part) and fresh
        truth = truth_of(em, value, part) if i < last else em.constant(stops)
        if truth.known and truth.const != stops:
            continue
        if truth.known and surely is None:
            return value
        em.set_variable(key, value, part, "this")
        if truth.known:
            break
        if surely is None:
            surely = set(em.assigned)
        further = em.label("next")
        yes, no = (end, further) if stops else (further, end)
        em.branch(truth.op, yes, no)
        em.start(further)
    em.goto(end)
    em.start(end)
    em.assigned = em.assigned if surely is None else surely
    return chosen(em, key, fresh)


@lowers_node(ast.IfExp)
def lower_if_exp(em: Emitter, node: ast.IfExp) -> Value:
    known = static(em, node.test)
    if known is not None:
        return expression(em, node.body if known else node.orelse)
    yes, no, end = em.label("then"), em.label("else"), em.label("fi")
    condition(em, node.test, yes, no)
    key = (*em.frame.key, id(node))
    before, fresh = set(em.assigned), True
    for label, part in ((yes, node.body), (no, node.orelse)):
        em.start(label)
        em.assigned = set(before)
        value = expression(em, part)
        fresh = is_fresh(em, value, part) and fresh
        em.set_variable(key, value, part, "this")
        em.goto(end)
    em.assigned = before
    em.start(end)
    return chosen(em, key, fresh)


def is_fresh(em: Emitter, value: Value, node: ast.expr) -> bool:
    """Return whether a value of a conditional expression is no list or a new list without other references.

    A list that changes in a loop over it is rejected with CannotCompile.
    """
    if isinstance(value.type, ListOf) and not isinstance(value.type, TextOf) and is_changed(em, node):
        em.fail(node, "a list cannot have a second name; write list(…) for a copy")
    return value.fresh or not isinstance(value.type, ListOf) or value.type.row


def chosen(em: Emitter, key: object, fresh: bool) -> Value:
    """Return the result of a conditional expression; `fresh` is whether it has no other references."""
    value = em.get_variable(key)
    return Value(value.type, value.ops, value.const, fresh)
