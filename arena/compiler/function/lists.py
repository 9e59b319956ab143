"""Lists: how they are filled, their items, their methods.

A list lies in the frame of whoever made it, at most `unit.cap` items of it, and has one name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

from arena.compiler.errors import NO_ROOM
from arena.compiler.function.iteration import Each, Iteration
from arena.compiler.source import yields
from arena.compiler.types import (
    BOOL,
    FLOAT,
    GAME,
    INT,
    NONE,
    NUMBERS,
    SPARE,
    UNKNOWN,
    ArrayOf,
    ListOf,
    NoJoin,
    ObjectOf,
    Tuple,
    Type,
    Value,
    join,
    slot,
    unsettled,
)

SEVERAL = 8  # items of a list that are looked at together; it has room for more than these behind its last


class Lists(Iteration):
    """What makes, reads and changes lists."""

    # --- made -------------------------------------------------------------------------------------------

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

    def copy_of(self, items: Value, node: Any) -> Value:
        data = self.room(slot(items.item), self.unit.cap + SPARE)
        self.copied(items, data, str(self.unit.cap), node)
        return Value(items.type, (data, items.ops[1]), fresh=True)

    def copied(self, items: Value, out: str, cap: str, node: Any) -> str:
        """Items copied to where a list is to be; how many."""
        kind = items.item
        n = items.ops[1]
        size = self.let(f"mul i64 {n}, {size_of(kind)}")
        self.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {out}, ptr {items.ops[0]}, i64 {size}, i1 false)")
        return n

    def list_slice(self, items: Value, at: Any, node: Any) -> Value:
        low, n = self.span(at, items.ops[1], node)
        kind = items.item
        part = self.let(f"getelementptr inbounds {slot(kind)}, ptr {items.ops[0]}, i64 {low}")
        return self.copy_of(Value(items.type, (part, n)), node)

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

    # --- filled by a generator --------------------------------------------------------------------------

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
        more = self.call_instance(called, args, (rest, left), node)
        self.emit(f"store i64 {self.let(f'add nsw i64 {n}, {more}')}, ptr {self.filled}")

    def filled_list(
        self, function: FunctionType, owner: Value | None, values: list[Value], node: Any
    ) -> Value:
        """The list that a function fills; a game's moves beyond those that it may have are left out."""
        if any(unsettled(value.type) for value in values):
            return Value(UNKNOWN)
        self.unit.facts.function(function)
        called = self.unit.instance(function, owner, [value.type for value in values], self.instance)
        item = called.result.item if isinstance(called.result, ListOf) else UNKNOWN
        data = self.room(slot(item), self.unit.cap + SPARE)
        n = self.call_instance(called, values, (data, str(self.unit.cap)), node)
        if owner is not None and owner.type is GAME:  # it is told where Python calls the game
            n = self.let(f"call i64 @llvm.smin.i64(i64 {n}, i64 {self.unit.cap})")
        else:
            over = self.let(f"icmp sgt i64 {n}, {self.unit.cap}")
            self.check(over, IndexError, f"{NO_ROOM} {self.unit.cap} items, the game's max_moves", node)
        return Value(ListOf(item), (data, n), fresh=True)

    # --- items ------------------------------------------------------------------------------------------

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

    def position(self, items: Value, wanted: Value, node: Any) -> str:
        """The first place of an item, or -1; an array of float32 compares as numpy does, in float32."""
        if isinstance(items.type, ArrayOf) and items.type.dtype == "float32" and wanted.type in NUMBERS:
            narrow = self.let(f"fptrunc double {self.convert(wanted, FLOAT, node).op} to float")
            wanted = Value(FLOAT, (self.let(f"fpext float {narrow} to double"),))
        place, end, found = self.room("i64"), self.label("end"), self.label("found")
        self.emit(f"store i64 -1, ptr {place}")

        def look(i: Value) -> None:
            item = (
                self.element(items, [i], node)
                if isinstance(items.type, ArrayOf)
                else self.load_item(items, i.op)
            )
            same = self.compared(ast.Eq(), item, wanted, node)
            other = self.label("other")
            hit = self.label("hit")
            if same.known:
                self.goto(hit if same.const else other)
            else:
                self.branch(same.op if same.ops else "undef", hit, other)
            self.dead = True
            self.start(hit)
            self.emit(f"store i64 {i.op}, ptr {place}")
            self.goto(end)
            self.start(other)

        self.count(self.constant(0), Value(INT, (items.ops[1],)), look)
        self.start(found)
        self.start(end)
        return self.let(f"load i64, ptr {place}")

    def contains(self, items: Value, wanted: Value, node: Any) -> Value:
        if UNKNOWN in (items.type, wanted.type):
            return Value(UNKNOWN)
        if items.known and wanted.known:
            return self.constant(wanted.const in items.const)
        if isinstance(items.type, ObjectOf):
            return self.call_method(items, "__contains__", [wanted], {}, node)
        if isinstance(items.type, ArrayOf) and items.type.ndim > 1:
            self.fail(node, f"compiled code cannot look for something in {items.type}")
        if isinstance(items.type, ListOf | ArrayOf):
            return Value(BOOL, (self.let(f"icmp sge i64 {self.position(items, wanted, node)}, 0"),))
        items = self.spelled(items)
        if isinstance(items.type, Tuple):
            found = self.constant(False)
            for item in self.items_of(items):
                same = self.compared(ast.Eq(), item, wanted, node)
                if same.known and same.const:
                    return same
                if not same.known:
                    found = same if found.known else Value(BOOL, (self.let(f"or i1 {found.op}, {same.op}"),))
            return found
        return self.fail(node, f"compiled code cannot look for something in {items.type}")

    # --- methods ----------------------------------------------------------------------------------------

    def variable_of(self, node: ast.Call) -> Any:
        """The variable whose list a method changes the length of."""
        assert isinstance(node.func, ast.Attribute)
        base = node.func.value
        key = self.key_of(base.id) if isinstance(base, ast.Name) else None
        if not isinstance(base, ast.Name) or key is None:
            self.fail(node, "the length of a list changes in compiled code only where the list was made")
        if key in self.given_lists():
            text = "a list that was given keeps its length in compiled code"
            self.fail(node, f"{text}; write own = list({base.id}), and change that")
        return key

    def given_lists(self) -> set[Any]:
        return {(arg.arg,) for arg in self.instance.node.args.args}

    def set_length(self, key: Any, n: str) -> None:
        kind = self.instance.variables[key]
        self.emit(f"store i64 {n}, ptr {self.slots_of(key, kind)[1]}")

    def list_copy(self, owner: Value, node: ast.Call) -> Value:
        return self.copy_of(owner, node)

    def list_append(self, owner: Value, node: ast.Call) -> Value:
        key = self.variable_of(node)
        value = self.spelled(self.expression(node.args[0]))
        if isinstance(value.type, ListOf | ArrayOf | ObjectOf):
            self.fail(node, f"{value.type} cannot be put into a list in compiled code")
        now = ListOf(value.type)
        before = self.instance.variables.get(key, UNKNOWN)
        if isinstance(before, ListOf) and before.item is UNKNOWN and value.type is not UNKNOWN:
            self.instance.variables[key] = now
            self.unit.changed = True
            return Value(NONE, (), None)
        kind = before.item if isinstance(before, ListOf) else UNKNOWN
        owner = self.get(key)
        if value.type != kind and kind is INT and value.type is FLOAT:
            self.fail(node, "the list has an int in it, and cannot have a float")
        value = self.convert(value, kind, node, "an item of the list")
        n = owner.ops[1] if len(owner.ops) > 1 else "0"
        self.append_at(kind, owner.ops[0] if owner.ops else "undef", n, str(self.unit.cap), value, node)
        self.set_length(key, self.let(f"add nsw i64 {n}, 1"))
        return Value(NONE, (), None)

    def list_clear(self, owner: Value, node: ast.Call) -> Value:
        self.set_length(self.variable_of(node), "0")
        return Value(NONE, (), None)

    def list_pop(self, owner: Value, node: ast.Call) -> Value:
        key = self.variable_of(node)
        n = owner.ops[1]
        self.check(self.let(f"icmp eq i64 {n}, 0"), IndexError, "pop from empty list", node)
        left = self.let(f"sub i64 {n}, 1")
        if not node.args:
            self.set_length(key, left)
            return self.load_item(owner, left)
        i = self.index(self.whole_args(node, 1)[0], n, node, "pop", check=True)
        value = self.load_item(owner, i)
        kind = owner.item
        item_ir = slot(kind)
        place = self.let(f"getelementptr inbounds {item_ir}, ptr {owner.ops[0]}, i64 {i}")
        behind = self.let(f"getelementptr inbounds {item_ir}, ptr {place}, i64 1")
        size = self.let(f"mul i64 {self.let(f'sub i64 {left}, {i}')}, {size_of(kind)}")
        self.emit(f"call void @llvm.memmove.p0.p0.i64(ptr {place}, ptr {behind}, i64 {size}, i1 false)")
        self.set_length(key, left)
        return value

    def list_index(self, owner: Value, node: ast.Call) -> Value:
        wanted = self.expression(node.args[0])
        i = self.position(owner, wanted, node)
        self.check(self.let(f"icmp slt i64 {i}, 0"), ValueError, "the item is not in the list", node)
        return Value(INT, (i,))

    def list_count(self, owner: Value, node: ast.Call) -> Value:
        wanted = self.expression(node.args[0])
        place = self.room("i64")
        self.emit(f"store i64 0, ptr {place}")

        def each(value: Value) -> None:
            same = self.compared(ast.Eq(), value, wanted, node)
            more = self.let(f"zext i1 {same.op} to i64")
            so_far = self.let(f"load i64, ptr {place}")
            self.emit(f"store i64 {self.let(f'add i64 {so_far}, {more}')}, ptr {place}")

        def several(i: Value) -> None:  # at a time; what lies behind the last item is left out
            row, truths = f"<{SEVERAL} x i64>", f"<{SEVERAL} x i1>"
            numbers = f"<{', '.join(f'i64 {j}' for j in range(SEVERAL))}>"
            items = self.let(f"getelementptr inbounds i64, ptr {owner.ops[0]}, i64 {i.op}")
            items = self.let(f"load {row}, ptr {items}, align 8, !tbaa !13")
            same = self.let(f"icmp eq {row} {items}, {self.all_alike(row, wanted.op)}")
            places = self.let(f"add {row} {self.all_alike(row, i.op)}, {numbers}")
            inside = self.let(f"icmp slt {row} {places}, {self.all_alike(row, owner.ops[1])}")
            both = self.let(f"select {truths} {inside}, {truths} {same}, {truths} zeroinitializer")
            bits = self.let(f"zext i{SEVERAL} {self.let(f'bitcast {truths} {both} to i{SEVERAL}')} to i64")
            more = self.let(f"call i64 @llvm.ctpop.i64(i64 {bits})")
            so_far = self.let(f"load i64, ptr {place}")
            self.emit(f"store i64 {self.let(f'add i64 {so_far}, {more}')}, ptr {place}")

        if owner.type == ListOf(INT) and wanted.type is INT:
            self.count(self.constant(0), Value(INT, (owner.ops[1],)), several, SEVERAL, short=True)
        else:
            self.over(owner, each, node)
        return Value(INT, (self.let(f"load i64, ptr {place}"),))

    def all_alike(self, row: str, op: str) -> str:
        """A row of ints that are all this one."""
        first = self.let(f"insertelement {row} poison, i64 {op}, i64 0")
        zeros = f"<{SEVERAL} x i32> zeroinitializer"
        return self.let(f"shufflevector {row} {first}, {row} poison, {zeros}")

    def list_reverse(self, owner: Value, node: ast.Call) -> Value:
        self.unit.writes_moves = True
        half = Value(INT, (self.let(f"ashr i64 {owner.ops[1]}, 1"),))
        last = self.let(f"sub i64 {owner.ops[1]}, 1")
        kind = owner.item

        def swap(i: Value) -> None:
            other = self.let(f"sub i64 {last}, {i.op}")
            one, two = self.load_item(owner, i.op), self.load_item(owner, other)
            self.store_item(kind, owner.ops[0], i.op, two)
            self.store_item(kind, owner.ops[0], other, one)

        self.count(self.constant(0), half, swap)
        return Value(NONE, (), None)

    def list_sort(self, owner: Value, node: ast.Call) -> Value:
        self.unit.writes_moves = True
        self.sort(owner, *self.sorting(node), node)
        return Value(NONE, (), None)


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
