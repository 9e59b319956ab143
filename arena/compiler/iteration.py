"""Loops, lists and generators.

A list lies in the frame of whoever made it, at most `unit.cap` items of it, and has one name. A generator of
the game with a single yield is laid into the loop that goes over it, so that what follows a break is never
generated; any other fills a list.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from arena.api.component import Component, author_of
from arena.compiler.errors import NO_ROOM, CannotCompile
from arena.compiler.source import changing, definition, local_names, times_set, yields
from arena.compiler.types import (
    BOOL,
    DTYPES,
    FLOAT,
    GAME,
    INT,
    NUMBERS,
    RNG,
    SPARE,
    UNKNOWN,
    ArrayOf,
    Known,
    ListOf,
    NoJoin,
    ObjectOf,
    Tuple,
    Value,
    join,
    slot,
)

if TYPE_CHECKING:
    from arena.compiler.types import Type

MOST_COPIES = 8  # of a loop's body, one for each yield of a generator that is laid into it
UNROLLED = 16  # items of a constant tuple that a loop is written out for
Each = Callable[[Value], None]


class Iteration:
    """What goes over things. `each` writes what is to be done with an item."""

    def __getattr__(self, name: str) -> Any:  # the other halves of Function
        raise AttributeError(name)

    def fail(self, node: Any, text: str) -> NoReturn:
        raise CannotCompile(text, self.frame.file, getattr(node, "lineno", 0))

    # --- going over things ------------------------------------------------------------------------------

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

    def count(self, start: Value, stop: Value, each: Each, step: int = 1) -> None:
        """Write `each` for the ints from start up to stop, or down to it."""
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
            flags = " nsw" if step in (1, -1) else ""
            self.emit(f"store i64 {self.let(f'add{flags} i64 {i}, {step}')}, ptr {place}")
        self.goto(head)
        self.start(end)

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

    def whole_number(self, node: ast.expr) -> Value:
        value = self.expression(node)
        if value.type is UNKNOWN:
            return Value(INT, ("undef",))
        if value.type not in NUMBERS or value.type is FLOAT:
            self.fail(node, f"an int is wanted here, and not {value.type}")
        return self.convert(value, INT, node)

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
            last = self.binary(ast.Sub(), stop, self.constant(1), node)
            self.count(last, self.binary(ast.Sub(), start, self.constant(1), node), each, -1)
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
        if (
            all(isinstance(value.type, Tuple) for value in values)
            and len({len(v.type.items) for v in values}) == 1
        ):
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

    # --- comprehensions and generators --------------------------------------------------------------------

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
        self.iterate(node.value, each)

    # --- filling lists ------------------------------------------------------------------------------------

    def fill(self, value: Value) -> None:
        """A generator yields an item: it goes to the list that is being filled."""
        instance = self.instance
        value = self.spelled(value)
        before = instance.result.item if isinstance(instance.result, ListOf) else UNKNOWN
        try:
            kind = join(before, value.type)
        except NoJoin:
            self.fail(
                instance.node, f"{instance.function.__name__} yields {before}, and {value.type} as well"
            )
        if not isinstance(instance.result, ListOf) or kind != before:
            instance.result = ListOf(kind)
            self.unit.changed = True
        n = self.let(f"load i64, ptr {self.filled}")
        self.append_at(kind, self.out, n, self.cap, self.convert(value, kind, instance.node), instance.node)
        self.emit(f"store i64 {self.let(f'add nsw i64 {n}, 1')}, ptr {self.filled}")

    def append_at(self, kind: Type, data: str, n: str, cap: str, value: Value, node: Any) -> None:
        """Put an item behind the last, or raise where there is no room."""
        if not self.spares():
            over = self.let(f"icmp sge i64 {n}, {cap}")
            self.check(over, IndexError, f"{NO_ROOM} {self.unit.cap} items, the game's max_moves", node)
        self.store_item(kind, data, n, value)

    def spares(self) -> bool:
        """Whether items for which there is no room are lost, but for one, which tells of it."""
        instance = self.instance
        free = instance.owner in (GAME, None) and not self.unit.checked
        return instance.generator and free and yields(instance.node) < SPARE - 1

    def most(self, n: str) -> str:
        """How many items there are, but no more than one beyond the room."""
        beyond = self.let(f"add nsw i64 {self.cap}, 1")
        return self.let(f"call i64 @llvm.smin.i64(i64 {n}, i64 {beyond})")

    def guard(self, loop: ast.stmt) -> None:
        """At the beginning of a loop's body: what has gone beyond the room for a list is lost, see `spares`.

        Within a body there cannot be more than the spare room takes, so not every item need be looked at.
        """
        if self.spares() and any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(loop)):
            n = self.let(f"load i64, ptr {self.filled}")
            over, fits = self.label("over"), self.label("fits")
            self.branch(self.let(f"icmp sgt i64 {n}, {self.cap}"), over, fits, "!prof !0")
            self.start(over)
            self.emit(f"store i64 {self.most(n)}, ptr {self.filled}")
            self.start(fits)

    def fill_if(self, node: ast.If) -> bool:
        """`if …: yield …`, where both are a few operations: without a jump. Whether it is that."""
        body = node.body[0]
        if not (self.frame.each == self.fill and self.spares() and len(node.body) == 1 and not node.orelse):
            return False
        if not (isinstance(body, ast.Expr) and isinstance(body.value, ast.Yield) and body.value.value):
            return False
        kind = self.instance.result
        if yields(self.instance.node) == 1:
            return False  # whether there is an item is guessed well then, and a jump costs nothing
        if not (is_cheap(node.test) and is_cheap(body.value.value)) or kind != ListOf(INT):
            return False
        truth = self.truth(self.expression(node.test), node)
        value = self.expression(body.value.value)
        if truth.type is not BOOL or truth.known or value.type is not INT:
            return False
        n, more = self.let(f"load i64, ptr {self.filled}"), self.let(f"zext i1 {truth.op} to i64")
        self.append_at(INT, self.out, n, self.cap, value, node)
        self.emit(f"store i64 {self.let(f'add nsw i64 {n}, {more}')}, ptr {self.filled}")
        return True

    def fill_from(self, node: ast.Call, function: FunctionType, owner: Value | None) -> None:
        """Have another generator fill on in the same list."""
        args = self.bound(function, owner, *self.arguments(node), node)
        n = self.most(self.let(f"load i64, ptr {self.filled}"))
        called = self.unit.instance(function, owner, [value.type for value in args], self.instance)
        item = called.result.item if isinstance(called.result, ListOf) else UNKNOWN
        if item is not UNKNOWN and (
            not isinstance(self.instance.result, ListOf) or self.instance.result.item is UNKNOWN
        ):
            self.instance.result = ListOf(item)
            self.unit.changed = True
        rest = self.let(f"getelementptr inbounds {slot(item)}, ptr {self.out}, i64 {n}")
        left = self.let(f"sub i64 {self.cap}, {n}")
        more = self.call_instance(called, args, (rest, left))
        self.emit(f"store i64 {self.let(f'add nsw i64 {n}, {more}')}, ptr {self.filled}")

    def fresh(self, item: Type = UNKNOWN) -> tuple[str, str]:
        """Room for a list, and for how many items there are, of which there are none."""
        data, n = self.room(slot(item), self.unit.cap + SPARE), self.room("i64")
        self.emit(f"store i64 0, ptr {n}")
        return data, n

    def gather(self, node: Any, run: Callable[[Each], None]) -> Value:
        """A new list of what `run` gives to its `each`."""
        key = (*self.frame.key, id(node), "item")
        kind = self.instance.variables.get(key, UNKNOWN)
        data, n = self.fresh(kind)

        def each(value: Value) -> None:
            value = self.spelled(value)
            before = self.instance.variables.get(key, UNKNOWN)
            try:
                now = join(before, value.type)
            except NoJoin:
                self.fail(node, f"a list of {before} cannot have {value.type} in it")
            if now != before:
                self.instance.variables[key] = now
                self.unit.changed = True
            if isinstance(value.type, ListOf | ArrayOf | ObjectOf):
                self.fail(node, f"{value.type} cannot be put into a list in compiled code")
            at = self.let(f"load i64, ptr {n}")
            self.append_at(now, data, at, str(self.unit.cap), self.convert(value, now, node), node)
            self.emit(f"store i64 {self.let(f'add nsw i64 {at}, 1')}, ptr {n}")

        run(each)
        return Value(ListOf(kind), (data, self.let(f"load i64, ptr {n}")), fresh=True)

    def on_ListComp(self, node: ast.ListComp) -> Value:
        return self.gather(node, lambda each: self.comprehend(node, each))

    def on_List(self, node: ast.List) -> Value:
        values = [self.expression(part) for part in node.elts]

        def run(each: Each) -> None:
            for value in values:
                each(value)

        return self.gather(node, run)

    def on_GeneratorExp(self, node: ast.GeneratorExp) -> Value:
        return self.fail(
            node, "a generator expression compiles within sum, min, max, any, all, list and sorted"
        )

    def repeated(self, items: Value, times: Value, node: Any) -> Value:
        """`[x] * n`"""
        times = self.convert(times, INT, node)

        def run(each: Each) -> None:
            self.count(self.constant(0), times, lambda _: self.over(items, each, node))

        return self.gather(node, run)

    def copied(self, items: Value, out: str, cap: str, node: Any) -> str:
        """Items copied to where a list is to be; how many."""
        kind = items.item
        n = items.ops[1]
        size = self.let(f"mul i64 {n}, {size_of(kind)}")
        self.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {out}, ptr {items.ops[0]}, i64 {size}, i1 false)")
        return n

    def load_item(self, items: Value, i: str) -> Value:
        kind = items.item
        place = self.let(f"getelementptr inbounds {slot(kind)}, ptr {items.ops[0]}, i64 {i}")
        if len(kind.irs) == 1:
            return Value(kind, (self.let(f"load {kind.irs[0]}, ptr {place}, !tbaa !13"),))
        ops = []
        for j, ir in enumerate(kind.irs):
            part = self.let(f"getelementptr inbounds {slot(kind)}, ptr {place}, i64 0, i32 {j}")
            ops.append(self.let(f"load {ir}, ptr {part}, !tbaa !13"))
        return Value(kind, tuple(ops))

    def store_item(self, kind: Type, data: str, i: str, value: Value) -> None:
        if kind is UNKNOWN or not kind.irs:
            return
        place = self.let(f"getelementptr inbounds {slot(kind)}, ptr {data}, i64 {i}")
        if len(kind.irs) == 1:
            self.emit(f"store {kind.irs[0]} {value.op}, ptr {place}, !tbaa !13")
            return
        for j, (ir, op) in enumerate(zip(kind.irs, value.ops, strict=True)):
            part = self.let(f"getelementptr inbounds {slot(kind)}, ptr {place}, i64 0, i32 {j}")
            self.emit(f"store {ir} {op}, ptr {part}, !tbaa !13")

    # --- slices -------------------------------------------------------------------------------------------

    def span(self, at: tuple[Value | None, Value | None], n: str, node: Any) -> tuple[str, str]:
        """Where a slice of something with so many items begins, and how many it has."""

        def clamp(value: Value | None, default: str) -> str:
            if value is None:
                return default
            op = self.convert(value, INT, node).op
            if value.known and value.const >= 0:
                place = op
            else:
                negative = self.let(f"icmp slt i64 {op}, 0")
                place = self.let(f"select i1 {negative}, i64 {self.let(f'add i64 {op}, {n}')}, i64 {op}")
                place = self.let(f"call i64 @llvm.smax.i64(i64 {place}, i64 0)")
            return self.let(f"call i64 @llvm.smin.i64(i64 {place}, i64 {n})")

        low, high = clamp(at[0], "0"), clamp(at[1], n)
        if low == "0":
            return low, high
        return low, self.let(f"call i64 @llvm.smax.i64(i64 {self.let(f'sub i64 {high}, {low}')}, i64 0)")

    def list_slice(self, items: Value, at: Any, node: Any) -> Value:
        low, n = self.span(at, items.ops[1], node)
        kind = items.item
        part = self.let(f"getelementptr inbounds {slot(kind)}, ptr {items.ops[0]}, i64 {low}")
        return self.copy_of(Value(items.type, (part, n)), node)

    def copy_of(self, items: Value, node: Any) -> Value:
        data = self.room(slot(items.item), self.unit.cap + SPARE)
        self.copied(items, data, str(self.unit.cap), node)
        return Value(items.type, (data, items.ops[1]), fresh=True)

    def array_slice(self, array: Value, at: list[Any], node: Any) -> Value:
        kind = array.type
        assert isinstance(kind, ArrayOf)
        if len(at) != 1:
            self.fail(node, "a slice compiles as the only index")
        low, n = self.span(at[0], array.ops[1], node)
        for extent in array.ops[2:]:
            low = self.let(f"mul i64 {low}, {extent}")
        ir = DTYPES[kind.dtype][0]
        where = self.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {low}")
        return Value(kind, (where, n, *array.ops[2:]))

    def fill_array(self, array: Value, value: Value, node: Any) -> None:
        """Set all elements: to a number, or to those of another array of the shape, or to a tuple's."""
        kind = array.type
        assert isinstance(kind, ArrayOf)
        self.check_writable(array, node)
        ir, size, _, _ = DTYPES[kind.dtype]
        if isinstance(value.type, ArrayOf):
            if replace(value.type, fixed=False) != kind:
                self.fail(node, f"{kind} cannot be set to {value.type}")
            self.same_length(array.ops[1], value.ops[1], node)
            n = self.elements(array)
            bytes_ = self.let(f"mul i64 {n}, {size}")
            self.emit(
                f"call void @llvm.memmove.p0.p0.i64(ptr {array.ops[0]}, ptr {value.ops[0]}, "
                f"i64 {bytes_}, i1 false)"
            )
            return
        value = self.spelled(value)
        if isinstance(value.type, Tuple) and kind.ndim == 1:
            self.same_length(array.ops[1], str(len(value.type.items)), node)
            for i, item in enumerate(self.items_of(value)):
                where = self.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {i}")
                self.store_element(kind.dtype, where, item, node)
            return

        def put(i: Value) -> None:
            where = self.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {i.op}")
            self.store_element(kind.dtype, where, value, node)

        self.count(self.constant(0), Value(INT, (self.elements(array),)), put)

    def check_writable(self, array: Value, node: Any) -> None:
        if array.array.fixed:
            self.fail(node, "an array of a module or the game, or a read-only one, cannot be changed")

    def same_length(self, one: str, other: str, node: Any) -> None:
        if self.bounded:
            self.check(
                self.let(f"icmp ne i64 {one}, {other}"), ValueError, "arrays of different lengths", node
            )

    def elements(self, array: Value) -> str:
        n = array.ops[1]
        for extent in array.ops[2:]:
            n = self.let(f"mul i64 {n}, {extent}")
        return n

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


CHEAP = (
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Name,
    ast.Constant,
    ast.operator,
    ast.cmpop,
    ast.unaryop,
    ast.Load,
)


def is_cheap(node: ast.expr) -> bool:
    """Whether it is a few operations, which do no harm where they are done in vain."""
    parts = list(ast.walk(node))
    slow = ast.Div, ast.FloorDiv, ast.Mod, ast.Pow
    return len(parts) < 24 and all(isinstance(part, CHEAP) and not isinstance(part, slow) for part in parts)


def size_of(kind: Any) -> int:
    """Bytes of an item of a list, as LLVM lays it out."""
    at = 0
    for ir in kind.irs or ("i64",):
        size = {"i1": 1, "i32": 4}.get(ir, 8)
        at = -(-at // size) * size + size
    largest = max({"i1": 1, "i32": 4}.get(ir, 8) for ir in kind.irs or ("i64",))
    return -(-at // largest) * largest
