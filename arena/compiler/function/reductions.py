"""What Python's functions make of many: their sum, the least of them, the same in order."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arena.compiler.errors import told
from arena.compiler.function.conditions import Conditions
from arena.compiler.source import definition, is_simple, yields
from arena.compiler.types import (
    BOOL,
    FLOAT,
    GAME,
    INT,
    NUMBERS,
    UNKNOWN,
    ArrayOf,
    Known,
    ListOf,
    ObjectOf,
    Tuple,
    Value,
    join,
)


class Reductions(Conditions):
    """Functions that go over all of something; `key` says by what."""

    def write_len(self, node: ast.Call) -> Value:
        if (
            len(node.args) == 1
            and isinstance(node.args[0], ast.Call)
            and (found := self.callee(node.args[0]))
            and self.is_lazy(*found)
            and found[1]
            and found[1].type is GAME
        ):
            return self.total(node.args[0], lambda value: self.constant(1), node)
        return self.length(self.expression(node.args[0]), node)

    def length(self, value: Value, node: Any) -> Value:
        kind = value.type
        if isinstance(kind, ListOf | ArrayOf):
            if value.ops[1].isdigit():
                return self.constant(int(value.ops[1]))
            return Value(INT, (value.ops[1],))
        if isinstance(kind, Tuple):
            return self.constant(len(kind.items))
        if value.known and hasattr(value.const, "__len__"):
            return self.constant(len(value.const))
        if isinstance(kind, ObjectOf):
            return self.call_method(value, "__len__", [], {}, node)
        if kind is UNKNOWN:
            return value
        return self.fail(node, f"{kind} has no length")

    def write_list(self, node: ast.Call) -> Value:
        if not node.args:
            return self.gather(node, lambda each: None)
        inner = node.args[0]
        if isinstance(inner, ast.Call) and (found := self.callee(inner)) and yields(definition(found[0])):
            function, owner = found
            values = self.bound(function, owner, *self.arguments(inner), inner)
            return self.filled_list(function, owner, values, inner)
        return self.gather(node, lambda each: self.iterate(node.args[0], each, alone=True))

    def write_tuple(self, node: ast.Call) -> Value:
        value = self.expression(node.args[0]) if node.args else self.constant(())
        if isinstance(value.type, Tuple | Known):
            return self.tuple_of(self.items_of(value))
        return self.fail(node, "tuple compiles for tuples only, since its length has to be known")

    # --- sums and truths --------------------------------------------------------------------------------

    def total(self, items: ast.expr, of: Callable[[Value], Value], node: Any) -> Value:
        key = (*self.frame.key, id(node), "sum")
        self.put(key, self.constant(0), node, "the sum")

        def each(value: Value) -> None:
            self.put(key, self.binary(ast.Add(), self.get(key), of(value), node), node, "the sum")

        before = set(self.assigned)
        self.iterate(items, each, alone=True)
        self.assigned = before
        return self.get(key)

    def write_sum(self, node: ast.Call) -> Value:
        if len(node.args) != 1 or node.keywords:
            self.fail(node, "sum compiles with one argument")
        made = self.total(node.args[0], lambda value: value, node)
        if made.type is FLOAT:
            return self.fail(node, "sum compiles for ints; add floats in a loop, since sum rounds otherwise")
        return made

    def write_any(self, node: ast.Call, wanted: bool = True) -> Value:
        place, end = self.room("i1"), self.label("any")
        self.emit(f"store i1 {'false' if wanted else 'true'}, ptr {place}")

        def each(value: Value) -> None:
            truth = self.truth(value, node)
            hit, other = self.label("hit"), self.label("other")
            ways = (hit, other) if wanted else (other, hit)
            if truth.known:
                self.goto(ways[0] if truth.const else ways[1])
            else:
                self.branch(truth.op if truth.ops else "undef", *ways)
            self.dead = True
            self.start(hit)
            self.emit(f"store i1 {'true' if wanted else 'false'}, ptr {place}")
            self.goto(end)
            self.start(other)

        before = set(self.assigned)
        self.iterate(node.args[0], each)
        self.assigned = before
        self.start(end)
        return Value(BOOL, (self.let(f"load i1, ptr {place}"),))

    def write_all(self, node: ast.Call) -> Value:
        return self.write_any(node, wanted=False)

    # --- by a key ---------------------------------------------------------------------------------------

    def keyed(self, node: ast.Call) -> Callable[[Value], Value]:
        """What a call's `key=` gives of an item."""
        named = self.arguments(node)[1]
        key = named.pop("key", None)
        if named:
            self.fail(node, f"{next(iter(named))}= does not compile")
        if key is None:
            return lambda value: value
        frame = self.frame
        if isinstance(key, ast.Lambda):
            if len(key.args.args) != 1 or ast.unparse(key.args) != key.args.args[0].arg:
                self.fail(node, "a key takes one argument")
            names = frozenset(arg.arg for arg in key.args.args)
            inner = replace(frame, node=key, key=(*frame.key, id(key)), names=names, outer=frame, each=None)

            def of(value: Value) -> Value:
                with self.within(inner):
                    self.assign(ast.copy_location(ast.Name(next(iter(names)), ast.Store()), key), value)
                    return self.expression(key.body)

            return of
        found = self.callee(ast.copy_location(ast.Call(key, [], []), key))
        if not found:
            self.fail(node, "a key compiles where it is a lambda, a method or a function")
        function, owner = found
        return lambda value: self.call_function(function, [*([owner] if owner else []), value], {}, node)

    def write_min(self, node: ast.Call, larger: bool = False) -> Value:
        if len(node.args) > 1:
            return self.least(list(map(self.expression, node.args)), larger, node)
        of, op = self.keyed(node), ast.Gt() if larger else ast.Lt()
        best, least, some = ((*self.frame.key, id(node), part) for part in ("best", "least", "some"))
        self.put(some, self.constant(False), node, "this")
        flag = self.slots_of(some, BOOL)[0]

        def each(value: Value) -> None:
            value = self.spelled(value)
            score = self.spelled(of(value))
            first, compare, better, after = (
                self.label(hint) for hint in ("first", "compare", "better", "after")
            )
            self.branch(self.let(f"load i1, ptr {flag}"), compare, first)
            self.start(compare)
            self.dead = False
            if best in self.instance.variables:
                before = self.get(least)
                if before.type is UNKNOWN or score.type is UNKNOWN:
                    self.goto(after)
                else:
                    found = self.compared(op, score, before, node)
                    if found.known:
                        self.goto(better if found.const else after)
                    else:
                        self.branch(found.op, better, after)
            else:
                self.goto(after)
            self.dead = True
            self.start(first)
            self.start(better)
            self.put(best, value, node, "an item")
            self.put(least, score, node, "a score")
            self.emit(f"store i1 true, ptr {flag}")
            self.start(after)

        before = set(self.assigned)
        self.iterate(node.args[0], each, alone=not node.keywords)
        self.assigned = before
        none = self.let(f"xor i1 {self.let(f'load i1, ptr {flag}')}, true")
        self.check(none, ValueError, told(max if larger else min, ()), node)
        return self.get(best)

    def write_max(self, node: ast.Call) -> Value:
        return self.write_min(node, larger=True)

    def least(self, values: list[Value], larger: bool, node: ast.Call) -> Value:
        """The least, or greatest, of some values, of equal ones the first."""
        if node.keywords:
            self.fail(node, "a key compiles with one list")
        best = values[0]
        for value in values[1:]:
            if UNKNOWN in (best.type, value.type):
                best = best if value.type is UNKNOWN else value
                continue
            if best.type not in NUMBERS or value.type not in NUMBERS:
                self.fail(node, "min and max of several compile for numbers")
            if best.known and value.known:
                best = self.constant((max if larger else min)(best.const, value.const))
                continue
            kind = join(best.type, value.type)
            one, other = self.convert(best, kind, node), self.convert(value, kind, node)
            better = self.compared(ast.Gt() if larger else ast.Lt(), other, one, node)
            ir = kind.irs[0]
            best = Value(kind, (self.let(f"select i1 {better.op}, {ir} {other.op}, {ir} {one.op}"),))
        return best

    # --- in order ---------------------------------------------------------------------------------------

    def sorting(self, node: ast.Call) -> tuple[Callable[[Value], Value], bool]:
        named = self.arguments(node)[1]
        backwards = named.pop("reverse", None)
        known = self.static(backwards) if backwards is not None else False
        if known is None:
            self.fail(node, "reverse is a constant in compiled code")
        kept = [keyword for keyword in node.keywords if keyword.arg != "reverse"]
        call = ast.copy_location(ast.Call(node.func, node.args, kept), node)
        return self.keyed(call), bool(known)

    def write_sorted(self, node: ast.Call) -> Value:
        of, backwards = self.sorting(node)
        made = self.gather(node, lambda each: self.iterate(node.args[0], each, alone=True))
        self.sort(made, of, backwards, node)
        return made

    def sort(self, items: Value, of: Callable[[Value], Value], backwards: bool, node: Any) -> None:
        """Sort by inserting, which leaves equal items in their order."""
        kind = items.item
        if kind is UNKNOWN:
            return
        key = next((keyword.value for keyword in node.keywords if keyword.arg == "key"), None)
        if not (key is None or (isinstance(key, ast.Lambda) and is_simple(key.body))):  # called once an item
            scores = self.gather(key, lambda each: self.over(items, lambda value: each(of(value)), node))
            if scores.item is not UNKNOWN:
                self.sort_by(items, scores, backwards, node)
            return
        place = self.room("i64")

        def insert(i: Value) -> None:
            value = self.load_item(items, i.op)
            score = self.spelled(of(value))
            self.emit(f"store i64 {i.op}, ptr {place}")
            head, look, move, done = (self.label(hint) for hint in ("sift", "look", "move", "done"))
            self.start(head)
            j = self.let(f"load i64, ptr {place}")
            self.branch(self.let(f"icmp sgt i64 {j}, 0"), look, done)
            self.start(look)
            before = self.let(f"sub nsw i64 {j}, 1")
            other = self.load_item(items, before)
            if score.type is UNKNOWN:
                self.goto(done)
            else:
                op = ast.Lt() if backwards else ast.Gt()
                after = self.truth(self.compared(op, self.spelled(of(other)), score, node), node)
                self.branch(after.op if after.ops else "undef", move, done)
            self.dead = True
            self.start(move)
            self.store_item(kind, items.ops[0], j, other)
            self.emit(f"store i64 {before}, ptr {place}")
            self.goto(head)
            self.start(done)
            self.store_item(kind, items.ops[0], self.let(f"load i64, ptr {place}"), value)

        self.count(self.constant(1), Value(INT, (items.ops[1],)), insert)

    def sort_by(self, items: Value, scores: Value, backwards: bool, node: Any) -> None:
        """Sort items, and their scores with them, by these."""
        place, rows = self.room("i64"), (items, scores)

        def move(row: Value, to: str, value: Value) -> None:
            self.store_item(row.item, row.ops[0], to, value)

        def insert(i: Value) -> None:
            taken = [self.load_item(row, i.op) for row in rows]
            self.emit(f"store i64 {i.op}, ptr {place}")
            head, look, up, done = (self.label(hint) for hint in ("sift", "look", "move", "done"))
            self.start(head)
            j = self.let(f"load i64, ptr {place}")
            self.branch(self.let(f"icmp sgt i64 {j}, 0"), look, done)
            self.start(look)
            before = self.let(f"sub nsw i64 {j}, 1")
            others = [self.load_item(row, before) for row in rows]
            after = self.compared(ast.Lt() if backwards else ast.Gt(), others[1], taken[1], node)
            self.branch(after.op if after.ops else "undef", up, done)
            self.dead = True
            self.start(up)
            for row, other in zip(rows, others, strict=True):
                move(row, j, other)
            self.emit(f"store i64 {before}, ptr {place}")
            self.goto(head)
            self.start(done)
            last = self.let(f"load i64, ptr {place}")
            for row, value in zip(rows, taken, strict=True):
                move(row, last, value)

        self.count(self.constant(1), Value(INT, (items.ops[1],)), insert)
