"""Comparisons and truth values."""

from __future__ import annotations

import ast
import operator
from typing import Any

from arena.compiler.function.emitter import Emitter
from arena.compiler.function.registry import operator_lowering
from arena.compiler.generated import is_generated
from arena.compiler.named import is_frozen
from arena.compiler.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NUMBERS,
    UNKNOWN,
    ContainerOf,
    ListOf,
    ObjectOf,
    OptionalOf,
    RecordOf,
    Text,
    Tuple,
    Value,
    value_of,
)

PYTHON = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
ZERO = "0x0000000000000000"
COMPARED = {
    ast.Eq: ("eq", "oeq"), ast.NotEq: ("ne", "une"), ast.Lt: ("slt", "olt"), ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"), ast.GtE: ("sge", "oge"),
}  # fmt: skip


def compared(em: Emitter, op: ast.cmpop, left: Value, right: Value, node: Any) -> Value:
    """Compare two values with any operator except `in`."""
    kind = type(op)
    if kind in (ast.Is, ast.IsNot):
        if UNKNOWN in (left.type, right.type):
            return Value(UNKNOWN)
        if (found := is_none(em, left, right)) is not None:
            return found if kind is ast.Is else negated(em, found)
        if NONE not in (left.type, right.type) and not (left.known and right.known):
            em.fail(node, "`is` compiles only with None")
        same = left.type is right.type if NONE in (left.type, right.type) else left.const is right.const
        return em.constant(same == (kind is ast.Is))
    if UNKNOWN in (left.type, right.type):
        return Value(UNKNOWN)
    if NONE not in (left.type, right.type) and (combined := operator_lowering(left.type, right.type)):
        made: Value = combined(em, op, left, right, node)
        return made
    if left.known and right.known:
        try:
            return em.constant(bool(PYTHON[kind](left.const, right.const)))
        except TypeError as error:
            em.fail(node, str(error))
    left, right = em.materialize(left), em.materialize(right)
    if isinstance(left.type, OptionalOf) or isinstance(right.type, OptionalOf):
        return compared_optionals(em, op, left, right, node)
    if (equal := same_record(em, kind, left, right)) is not None:
        return equal
    if left.type in NUMBERS and right.type in NUMBERS:
        return compared_numbers(em, kind, left, right, node)
    if isinstance(left.type, Tuple) and isinstance(right.type, Tuple):
        return compared_tuples(em, kind, left, right, node)
    records = any(isinstance(value.type, RecordOf) for value in (left, right))
    if kind in (ast.Eq, ast.NotEq) and NONE in (left.type, right.type) and not records:
        return em.constant((left.type == right.type) == (kind is ast.Eq))
    return em.fail(node, f"{left.type} and {right.type} cannot be compared in compiled code")


def is_none(em: Emitter, left: Value, right: Value) -> Value | None:
    """Return `left is right` as a bool, for records, None and optional values; None for other types."""
    kinds = left.type, right.type
    if all(isinstance(kind, RecordOf) or kind is NONE for kind in kinds) and kinds != (NONE, NONE):
        one, other = (value.op if value.ops else "null" for value in (left, right))
        return em.let_bool(f"icmp eq ptr {one}, {other}")
    for value, none in ((left, right), (right, left)):
        if isinstance(value.type, OptionalOf) and none.type is NONE:
            return em.let_bool(f"xor i1 {value.ops[-1]}, true")
    return None


def compared_optionals(em: Emitter, op: ast.cmpop, left: Value, right: Value, node: Any) -> Value:
    """Compare two values if one or both may be None."""
    if not isinstance(op, ast.Eq | ast.NotEq):
        return compared(em, op, em.required(left, node), em.required(right, node), node)
    same = is_none(em, left, right)
    if same is None:
        there = em.constant(True)
        for side in (left, right):
            if isinstance(side.type, OptionalOf):
                there = both(em, there, Value(BOOL, (side.ops[-1],)))
        one, other = (inner_of(side) for side in (left, right))
        same = both(em, there, compared(em, ast.Eq(), one, other, node))
        if isinstance(left.type, OptionalOf) and isinstance(right.type, OptionalOf):
            some = em.let(f"or i1 {left.ops[-1]}, {right.ops[-1]}")
            same = em.let_bool(f"or i1 {same.op}, {em.let(f'xor i1 {some}, true')}")
    return same if isinstance(op, ast.Eq) else negated(em, same)


