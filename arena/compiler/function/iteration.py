"""What goes over things: loops, comprehensions, generators.

A generator of the game with a single yield is laid into the loop that goes over it, so that what follows a
break is never generated; any other fills a list.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any

from arena.api.component import Component, author_of
from arena.compiler.function.text import UNLIKELY
from arena.compiler.function.variables import Variables
from arena.compiler.source import changing, definition, local_names, times_set, yields
from arena.compiler.types import INT, RNG, UNKNOWN, ArrayOf, Known, ListOf, ObjectOf, Tuple, Value

MOST_COPIES = 8  # of a loop's body, one for each yield of a generator that is laid into it
UNROLLED = 16  # items of a constant tuple that a loop is written out for
Each = Callable[[Value], None]


class Iteration(Variables):
    """`each` writes what is to be done with an item."""

    def iterate(self, node: ast.expr, each: Each, alone: bool = False) -> None:
        """Write `each` for all items of what a node gives.

        alone: what `each` does has no effect on what gives the items, and it sees all of them.
        """
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and self.key_of(node.func.id) is None
        ):
            special = getattr(self, "over_" + node.func.id, None)
            if special and self.outside(node.func.id, node).const is getattr(builtins, node.func.id):
                special(node, each)
                return
        if isinstance(node, ast.GeneratorExp) or (alone and isinstance(node, ast.ListComp)):
            self.comprehend(node, each)
            return
        if isinstance(node, ast.Call) and (self.over_parts(node, each) or self.lay_in(node, each)):
            return
        self.over(self.expression(node), each, node)

    def over(self, value: Value, each: Each, node: Any) -> None:
        """Write `each` for all items of a value."""
        kind = value.type
        if kind is UNKNOWN:
            each(Value(UNKNOWN))
        elif isinstance(kind, ListOf) and self.changes(node):
            if node.id in changing(self.frame.node)[0]:
                self.over_changing(value, each, node)
            else:
                self.over(self.copy_of(value, node), each, None)
        elif isinstance(kind, ListOf):
            self.count(
                self.constant(0), Value(INT, (value.ops[1],)), lambda i: each(self.load_item(value, i.op))
            )
        elif isinstance(kind, ArrayOf):
            extent = Value(INT, (value.ops[1],))
            self.count(self.constant(0), extent, lambda i: each(self.element(value, [i], node)))
        elif (
            isinstance(value.const, tuple) and len(value.const) > UNROLLED and (table := self.as_table(value))
        ):
            n = self.constant(len(value.const))
            self.count(self.constant(0), n, lambda i: each(self.load_item(table, i.op)))
        elif isinstance(value.const, tuple):
            for item in value.const:
                each(self.constant(item, node))
        elif isinstance(kind, Tuple):
            for part in self.items_of(value):
                each(part)
        elif isinstance(kind, ObjectOf) and hasattr(kind.layout.cls, "__iter__"):
            self.fail(node, "__iter__ does not compile; loop over what the component has")
        else:
            self.fail(node, f"compiled code cannot go over {kind}")

    def changes(self, node: Any) -> bool:
        """Whether a node is the name of a list that changes in a loop over it, but for its items."""
        return isinstance(node, ast.Name) and any(node.id in names for names in changing(self.frame.node))

    def over_changing(self, items: Value, each: Each, node: ast.Name) -> None:
        """Write `each` for the items of a list that may get more, or fewer, meanwhile."""
        if node.id in changing(self.frame.node)[1]:
            self.fail(node, f"{node.id} gets another list in the loop over it, and another length")
        length = self.slots_of(self.key_of(node.id), items.type)[1]
        place = self.room("i64")
        head, body, end = self.label("loop"), self.label("body"), self.label("end")
        self.emit(f"store i64 0, ptr {place}")
        self.start(head)
        i = self.let(f"load i64, ptr {place}")
        self.branch(self.let(f"icmp slt i64 {i}, {self.let(f'load i64, ptr {length}')}"), body, end)
        self.start(body)
        each(self.load_item(items, i))
        if not self.dead:
            self.emit(f"store i64 {self.let(f'add nsw i64 {i}, 1')}, ptr {place}")
        self.goto(head)
        self.start(end)

    def over_parts(self, node: ast.Call, each: Each) -> bool:
        """Go over `self.components()`, if that it is: a component's own, one after the other."""
        found = self.callee(node)
        if not found or found[0] is not author_of(Component.components):
            return False
        owner = found[1]
        for name, (kind, _) in owner.type.layout.fields.items():
            if isinstance(kind, ObjectOf) and kind.layout.cls.is_part:
                each(self.field(owner, name, node))
        return True

    def as_table(self, value: Value) -> Value | None:
        kinds = {item.type for item in self.items_of(value)}
        if len(kinds) != 1 or not (kind := kinds.pop()).irs:
            return None
        return Value(ListOf(kind), (self.unit.constant_table(value.const, kind), str(len(value.const))))

    def count(self, start: Value, stop: Value, each: Each, step: int = 1, short: bool = False) -> None:
        """Write `each` for the ints from start up to stop, or down to it.

        A step beyond 64 bits ends the loop; with `short` there is none, as in a loop over a list.
        """
        if start.known and stop.known and not range(start.const, stop.const, step):
            return
        place = self.room("i64")
        head, body, end = self.label("loop"), self.label("body"), self.label("end")
        self.emit(f"store i64 {start.op}, ptr {place}")
        self.start(head)
        i = self.let(f"load i64, ptr {place}")
        self.branch(self.let(f"icmp {'slt' if step > 0 else 'sgt'} i64 {i}, {stop.op}"), body, end)
        self.start(body)
        each(Value(INT, (i,)))
        if not self.dead:
            flags = " nsw" if short or step in (1, -1) or self.is_near(stop, step) else ""
            following = self.let(f"add{flags} i64 {i}, {step}")
            self.emit(f"store i64 {following}, ptr {place}")
            if not flags:
                wraps = self.let(f"icmp {'slt' if step > 0 else 'sgt'} i64 {following}, {i}")
                self.branch(wraps, end, head, UNLIKELY)
        self.goto(head)
        self.start(end)

    def is_near(self, stop: Value, step: int) -> bool:
        """Return whether one step past the last value fits into 64 bits."""
        return stop.known and -(2**63) <= stop.const + step < 2**63

    def bounds(self, node: ast.Call) -> tuple[Value, Value, int]:
        """Start, stop and step of a `range`."""
        if node.keywords or not 1 <= len(node.args) <= 3:
            self.fail(node, "range takes one to three ints")
        given = [self.whole_number(part) for part in node.args]
        if len(given) == 1:
            given.insert(0, self.constant(0))
        step = given[2] if len(given) == 3 else self.constant(1)
        if not step.known or step.const == 0:
            self.fail(node, "the step of a range is a constant in compiled code, and not 0")
        return given[0], given[1], step.const

    # --- functions that go over things ------------------------------------------------------------------

    def over_range(self, node: ast.Call, each: Each) -> None:
        start, stop, step = self.bounds(node)
        self.count(start, stop, each, step)

    def over_enumerate(self, node: ast.Call, each: Each) -> None:
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        first = named.pop("start", node.args[1] if len(node.args) > 1 else None)
        if not 1 <= len(node.args) <= 2 or named:
            self.fail(node, "enumerate takes what it numbers, and start=")
        start = self.whole_number(first) if first is not None else self.constant(0)
        place = self.room("i64")
        self.emit(f"store i64 {start.op}, ptr {place}")

        def numbered(value: Value) -> None:
            i = self.let(f"load i64, ptr {place}")
            self.emit(f"store i64 {self.let(f'add nsw i64 {i}, 1')}, ptr {place}")
            each(self.tuple_of([Value(INT, (i,)), self.spelled(value)]))

        self.iterate(node.args[0], numbered)

    def over_reversed(self, node: ast.Call, each: Each) -> None:
        inner = node.args[0]
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "range":
            start, stop, step = self.bounds(inner)
            if step != 1:
                self.fail(node, "reversed compiles for a range with step 1, lists and tuples")
            self.count(stop, start, lambda i: each(Value(INT, (self.let(f"sub nsw i64 {i.op}, 1"),))), -1)
            return
        value = self.expression(inner)
        if isinstance(value.type, Tuple | Known):
            for item in reversed(self.items_of(value)):
                each(item)
        elif isinstance(value.type, ListOf):
            if self.changes(inner):
                self.fail(
                    node,
                    "a list stays as it is while reversed goes over it in compiled code; give it list(…)",
                )
            last = Value(INT, (self.let(f"sub i64 {value.ops[1]}, 1"),))
            self.count(last, self.constant(-1), lambda i: each(self.load_item(value, i.op)), -1)
        else:
            self.fail(node, f"compiled code cannot go over {value.type} backwards")

    def over_zip(self, node: ast.Call, each: Each) -> None:
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        strict = self.static(named.pop("strict")) if "strict" in named else False
        if named or strict is None or not node.args:
            self.fail(node, "zip compiles for lists, arrays and tuples, and strict=True or False")
        values = [self.spelled(self.expression(part)) for part in node.args]
        if any(
            isinstance(v.type, ListOf) and self.changes(part)
            for v, part in zip(values, node.args, strict=True)
        ):
            self.fail(node, "a list stays as it is while zip goes over it in compiled code; give it list(…)")
        if any(value.type is UNKNOWN for value in values):
            each(Value(UNKNOWN))
            return
        tuples = [value.type for value in values if isinstance(value.type, Tuple)]
        if len(tuples) == len(values) and len({len(kind.items) for kind in tuples}) == 1:
            for items in zip(*map(self.items_of, values), strict=True):
                each(self.tuple_of(items))
            return
        lengths = [self.length(value, node) for value in values]
        n = lengths[0]
        for length in lengths[1:]:
            n = Value(INT, (self.let(f"call i64 @llvm.smin.i64(i64 {n.op}, i64 {length.op})"),))
        self.count(
            self.constant(0), n, lambda i: each(self.tuple_of([self.item(v, [i], node) for v in values]))
        )
        if strict:
            for length in lengths:
                unlike = self.let(f"icmp ne i64 {n.op}, {length.op}")
                self.check(unlike, ValueError, "what zip has is of unlike lengths", node)

    # --- comprehensions and generators ------------------------------------------------------------------

    def comprehend(self, node: Any, each: Each) -> None:
        """Write `each` for what a comprehension gives."""
        names = {
            part.id
            for loop in node.generators
            for part in ast.walk(loop.target)
            if isinstance(part, ast.Name)
        }
        frame = self.frame
        inner = replace(
            frame, node=node, key=(*frame.key, id(node)), names=frozenset(names), outer=frame, each=None
        )

        def loop(depth: int) -> None:
            if depth == len(node.generators):
                with self.within(inner):
                    value = self.expression(node.elt)
                with self.within(frame):
                    each(value)
                return
            part = node.generators[depth]

            def item(value: Value) -> None:
                with self.within(inner):
                    self.assign(part.target, value)
                    yes, no = self.label("keep"), self.label("skip")
                    for test in part.ifs:
                        self.condition(test, yes, no)
                        self.dead = True
                        self.start(yes)
                        yes = self.label("keep")
                    loop(depth + 1)
                    if part.ifs:
                        self.goto(no)
                        self.start(no)

            with self.within(frame if depth == 0 else inner):
                self.iterate(part.iter, item)

        before = set(self.assigned)
        loop(0)
        self.assigned = before

    def lay_in(self, node: ast.Call, each: Each) -> bool:
        """Lay a generator into the loop over it, whether it is one.

        What is laid in runs by turns with the loop's body, as in Python. One of the game's, or one that knows
        numbers alone, does not notice: where it has several yields it fills a list beforehand.
        """
        found = self.callee(node)
        if not found or found[0] in self.own_ways:
            return False
        function, owner = found
        tree = definition(function)
        if not yields(tree):
            return False
        args = self.bound(function, owner, *self.arguments(node), node)
        if any(isinstance(value.type, ListOf) for value in args) and any(map(self.changes, node.args)):
            self.fail(
                node, "a list stays as it is while a generator goes over it in compiled code; give it list(…)"
            )
        pure = not any(
            isinstance(value.type, ObjectOf | ArrayOf | ListOf) or value.type is RNG for value in args
        )
        if pure and (yields(tree) > 1 or self.unit.eager or function in self.laid):
            self.over(self.filled_list(function, owner, args, node), each, node)
            return True
        if function in self.frame.laid or yields(tree) > MOST_COPIES:
            self.fail(
                node, f"{function.__name__} cannot be gone over like this in compiled code; write list(…)"
            )
        end = self.label("over")
        key = (*self.frame.key, id(node))
        laid = (*self.frame.laid, function)
        frame = type(self.frame)(
            function, tree, key, local_names(tree), args[0] if owner else None, end=end, laid=laid
        )
        outside = self.frame

        def item(value: Value) -> None:
            with self.within(outside):
                each(value)

        frame.each = item
        self.unit.facts.function(function)
        assigned, loops = set(self.assigned), self.loops
        self.laid.append(function)
        for (
            variable,
            flag,
        ) in self.flags.items():  # nothing is set yet, whatever was when it was gone over before
            if variable[:-1] == key:
                self.emit(f"store i1 false, ptr {flag}")
        with self.within(frame):
            for arg, value in zip(tree.args.args, args, strict=True):
                variable = (*key, arg.arg)
                self.constants.pop(variable, None)
                still = value.known or not value.type.irs or isinstance(value.type, ObjectOf)
                if still and times_set(tree)[arg.arg] == 1:
                    self.constants[variable] = value
                self.put(variable, value, arg, arg.arg)
            self.block(tree.body)
        self.laid.pop()
        self.loops, self.assigned = loops, assigned
        self.goto(end)
        self.start(end)
        return True

    def is_lazy(self, function: FunctionType, owner: Value | None) -> bool:
        """Whether a generator is laid into loops over it rather than fill a list."""
        return yields(definition(function)) == 1 and not self.unit.eager and function not in self.own_ways

    def yields(self, value: Value, node: Any) -> None:
        if self.frame.each is None:
            self.fail(node, "yield cannot stand here")
        self.frame.each(value)

    def yield_from(self, node: ast.YieldFrom) -> None:
        """All that something gives, yielded."""
        each = self.frame.each
        if each == self.fill and isinstance(node.value, ast.Call) and (found := self.callee(node.value)):
            function, owner = found
            if yields(definition(function)):
                self.fill_from(node.value, function, owner)
                return
        if each is None:
            self.fail(node, "yield cannot stand here")
        self.iterate(node.value, each)
