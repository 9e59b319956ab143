"""Operators, comparisons and methods of sets."""

from __future__ import annotations

import ast
from collections.abc import Callable

from arena.compiler.function.comparisons import both, negated
from arena.compiler.function.dictionaries import find, iterate_table, length, new_container, put
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.iteration import iterate
from arena.compiler.function.registry import combines, lowers_method
from arena.compiler.types import UNKNOWN, SetOf, Value

Keep = Callable[[Value], Value]  # whether a key is copied, as a bool


@combines(SetOf)
def set_operator(em: Emitter, op: ast.AST, left: Value, right: Value | None, node: ast.AST) -> Value:
    """Return the result of an operator on two sets."""
    left, right = em.materialize(left), em.materialize(right) if right else None
    if right is None or not isinstance(left.type, SetOf) or not isinstance(right.type, SetOf):
        other = right if right and isinstance(left.type, SetOf) else left
        em.fail(node, f"this operator does not compile for a set and {other.type}")
    if isinstance(op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor):
        return combined(em, op, left, right, node)
    pair = (right, left) if isinstance(op, ast.Gt | ast.GtE) else (left, right)
    inside = subset(em, *pair, node)
    if isinstance(op, ast.LtE | ast.GtE):
        return inside
    if isinstance(op, ast.Eq | ast.NotEq | ast.Lt | ast.Gt):
        sizes = length(em, left).op, length(em, right).op
        same = em.let_bool(f"icmp eq i64 {sizes[0]}, {sizes[1]}")
        equal = both(em, inside, same)
        if isinstance(op, ast.Lt | ast.Gt):
            return both(em, inside, negated(em, same))
        return equal if isinstance(op, ast.Eq) else negated(em, equal)
    return em.fail(node, "this operator does not compile for sets")


def combined(em: Emitter, op: ast.AST, left: Value, right: Value, node: object) -> Value:
    """Return the union, intersection, difference or symmetric difference of two sets, as a new set."""
    made = new_container(em, node, SetOf)
    if isinstance(op, ast.BitOr):
        copy_keys(em, left, made, node)
        copy_keys(em, right, made, node)
    elif isinstance(op, ast.BitAnd):
        copy_keys(em, left, made, node, lambda key: is_in(em, right, key, node))
    else:
        copy_keys(em, left, made, node, lambda key: negated(em, is_in(em, right, key, node)))
        if isinstance(op, ast.BitXor):
            copy_keys(em, right, made, node, lambda key: negated(em, is_in(em, left, key, node)))
    return made


def copy_keys(em: Emitter, source: Value, target: Value, node: object, keep: Keep | None = None) -> None:
    """Write code that adds the keys of a set, or those to be kept, to another."""

    def each(key: Value) -> None:
        if key.type is UNKNOWN:
            return
        add, skip = em.label("add"), em.label("skip")
        em.branch_on(keep(key) if keep else em.constant(True), add, skip)
        em.start(add)
        put(em, target, key, em.constant(None), node)
        em.start(skip)

    iterate_table(em, source, "keys", each, node)


def is_in(em: Emitter, owner: Value, key: Value, node: object) -> Value:
    """Return whether a set contains a key; a set whose type of keys is not known yet contains none."""
    entry = find(em, owner, key, node)
    return em.constant(False) if entry is None else em.let_bool(f"icmp ne ptr {entry}, null")


def subset(em: Emitter, one: Value, other: Value, node: object, disjoint: bool = False) -> Value:
    """Return whether a set is a subset of another; with `disjoint`, whether it has no key of the other."""
    place, end = em.room("i1"), em.label("end")
    em.store("i1", "false", place)

    def each(key: Value) -> None:
        if key.type is not UNKNOWN:
            following = em.label("following")
            found = is_in(em, other, key, node)
            em.branch_on(negated(em, found) if disjoint else found, following, end)
            em.start(following)

    iterate_table(em, one, "keys", each, node)
    em.store("i1", "true", place)
    em.start(end)
    return em.let_bool(f"load i1, ptr {place}")


def set_argument(em: Emitter, node: ast.Call) -> Value:
    """Compile the argument of a method, which must be a set."""
    value = em.materialize(expression(em, node.args[0]))
    if value.type is not UNKNOWN and not isinstance(value.type, SetOf):
        em.fail(node, f"this method of sets compiles only with a set, not {value.type}; write set(…)")
    return value


@lowers_method(SetOf, "union", args=(1, 1))
@lowers_method(SetOf, "intersection", args=(1, 1))
@lowers_method(SetOf, "difference", args=(1, 1))
@lowers_method(SetOf, "symmetric_difference", args=(1, 1))
def set_combined(em: Emitter, owner: Value, node: ast.Call) -> Value:
    operators = {
        "union": ast.BitOr(), "intersection": ast.BitAnd(), "difference": ast.Sub(),
        "symmetric_difference": ast.BitXor(),
    }  # fmt: skip
    assert isinstance(node.func, ast.Attribute)
    other = set_argument(em, node)
    return other if other.type is UNKNOWN else combined(em, operators[node.func.attr], owner, other, node)


@lowers_method(SetOf, "issubset", args=(1, 1))
@lowers_method(SetOf, "issuperset", args=(1, 1))
@lowers_method(SetOf, "isdisjoint", args=(1, 1))
def set_compared(em: Emitter, owner: Value, node: ast.Call) -> Value:
    assert isinstance(node.func, ast.Attribute)
    other = set_argument(em, node)
    if other.type is UNKNOWN:
        return other
    pair = (other, owner) if node.func.attr == "issuperset" else (owner, other)
    return subset(em, *pair, node, disjoint=node.func.attr == "isdisjoint")


@lowers_method(SetOf, "copy", args=(0, 0))
def set_copy(em: Emitter, owner: Value, node: ast.Call) -> Value:
    made = new_container(em, node, SetOf)
    copy_keys(em, owner, made, node)
    return made


@lowers_method(SetOf, "update", args=(1, 1))
def set_update(em: Emitter, owner: Value, node: ast.Call) -> Value:
    em.unordered = node.args[0]
    iterate(em, node.args[0], lambda key: put(em, owner, key, em.constant(None), node))
    return em.constant(None)
