"""Comparisons and conditions, and where they lead."""

from __future__ import annotations

import ast
from typing import Any

from arena.compiler.function.arithmetic import PYTHON, ZERO
from arena.compiler.function.chance import Chance
from arena.compiler.source import is_simple
from arena.compiler.types import (
    BOOL,
    FLOAT,
    GAME,
    INT,
    NONE,
    NUMBERS,
    UNKNOWN,
    ListOf,
    ObjectOf,
    Tuple,
    Value,
)

COMPARED = {
    ast.Eq: ("eq", "oeq"), ast.NotEq: ("ne", "une"), ast.Lt: ("slt", "olt"), ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"), ast.GtE: ("sge", "oge"),
}  # fmt: skip


class Conditions(Chance):
    """What tells true from false, and goes one way or the other."""

    # --- comparisons ------------------------------------------------------------------------------------

    def on_Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) == 1:
            return self.compared(
                node.ops[0], self.expression(node.left), self.expression(node.comparators[0]), node
            )
        return self.by_condition(node)

    def compared(self, op: ast.cmpop, left: Value, right: Value, node: Any) -> Value:
        kind = type(op)
        if kind in (ast.In, ast.NotIn):
            found = self.contains(right, left, node)
            return found if kind is ast.In else self.negated(found)
        if kind in (ast.Is, ast.IsNot):
            if UNKNOWN in (left.type, right.type):
                return Value(UNKNOWN)
            if NONE not in (left.type, right.type) and not (left.known and right.known):
                self.fail(node, "`is` compiles with None only")
            same = left.type is right.type if NONE in (left.type, right.type) else left.const is right.const
            return self.constant(same == (kind is ast.Is))
        if UNKNOWN in (left.type, right.type):
            return Value(UNKNOWN)
        if left.known and right.known:
            try:
                return self.constant(bool(PYTHON[kind](left.const, right.const)))
            except TypeError as error:
                self.fail(node, str(error))
        left, right = self.spelled(left), self.spelled(right)
        if left.type in NUMBERS and right.type in NUMBERS:
            return self.compared_numbers(kind, left, right, node)
        if isinstance(left.type, Tuple) and isinstance(right.type, Tuple):
            return self.compared_tuples(kind, left, right, node)
        if kind in (ast.Eq, ast.NotEq) and NONE in (left.type, right.type):
            return self.constant((left.type == right.type) == (kind is ast.Eq))
        return self.fail(node, f"{left.type} and {right.type} cannot be compared in compiled code")

    def compared_numbers(self, kind: Any, left: Value, right: Value, node: Any) -> Value:
        if FLOAT in (left.type, right.type):
            a, b = self.convert(left, FLOAT, node).op, self.convert(right, FLOAT, node).op
            return Value(BOOL, (self.let(f"fcmp {COMPARED[kind][1]} double {a}, {b}"),))
        if left.type is BOOL and right.type is BOOL and kind in (ast.Eq, ast.NotEq):
            return Value(BOOL, (self.let(f"icmp {COMPARED[kind][0]} i1 {left.op}, {right.op}"),))
        a, b = self.convert(left, INT, node).op, self.convert(right, INT, node).op
        return Value(BOOL, (self.let(f"icmp {COMPARED[kind][0]} i64 {a}, {b}"),))

    def compared_tuples(self, kind: Any, left: Value, right: Value, node: Any) -> Value:
        ones, others = self.items_of(left), self.items_of(right)
        if kind in (ast.Eq, ast.NotEq):
            if len(ones) != len(others):
                return self.constant(kind is ast.NotEq)
            same = self.constant(True)
            for one, other in zip(ones, others, strict=True):
                same = self.both(same, self.compared(ast.Eq(), one, other, node))
            return same if kind is ast.Eq else self.negated(same)
        if len(ones) != len(others):
            self.fail(node, "tuples of different lengths cannot be ordered in compiled code")
        strict = ast.Lt() if kind in (ast.Lt, ast.LtE) else ast.Gt()
        result = self.constant(kind in (ast.LtE, ast.GtE))
        for one, other in reversed(list(zip(ones, others, strict=True))):
            equal = self.both(self.compared(ast.Eq(), one, other, node), result)
            before = self.compared(strict, one, other, node)
            result = Value(BOOL, (self.let(f"or i1 {before.op}, {equal.op}"),))
        return result

    def both(self, one: Value, other: Value) -> Value:
        if one.known:
            return other if one.const else one
        if other.known:
            return one if other.const else other
        return Value(BOOL, (self.let(f"and i1 {one.op}, {other.op}"),))

    def negated(self, value: Value) -> Value:
        if value.known:
            return self.constant(not value.const)
        return Value(BOOL, (self.let(f"xor i1 {value.op}, true"),)) if value.type is BOOL else value

    # --- truth ------------------------------------------------------------------------------------------

    def truth(self, value: Value, node: Any) -> Value:
        """Whether a value is true, as a bool."""
        kind = value.type
        if value.known and kind is not UNKNOWN:
            return self.constant(bool(value.const))
        if kind in (BOOL, UNKNOWN):
            return value
        if kind is INT:
            return Value(BOOL, (self.let(f"icmp ne i64 {value.op}, 0"),))
        if kind is FLOAT:
            return Value(BOOL, (self.let(f"fcmp une double {value.op}, {ZERO}"),))
        if isinstance(kind, ListOf):
            return Value(BOOL, (self.let(f"icmp ne i64 {value.ops[1]}, 0"),))
        if isinstance(kind, Tuple):
            return self.constant(bool(kind.items))
        if isinstance(kind, ObjectOf) and not hasattr(kind.layout.cls, "__len__"):
            return self.constant(True)
        return self.fail(node, f"{kind} is neither true nor false in compiled code")

    def static(self, node: ast.expr) -> bool | None:
        """Whether a condition is true where that is known when compiling, without writing anything."""
        if isinstance(node, ast.BoolOp):
            stops, found = isinstance(node.op, ast.Or), []
            for part in node.values:  # up to one that decides, unless something has to be done before it
                found.append(self.static(part))
                if found[-1] is stops:
                    return stops if all(map(self.is_harmless, node.values[: len(found) - 1])) else None
            return None if None in found else not stops
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.static(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            if not self.is_harmless(node):
                return None
            sides = [node.left, *node.comparators]
            pairs = zip(sides, node.ops, sides[1:], strict=False)
            found = [self.static(ast.copy_location(ast.Compare(a, [op], [b]), node)) for a, op, b in pairs]
            return False if False in found else None if None in found else True
        if not is_simple(node):
            return None
        lines, count, dead, entry = len(self.lines), self.made, self.dead, len(self.entry)
        value = self.expression(node)
        known = bool(value.const) if value.known and len(self.lines) == lines else None
        if isinstance(value.type, ObjectOf) and not hasattr(value.type.layout.cls, "__len__"):
            known = True
        del self.lines[lines:], self.entry[entry:]
        self.made, self.dead = count, dead
        self.slots = {
            key: slots for key, slots in self.slots.items() if all(number(s) <= count for s in slots)
        }
        return known

    def is_harmless(self, node: ast.expr) -> bool:
        """Whether it does nothing and raises nothing, so that it may be left out."""
        risky, parts = ast.Div | ast.FloorDiv | ast.Mod | ast.Pow, list(ast.walk(node))
        read = [self.key_of(part.id) for part in parts if isinstance(part, ast.Name)]
        unset = any(key is not None and key not in self.assigned for key in read)
        return is_simple(node) and not unset and not any(isinstance(part, risky) for part in parts)

    # --- ways -------------------------------------------------------------------------------------------

    def condition(self, node: ast.expr, yes: str, no: str) -> None:
        """Go to one label or the other."""
        known = self.static(node)
        if known is not None:
            self.goto(yes if known else no)
        elif isinstance(node, ast.BoolOp):
            either, surely = isinstance(node.op, ast.Or), None
            for part in node.values[:-1]:
                further = self.label("and")
                self.condition(part, yes if either else further, further if either else no)
                surely = set(self.assigned) if surely is None else surely
                self.dead = True
                self.start(further)
            self.condition(node.values[-1], yes, no)
            self.assigned = self.assigned if surely is None else surely
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.condition(node.operand, no, yes)
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            self.chain(node, yes, no)
        else:
            if self.goes_on_any(node, yes):
                self.goto(no)
                return
            value = self.truth(self.expression(node), node)
            if value.known:
                self.goto(yes if value.const else no)
            else:
                self.branch(value.op, yes, no)

    def goes_on_any(self, node: ast.expr, yes: str) -> bool:
        """Of a call of the game's `moves`, say: go to a label at the first there is. Whether it is one."""
        found = self.callee(node) if isinstance(node, ast.Call) else None
        if not found or found[1] is None or found[1].type is not GAME or not self.is_lazy(*found):
            return False
        before = set(self.assigned)
        assert isinstance(node, ast.Call)
        self.lay_in(node, lambda _: self.goto(yes))
        self.assigned = before
        return True

    def chain(self, node: ast.Compare, yes: str, no: str) -> None:
        """a < b < c"""
        left, surely = self.expression(node.left), None
        for i, (op, part) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.expression(part)
            surely = set(self.assigned) if surely is None else surely
            value = self.truth(self.compared(op, left, right, node), node)
            further = yes if i == len(node.ops) - 1 else self.label("and")
            if value.known:
                self.goto(further if value.const else no)
            else:
                self.branch(value.op if value.ops else "undef", further, no)
            if further != yes:
                self.dead = True
                self.start(further)
            left = right
        self.assigned = self.assigned if surely is None else surely

    def by_condition(self, node: ast.expr) -> Value:
        """A condition as a bool."""
        yes, no, end = self.label("yes"), self.label("no"), self.label("either")
        place = self.room("i1")
        self.condition(node, yes, no)
        for label, op in ((yes, "true"), (no, "false")):
            self.dead = True
            self.start(label)
            self.emit(f"store i1 {op}, ptr {place}")
            self.goto(end)
        self.start(end)
        return Value(BOOL, (self.let(f"load i1, ptr {place}"),))

    def on_BoolOp(self, node: ast.BoolOp) -> Value:
        stops = isinstance(node.op, ast.Or)
        key = (*self.frame.key, id(node))
        end = self.label("either")
        last = len(node.values) - 1
        surely: set[Any] | None = None  # what is set however many parts are reached
        fresh = True
        for i, part in enumerate(node.values):
            if i < last and self.static(part) is (not stops):
                continue
            value = self.expression(part)
            fresh = self.is_fresh(value, part) and fresh
            truth = self.truth(value, part) if i < last else self.constant(stops)
            if truth.known and truth.const != stops:
                continue
            if truth.known and surely is None:
                return value
            self.put(key, value, part, "this")
            if truth.known:
                break
            if surely is None:
                surely = set(self.assigned)
            further = self.label("next")
            yes, no = (end, further) if stops else (further, end)
            self.branch(truth.op if truth.ops else "undef", yes, no)
            self.dead = True
            self.start(further)
        self.goto(end)
        self.start(end)
        self.assigned = self.assigned if surely is None else surely
        return self.chosen(key, fresh)

    def on_IfExp(self, node: ast.IfExp) -> Value:
        known = self.static(node.test)
        if known is not None:
            return self.expression(node.body if known else node.orelse)
        yes, no, end = self.label("then"), self.label("else"), self.label("fi")
        self.condition(node.test, yes, no)
        key = (*self.frame.key, id(node))
        before, fresh = set(self.assigned), True
        for label, part in ((yes, node.body), (no, node.orelse)):
            self.dead = True
            self.start(label)
            self.assigned = set(before)
            value = self.expression(part)
            fresh = self.is_fresh(value, part) and fresh
            self.put(key, value, part, "this")
            self.goto(end)
        self.assigned = before
        self.start(end)
        return self.chosen(key, fresh)

    def is_fresh(self, value: Value, node: ast.expr) -> bool:
        """Whether what may be chosen is no list with a name; such a list stays as it is while gone over."""
        if isinstance(value.type, ListOf) and self.changes(node):
            self.fail(node, "a list cannot get a second name; write list(…) for a copy")
        return value.fresh or not isinstance(value.type, ListOf)

    def chosen(self, key: Any, fresh: bool) -> Value:
        """What was put for one expression. fresh: it has no other name."""
        value = self.get(key)
        return Value(value.type, value.ops, value.const, fresh)


def number(name: str) -> int:
    return int(name[2:]) if name[2:].isdigit() else 0