def same_record(em: Emitter, kind: object, left: Value, right: Value) -> Value | None:
    """Return whether two records are the same object; None for other types or if their class has `__eq__`."""
    records = [value.type for value in (left, right) if isinstance(value.type, RecordOf)]
    own = [record.cls.__eq__ for record in records if record.cls.__eq__ is not object.__eq__]
    if kind not in (ast.Eq, ast.NotEq) or not records:
        return None
    if own and not (NONE in (left.type, right.type) and is_generated(own[0])):
        return None
    same = is_none(em, left, right)
    return negated(em, same) if same is not None and kind is ast.NotEq else same


def inner_of(value: Value) -> Value:
    """Return the value within an optional value, assuming that it is not None."""
    return value_of(value.type.of, value.ops[:-1]) if isinstance(value.type, OptionalOf) else value


def compared_numbers(em: Emitter, kind: Any, left: Value, right: Value, node: object) -> Value:
    if FLOAT in (left.type, right.type):
        a, b = em.convert(left, FLOAT, node).op, em.convert(right, FLOAT, node).op
        return em.let_bool(f"fcmp {COMPARED[kind][1]} double {a}, {b}")
    if left.type is BOOL and right.type is BOOL and kind in (ast.Eq, ast.NotEq):
        return em.let_bool(f"icmp {COMPARED[kind][0]} i1 {left.op}, {right.op}")
    a, b = em.convert(left, INT, node).op, em.convert(right, INT, node).op
    return em.let_bool(f"icmp {COMPARED[kind][0]} i64 {a}, {b}")


def compared_tuples(em: Emitter, kind: object, left: Value, right: Value, node: object) -> Value:
    ones, others = em.items_of(left), em.items_of(right)
    classes = {getattr(value.type, "cls", None) for value in (left, right)}
    if any(map(is_frozen, classes)) and (len(classes) > 1 or kind not in (ast.Eq, ast.NotEq)):
        if kind not in (ast.Eq, ast.NotEq):
            em.fail(node, "in compiled code, dataclasses can be compared only by == and !=")
        return em.constant(kind is ast.NotEq)
    if kind in (ast.Eq, ast.NotEq):
        if len(ones) != len(others):
            return em.constant(kind is ast.NotEq)
        same = em.constant(True)
        for one, other in zip(ones, others, strict=True):
            same = both(em, same, compared(em, ast.Eq(), one, other, node))
        return same if kind is ast.Eq else negated(em, same)
    if len(ones) != len(others):
        em.fail(node, "tuples of different lengths cannot be ordered in compiled code")
    strict = ast.Lt() if kind in (ast.Lt, ast.LtE) else ast.Gt()
    result = em.constant(kind in (ast.LtE, ast.GtE))
    for one, other in reversed(list(zip(ones, others, strict=True))):
        equal = both(em, compared(em, ast.Eq(), one, other, node), result)
        before = compared(em, strict, one, other, node)
        result = em.let_bool(f"or i1 {before.op}, {equal.op}")
    return result


def both(em: Emitter, one: Value, other: Value) -> Value:
    """Return the conjunction of two bools."""
    if one.known:
        return other if one.const else one
    if other.known:
        return one if other.const else other
    return em.let_bool(f"and i1 {one.op}, {other.op}")


def negated(em: Emitter, value: Value) -> Value:
    if value.known:
        return em.constant(not value.const)
    return em.let_bool(f"xor i1 {value.op}, true") if value.type is BOOL else value


def truth_of(em: Emitter, value: Value, node: object) -> Value:
    """Return the truth value of a value, as a bool."""
    kind = value.type
    if value.known and kind is not UNKNOWN:
        return em.constant(bool(value.const))
    if kind in (BOOL, UNKNOWN):
        return value
    if kind is INT:
        return em.let_bool(f"icmp ne i64 {value.op}, 0")
    if kind is FLOAT:
        return em.let_bool(f"fcmp une double {value.op}, {ZERO}")
    if isinstance(kind, ListOf):
        return em.let_bool(f"icmp ne i64 {value.ops[1]}, 0")
    if isinstance(kind, OptionalOf):
        return both(em, truth_of(em, inner_of(value), node), Value(BOOL, (value.ops[-1],)))
    if isinstance(kind, RecordOf):
        return em.let_bool(f"icmp ne ptr {value.op}, null")
    if isinstance(kind, ContainerOf):
        count = em.let(f"load i64, ptr {value.op}, !tbaa !15")
        return em.let_bool(f"icmp ne i64 {count}, 0")
    if isinstance(kind, Tuple | Text):
        return em.constant(bool(kind.items))
    if isinstance(kind, ObjectOf) and not hasattr(kind.layout.cls, "__len__"):
        return em.constant(True)
    return em.fail(node, f"{kind} has no truth value in compiled code")
