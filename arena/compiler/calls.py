"""Calls: of an author's functions and methods, of Python's, and of what compiled code has its own way of."""

from __future__ import annotations

import ast
import builtins
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any

from arena import rng
from arena.api import bits, states
from arena.api.component import author_of
from arena.compiler import matching
from arena.compiler.errors import NO_ROOM, meant, told
from arena.compiler.iteration import Iteration, size_of
from arena.compiler.source import NOT_THERE, definition, is_simple, yields
from arena.compiler.types import (
    BOOL,
    FLOAT,
    GAME,
    INT,
    MISSING,
    NONE,
    NUMBERS,
    RNG,
    SPARE,
    UNKNOWN,
    ArrayOf,
    Known,
    ListOf,
    ObjectOf,
    Tuple,
    Value,
    join,
    slot,
    unsettled,
)

if TYPE_CHECKING:
    from arena.compiler.instance import Instance

GOLDEN = rng.GOLDEN - (1 << 64)
SEVERAL = 8  # items of a list that are looked at together; it has room for more than these behind its last
FIRST, SECOND = 0xBF58476D1CE4E5B9 - (1 << 64), 0x94D049BB133111EB - (1 << 64)
# functions of C's library that Python's math calls as they are
LIBM = ("exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
        "cosh", "tanh", "atan2", "pow")  # fmt: skip
OWN_WAYS: dict[Any, str] = {  # functions that compiled code has its own way of, and the method that writes it
    bits.popcount: "write_popcount",
    bits.lowest: "write_lowest",
    rng.mix: "write_mix",
    rng.derive: "write_derive",
    rng.hash_state: "write_hash_state",
    rng.hash_move: "write_hash_move",
    states.load: "write_load",
    states.store: "write_store",
    states.is_at: "write_is_at",
    matching.ask: "write_ask",
    matching.tell: "write_tell",
    matching.stream: "write_stream",
    time.perf_counter_ns: "write_clock",
    math.sqrt: "write_sqrt",
    math.floor: "write_floor",
    math.ceil: "write_ceil",
    math.trunc: "write_int",
    math.fabs: "write_fabs",
    math.isnan: "write_isnan",
    math.isinf: "write_isinf",
    math.isfinite: "write_isfinite",
    math.copysign: "write_copysign",
    math.nextafter: "write_nextafter",
    **{getattr(math, name): "write_libm" for name in LIBM},
    **{getattr(builtins, name): f"write_{name}" for name in (
        "abs", "min", "max", "len", "sum", "any", "all", "int", "float", "bool", "round", "divmod", "sorted",
        "list", "pow", "tuple")},
}  # fmt: skip


COUNTS: dict[str, tuple[int, int]] = {  # arguments, at least and at most
    **dict.fromkeys(("abs", "len", "sum", "any", "all", "int", "float", "bool", "round", "sorted", "floor",
                     "ceil", "hash_state", "append", "index", "count", "fill", "choice", "shuffle"), (1, 1)),
    **dict.fromkeys(("copy", "clear", "reverse", "sort", "bits", "random", "bit_count", "bit_length",
                     "clock"), (0, 0)),
    **dict.fromkeys(("list", "tuple", "pop"), (0, 1)),
    **dict.fromkeys(("divmod", "pow", "sample"), (2, 2)),
    **dict.fromkeys(("load", "store", "is_at"), (3, 3)),
    "min": (1, 99), "max": (1, 99), "derive": (1, 99),
}  # fmt: skip


class Calls(Iteration):
    """`call_…` finds out what is called; `write_…` are compiled code's own ways."""

    own_ways = OWN_WAYS

    def on_Call(self, node: ast.Call) -> Value:
        if found := self.callee(node):
            return self.call_function(found[0], [found[1]] if found[1] else [], {}, node, node)
        if isinstance(node.func, ast.Attribute):
            owner = self.expression(node.func.value)
            if owner.type is UNKNOWN:
                return owner
            if not isinstance(owner.type, Known):
                return self.call_builtin_method(owner, node.func.attr, node)
        thing = self.expression(node.func).const
        if isinstance(thing, type) and hasattr(thing, "_fields") and issubclass(thing, tuple):
            return self.named_tuple(thing, node)
        way = OWN_WAYS.get(thing) if isinstance(thing, type) or (callable(thing) and thing.__hash__) else None
        if way:
            self.check_count(node, COUNTS.get(way.removeprefix("write_")))
            value: Value = getattr(self, way)(node)
            return value
        name = ast.unparse(node.func)
        if name == "print":
            return self.fail(node, "print does not compile")
        return self.fail(node, f"{name} does not compile")

    # --- what is called -----------------------------------------------------------------------------------

    def callee(self, node: ast.Call) -> tuple[FunctionType, Value | None] | None:
        """The author's function that a call calls, with its `self`; None where it is none of an author's."""
        func = node.func
        if isinstance(func, ast.Name):
            if self.key_of(func.id) is not None:
                value = self.read_name(func.id, node)
            else:
                value = self.outside(func.id, node)
            function = author_of(value.const)
            own = isinstance(function, FunctionType) and function not in OWN_WAYS
            return (function, None) if own else None
        if not isinstance(func, ast.Attribute):
            return None
        return self.method_called(func, node)

    def method_called(self, func: ast.Attribute, node: ast.Call) -> tuple[FunctionType, Value | None] | None:
        base = func.value
        if isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super":
            return self.above(func.attr, node)
        if not may_own(base):
            return None
        owner = self.expression(base)
        if isinstance(owner.type, Known):
            thing = getattr(owner.const, func.attr, NOT_THERE)
            if isinstance(author_of(thing), FunctionType) and author_of(thing) not in OWN_WAYS:
                self.unit.facts.member(owner.const, func.attr, thing)
                return author_of(thing), None
            return None
        return self.method(owner, func.attr, node)

    def method(self, owner: Value, name: str, node: Any) -> tuple[FunctionType, Value | None] | None:
        """A method of a component or of the game."""
        if isinstance(owner.type, ObjectOf):
            cls: Any = owner.type.layout.cls
            hidden = name in owner.type.layout.names
        elif owner.type is GAME:
            cls, own = type(self.unit.game), vars(self.unit.game)
            hidden = name in own and name not in own.get("_bound", ())
        else:
            return None
        if hidden:
            self.fail(
                node, f"{name} is set on the object itself; compiled code knows the methods of its class"
            )
        for base in cls.__mro__:
            if name in vars(base):
                thing = vars(base)[name]
                self.unit.facts.member(cls, name, thing)
                if isinstance(thing, staticmethod):
                    return author_of(thing.__func__), None
                function = author_of(thing)
                if isinstance(function, FunctionType):
                    return function, owner
                return self.fail(node, f"{name} is a {type(thing).__name__}, which does not compile")
        return self.fail(node, f"{cls.__name__} has no method {name}" + meant(name, methods_of(cls)))

    def above(self, name: str, node: Any) -> tuple[FunctionType, Value | None]:
        """`super().name`"""
        owner = self.frame.owner
        if owner is None:
            self.fail(node, "super() compiles in methods only")
        cls = owner.type.layout.cls if isinstance(owner.type, ObjectOf) else type(self.unit.game)
        order = cls.__mro__
        home = next(
            (i for i, base in enumerate(order) if self.frame.function in map(author_of, vars(base).values())),
            -1,
        )
        for base in order[home + 1 :]:
            if name in vars(base):
                self.unit.facts.member(base, name, vars(base)[name])
                return author_of(vars(base)[name]), owner
        return self.fail(node, f"super() has no method {name}")

    def call_method(
        self, owner: Value, name: str, args: Sequence[Value], named: Mapping[str, Value], node: Any
    ) -> Value:
        found = self.method(owner, name, node)
        assert found
        return self.call_function(found[0], [*([found[1]] if found[1] else []), *args], named, node)

    def arguments(self, node: ast.Call) -> tuple[list[Any], dict[str, Any]]:
        """The nodes of a call's arguments."""
        if any(isinstance(part, ast.Starred) for part in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            self.fail(node, "* does not compile")
        return list(node.args), {str(k.arg): k.value for k in node.keywords}

    def bound(
        self,
        function: FunctionType,
        owner: Value | None,
        args: Sequence[Any],
        named: Mapping[str, Any],
        node: Any,
    ) -> list[Value]:
        """A call's arguments, nodes or values, in the order of the function's parameters."""
        tree = definition(function)
        names = [arg.arg for arg in tree.args.args]
        given: dict[str, Any] = {}
        positional = [*([owner] if owner else []), *args]
        if len(positional) > len(names):
            self.fail(node, too_many(function.__name__, names[bool(owner) :], len(args)))
        given = dict(zip(names, positional, strict=False))
        for name, value in named.items():
            if name in given:
                self.fail(node, f"{function.__name__} is given its {name} twice")
            if name not in names:
                self.fail(node, f"{function.__name__} takes no {name}" + meant(name, names))
            given[name] = value
        defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
        for name, value in given.items():  # in the order in which they stand
            given[name] = value if isinstance(value, Value) else self.expression(value)
        values = []
        for arg in tree.args.args:
            name = arg.arg
            if name in given:
                value = given[name]
            elif name in defaults:
                value = self.thing(defaults[name], node, name)
                self.unit.facts.default(function, name, defaults[name])
            else:
                self.fail(node, f"{function.__name__} is not given its {name}")
            if (
                arg.annotation is not None
                and ast.unparse(arg.annotation) == "float"
                and value.type in (INT, BOOL)
            ):
                value = self.convert(value, FLOAT, node)
            values.append(value)
        return values

    def call_function(
        self,
        function: Any,
        args: list[Value],
        named: Mapping[str, Any],
        node: Any,
        call: ast.Call | None = None,
    ) -> Value:
        """Call an author's function; with `call` its arguments are that call's, behind `args`."""
        function = author_of(function)
        if function in OWN_WAYS and call is not None:
            value: Value = getattr(self, OWN_WAYS[function])(call)
            return value
        nodes: list[Any] = []
        if call is not None:
            nodes, named = self.arguments(call)
        tree = definition(function)
        owner = args[0] if args and tree.args.args and call is not None else None
        values = self.bound(function, owner, nodes if call is not None else args, named, node)
        values = [
            self.spelled(v)
            if isinstance(v.const, tuple) and v.type.irs is not None and len(v.const) < 9
            else v
            for v in values
        ]
        if any(unsettled(value.type) for value in values):
            return Value(UNKNOWN)
        if yields(tree) and not (owner and owner.type is GAME):
            self.fail(
                node, f"{function.__name__} is a generator, which compiled code goes over; write list(…)"
            )
        self.unit.facts.function(function)
        called = self.unit.instance(function, owner, [v.type for v in values], self.instance)
        if called.fills:
            return self.filled_list(function, owner, values, node)
        return self.call_instance(called, values, ())

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
        n = self.call_instance(called, values, (data, str(self.unit.cap)))
        if owner is not None and owner.type is GAME:  # it is told where Python calls the game
            n = self.let(f"call i64 @llvm.smin.i64(i64 {n}, i64 {self.unit.cap})")
        else:
            over = self.let(f"icmp sgt i64 {n}, {self.unit.cap}")
            self.check(over, IndexError, f"{NO_ROOM} {self.unit.cap} items, the game's max_moves", node)
        return Value(ListOf(item), (data, n), fresh=True)

    def call_instance(self, called: Instance, args: Sequence[Value], out: tuple[str, ...]) -> Any:
        """Write the call; what it gives, or how many items if it fills a list."""
        given = [f"{ir} {op}" for value in args for ir, op in zip(value.type.irs, value.ops, strict=True)]
        if out:
            given += [f"ptr {out[0]}", f"i64 {out[1]}"]
        kind = called.returned()
        text = f"call fastcc {kind} @{called.symbol}({', '.join(given)})"
        if kind == "void":
            self.emit(text)
            result = Value(called.result, (), None if called.result is NONE else _const(called))
            return "0" if out else result
        made = self.let(text)
        irs = ("i64",) if out else called.result.irs
        if kind == "i32" or kind.startswith("{"):
            first = 0
            if called.may_raise:
                status = made if kind == "i32" else self.let(f"extractvalue {kind} {made}, 0")
                self.pass_on(status)
                first = 1
            ops = tuple(self.let(f"extractvalue {kind} {made}, {first + i}") for i in range(len(irs)))
        else:
            ops = (made,)
        if out:
            return ops[0] if ops else "0"
        return Value(called.result, ops, None if called.result is NONE else _const(called))

    def pass_on(self, status: str) -> None:
        """Return an error that what was called has returned."""
        bad, good = self.label("raised"), self.label("good")
        self.branch(self.let(f"icmp ne i32 {status}, 0"), bad, good, "!prof !0")
        self.start(bad)
        self.leave_with(status)
        self.start(good)

    def named_tuple(self, cls: Any, node: ast.Call) -> Value:
        args, named = self.arguments(node)
        given = dict(zip(cls._fields, args, strict=False))
        left, defaults = set(cls._fields) - set(given), cls._field_defaults
        if not set(named) <= left or not left <= {*named, *defaults} or len(args) > len(cls._fields):
            self.fail(node, f"{cls.__name__} takes {', '.join(cls._fields)}")
        values = {name: self.expression(part) for name, part in (given | named).items()}
        values = {name: self.thing(value, node, name) for name, value in defaults.items()} | values
        self.unit.facts.named_tuple(cls)
        return self.tuple_of([self.spelled(values[name]) for name in cls._fields], cls)

    # --- methods of lists, numbers, random numbers ----------------------------------------------------------

    def call_builtin_method(self, owner: Value, name: str, node: ast.Call) -> Value:
        kind = owner.type
        if kind is RNG:
            way = getattr(self, "rng_" + name, None)
        elif isinstance(kind, ListOf):
            way = getattr(self, "list_" + name, None)
        elif isinstance(kind, ArrayOf):
            way = getattr(self, "array_" + name, None)
        elif kind in (INT, BOOL):
            way = getattr(self, "int_" + name, None)
        elif isinstance(kind, Tuple) and name == "_replace" and kind.cls:
            items = dict(zip(kind.cls._fields, self.items_of(owner), strict=True))
            changed = {key: self.expression(value) for key, value in self.arguments(node)[1].items()}
            if node.args or not changed.keys() <= items.keys():
                self.fail(node, f"_replace takes {', '.join(items)} by name")
            return self.tuple_of(list((items | changed).values()), kind.cls)
        else:
            way = None
        if way is None:
            return self.fail(node, f"{kind} has no {name} in compiled code")
        self.check_count(node, COUNTS.get(name))
        value: Value = way(owner, node)
        return value

    def check_count(self, node: ast.Call, counts: tuple[int, int] | None) -> None:
        """Fail unless a call has as many arguments as compiled code knows to deal with."""
        args, named = self.arguments(node)
        least, most = counts or (0, 99)
        if not least <= len(args) <= most:
            wanted = f"{least} to {most}" if most < 99 else f"at least {least}"
            if least == most:
                wanted = str(least)
            plural = "s" * (wanted != "1")
            self.fail(node, f"{ast.unparse(node.func)} takes {wanted} argument{plural} in compiled code")
        if named and ast.unparse(node.func).rpartition(".")[2] not in ("min", "max", "sorted", "sort"):
            self.fail(node, f"{ast.unparse(node.func)} takes nothing by name in compiled code")

    def whole_args(self, node: ast.Call, n: int) -> list[Value]:
        if len(node.args) != n or node.keywords:
            self.fail(
                node, f"{ast.unparse(node.func)} takes {n} argument{'s' if n != 1 else ''} in compiled code"
            )
        return [self.whole_number(part) for part in node.args]

    def int_bit_count(self, owner: Value, node: ast.Call) -> Value:
        size = self.magnitude(self.convert(owner, INT, node).op)
        return Value(INT, (self.let(f"call i64 @llvm.ctpop.i64(i64 {size})"),))

    def int_bit_length(self, owner: Value, node: ast.Call) -> Value:
        zeros = self.let(
            f"call i64 @llvm.ctlz.i64(i64 {self.magnitude(self.convert(owner, INT, node).op)}, i1 false)"
        )
        return Value(INT, (self.let(f"sub i64 64, {zeros}"),))

    def magnitude(self, op: str) -> str:
        return self.let(f"call i64 @llvm.abs.i64(i64 {op}, i1 false)")

    def array_fill(self, owner: Value, node: ast.Call) -> Value:
        self.fill_array(owner, self.expression(node.args[0]), node)
        return Value(NONE, (), None)

    def list_copy(self, owner: Value, node: ast.Call) -> Value:
        return self.copy_of(owner, node)

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
            self.count(self.constant(0), Value(INT, (owner.ops[1],)), several, SEVERAL)
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

    def position(self, items: Value, wanted: Value, node: Any) -> str:
        """The first place of an item, or -1."""
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

    # --- random numbers -------------------------------------------------------------------------------------

    def draw(self, owner: Value) -> str:
        """The next 63 random bits."""
        count = self.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 1")
        seed = self.let(f"load i64, ptr {owner.op}, !tbaa !14")
        drawn = self.let(f"load i64, ptr {count}, !tbaa !14")
        number = self.let(f"add i64 {drawn}, 1")
        self.emit(f"store i64 {number}, ptr {count}, !tbaa !14")
        return self.mixed(self.let(f"add i64 {seed}, {self.let(f'mul i64 {number}, {GOLDEN}')}"))

    def mixed(self, op: str) -> str:
        z = self.let(f"add i64 {op}, {GOLDEN}")
        for shift, factor in ((30, FIRST), (27, SECOND)):
            z = self.let(f"xor i64 {z}, {self.let(f'lshr i64 {z}, {shift}')}")
            z = self.let(f"mul i64 {z}, {factor}")
        z = self.let(f"xor i64 {z}, {self.let(f'lshr i64 {z}, 31')}")
        return self.let(f"lshr i64 {z}, 1")

    def drawn_below(self, owner: Value, n: str) -> str:
        high = self.let(f"lshr i64 {self.draw(owner)}, 32")
        return self.let(f"lshr i64 {self.let(f'mul nuw i64 {high}, {n}')}, 31")

    def rng_below(self, owner: Value, node: ast.Call) -> Value:
        return Value(INT, (self.drawn_below(owner, self.whole_args(node, 1)[0].op),))

    def rng_bits(self, owner: Value, node: ast.Call) -> Value:
        return Value(INT, (self.draw(owner),))

    def rng_random(self, owner: Value, node: ast.Call) -> Value:
        high = self.let(f"lshr i64 {self.draw(owner)}, 10")
        return Value(
            FLOAT, (self.let(f"fmul double {self.let(f'uitofp i64 {high} to double')}, 0x3CA0000000000000"),)
        )

    def rng_choice(self, owner: Value, node: ast.Call) -> Value:
        items = self.spelled(self.expression(node.args[0]))
        if items.type is UNKNOWN:
            return items
        n = self.length(items, node)
        if self.bounded and not n.known:
            self.check(self.let(f"icmp eq i64 {n.op}, 0"), IndexError, "list index out of range", node)
        return self.item(items, [Value(INT, (self.drawn_below(owner, n.op),))], node)

    def rng_shuffle(self, owner: Value, node: ast.Call) -> Value:
        items = self.expression(node.args[0])
        if not isinstance(items.type, ListOf):
            self.fail(node, f"{items.type} cannot be shuffled in compiled code")
        self.unit.writes_moves = True
        kind = items.type.item

        def swap(i: Value) -> None:
            j = self.drawn_below(owner, self.let(f"add i64 {i.op}, 1"))
            one, two = self.load_item(items, i.op), self.load_item(items, j)
            self.store_item(kind, items.ops[0], i.op, two)
            self.store_item(kind, items.ops[0], j, one)

        self.count(Value(INT, (self.let(f"sub i64 {items.ops[1]}, 1"),)), self.constant(0), swap, -1)
        return Value(NONE, (), None)

    def rng_sample(self, owner: Value, node: ast.Call) -> Value:
        items = self.expression(node.args[0])
        if not isinstance(items.type, ListOf):
            self.fail(node, f"a sample of {items.type} cannot be taken in compiled code")
        k = self.whole_number(node.args[1])
        pool = self.copy_of(items, node)
        self.check(
            self.let(f"icmp ugt i64 {k.op}, {pool.ops[1]}"),
            ValueError,
            "the sample is larger than the list",
            node,
        )
        kind = items.type.item

        def swap(i: Value) -> None:
            left = self.let(f"sub i64 {pool.ops[1]}, {i.op}")
            j = self.let(f"add i64 {i.op}, {self.drawn_below(owner, left)}")
            one, two = self.load_item(pool, i.op), self.load_item(pool, j)
            self.store_item(kind, pool.ops[0], i.op, two)
            self.store_item(kind, pool.ops[0], j, one)

        self.count(self.constant(0), k, swap)
        return Value(pool.type, (pool.ops[0], k.op), fresh=True)

    def rng_restart(self, owner: Value, node: ast.Call) -> Value:
        (seed,) = self.whole_args(node, 1)
        self.emit(f"store i64 {seed.op}, ptr {owner.op}, !tbaa !14")
        count = self.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 1")
        self.emit(f"store i64 0, ptr {count}, !tbaa !14")
        return Value(NONE, (), None)

    # --- functions with a way of their own --------------------------------------------------------------

    def write_popcount(self, node: ast.Call) -> Value:
        return Value(INT, (self.let(f"call i64 @llvm.ctpop.i64(i64 {self.whole_args(node, 1)[0].op})"),))

    def write_lowest(self, node: ast.Call) -> Value:
        return Value(
            INT, (self.let(f"call i64 @llvm.cttz.i64(i64 {self.whole_args(node, 1)[0].op}, i1 true)"),)
        )

    def write_mix(self, node: ast.Call) -> Value:
        return Value(INT, (self.mixed(self.whole_args(node, 1)[0].op),))

    write_hash_move = write_mix

    def write_derive(self, node: ast.Call) -> Value:
        seed, *words = self.whole_args(node, len(node.args))
        made = seed.op
        for word in words:
            made = self.mixed(self.let(f"xor i64 {self.mixed(made)}, {word.op}"))
        return Value(INT, (self.mixed(made),))

    def write_hash_state(self, node: ast.Call) -> Value:
        state = self.spelled(self.expression(node.args[0]))
        if not isinstance(state.type, Tuple):
            return state if state.type is UNKNOWN else self.fail(node, "hash_state takes a position")
        hashed = "0"
        for word in self.items_of(state):
            hashed = self.mixed(self.let(f"xor i64 {hashed}, {self.convert(word, INT, node).op}"))
        return Value(INT, (hashed,))

    def rows(self, node: ast.Call, at: int) -> tuple[Value, Value]:
        """The array of positions that a call has at this place, and the number of the row, which follows."""
        words, i = self.expression(node.args[at]), self.whole_number(node.args[at + 1])
        if not isinstance(words.type, ArrayOf) or words.type.dtype != "int64":
            self.fail(node, f"positions are kept in an array of int64, and not in {words.type}")
        return words, i

    def place_of(self, words: Value, i: Value, j: int, node: Any) -> str:
        if self.bounded and j == 0:
            self.check(
                self.let(f"icmp uge i64 {i.op}, {words.ops[1]}"),
                IndexError,
                "no such place for a position",
                node,
            )
        state = self.unit.state
        at = self.let(f"mul nsw i64 {i.op}, {len(state.items)}")
        return self.let(
            f"getelementptr inbounds i64, ptr {words.ops[0]}, i64 {self.let(f'add nsw i64 {at}, {j}')}"
        )

    def write_load(self, node: ast.Call) -> Value:
        words, i = self.rows(node, 1)
        kind = self.unit.state
        items = [Value(INT, (self.let(f"load i64, ptr {self.place_of(words, i, j, node)}, !tbaa !12"),))
                 for j in range(len(kind.items))]  # fmt: skip
        made = []
        for item, wanted in zip(items, kind.items, strict=True):
            made.append(self.truth(item, node) if wanted is BOOL else item)
        return self.tuple_of(made, kind.cls)

    def write_store(self, node: ast.Call) -> Value:
        words, i = self.rows(node, 0)
        self.check_writable(words, node)
        state = self.expression(node.args[2])
        if state.type is UNKNOWN:
            return Value(NONE, (), None)
        for j, item in enumerate(self.items_of(self.convert(state, self.unit.state, node, "a position"))):
            op = self.convert(item, INT, node).op
            self.emit(f"store i64 {op}, ptr {self.place_of(words, i, j, node)}, !tbaa !12")
        return Value(NONE, (), None)

    def write_is_at(self, node: ast.Call) -> Value:
        words, i = self.rows(node, 0)
        state = self.expression(node.args[2])
        if state.type is UNKNOWN:
            return state
        differ = "0"
        for j, item in enumerate(self.items_of(self.convert(state, self.unit.state, node, "a position"))):
            there = self.let(f"load i64, ptr {self.place_of(words, i, j, node)}, !tbaa !12")
            other = self.let(f"xor i64 {there}, {self.convert(item, INT, node).op}")
            differ = self.let(f"or i64 {differ}, {other}")
        return Value(BOOL, (self.let(f"icmp eq i64 {differ}, 0"),))

    def write_clock(self, node: ast.Call) -> Value:
        self.unit.need_helper("clock")
        self.unit.uses_clock = True
        return Value(INT, (self.let("call i64 @arena.clock()"),))

    # --- agents that are called by where their machine code is ------------------------------------------

    def write_ask(self, node: ast.Call) -> Value:
        """See `matching.ask`."""
        address, block, state, moves, stream = (self.expression(part) for part in node.args)
        place = self.room("i64")
        self.emit(f"store i64 -1, ptr {place}")
        words = [f"{ir} {op}" for ir, op in zip(state.type.irs, state.ops, strict=True)]
        given = [
            self.pointer(block),
            *words,
            f"ptr {moves.ops[0]}",
            f"i64 {moves.ops[1]}",
            f"ptr {stream.op}",
            f"ptr {place}",
        ]
        status = self.let(f"call i32 {self.let(f'inttoptr i64 {address.op} to ptr')}({', '.join(given)})")
        wide = Value(INT, (self.let(f"zext i32 {status} to i64"),))
        return self.tuple_of([wide, Value(INT, (self.let(f"load i64, ptr {place}"),))])

    def write_tell(self, node: ast.Call) -> Value:
        """See `matching.tell`."""
        address, block, seat = (self.expression(part) for part in node.args)
        given = f"{self.pointer(block)}, i64 {seat.op}, ptr null"
        status = self.let(f"call i32 {self.let(f'inttoptr i64 {address.op} to ptr')}({given})")
        return Value(INT, (self.let(f"zext i32 {status} to i64"),))

    def write_stream(self, node: ast.Call) -> Value:
        """See `matching.stream`."""
        words, i = self.expression(node.args[0]), self.whole_number(node.args[1])
        at = self.let(f"shl i64 {i.op}, 1")
        return Value(RNG, (self.let(f"getelementptr inbounds i64, ptr {words.ops[0]}, i64 {at}"),))

    def pointer(self, address: Value) -> str:
        return f"ptr {self.let(f'inttoptr i64 {address.op} to ptr')}"

    # --- mathematics ------------------------------------------------------------------------------------

    def fractions_of(self, node: ast.Call, n: int) -> list[Value]:
        if len(node.args) != n or node.keywords:
            self.fail(
                node, f"{ast.unparse(node.func)} takes {n} argument{'s' if n != 1 else ''} in compiled code"
            )
        values = [self.expression(part) for part in node.args]
        for value in values:
            if value.type is not UNKNOWN and value.type not in NUMBERS:
                self.fail(node, f"{value.type} is no number")
        return [self.convert(value, FLOAT, node) if value.type is not UNKNOWN else Value(FLOAT, ("undef",))
                for value in values]  # fmt: skip

    def write_sqrt(self, node: ast.Call) -> Value:
        (x,) = self.fractions_of(node, 1)
        self.check(
            self.let(f"fcmp olt double {x.op}, 0x0000000000000000"), ValueError, "math domain error", node
        )
        return Value(FLOAT, (self.let(f"call double @llvm.sqrt.f64(double {x.op})"),))

    def write_libm(self, node: ast.Call) -> Value:
        function = self.expression(node.func).const
        args = self.fractions_of(node, 2 if function in (math.atan2, math.pow) else 1)
        return self.libm(function.__name__, args, node)

    def libm(self, name: str, args: list[Value], node: Any) -> Value:
        """Call a function of C's library, and raise what Python does where the result is no number."""
        self.unit.need_libm(name, len(args))
        given = ", ".join(f"double {x.op}" for x in args)
        made = self.let(f"call double @{name}({given}) nobuiltin")
        new = self.let(f"fcmp uno double {made}, {made}")  # it is no number, and none of those given was none
        odd = self.is_odd(made)  # it is infinite, and none of those given was
        for x in args:
            new = self.let(f"and i1 {new}, {self.let(f'fcmp ord double {x.op}, {x.op}')}")
            odd = self.let(f"and i1 {odd}, {self.let(f'xor i1 {self.is_odd(x.op)}, true')}")
        self.check(new, ValueError, "math domain error", node)
        if name in ("log", "log2", "log10", "log1p"):
            self.check(odd, ValueError, "math domain error", node)
        else:
            if name == "pow":
                pole = self.let(f"fcmp oeq double {args[0].op}, 0x0000000000000000")
                self.check(self.let(f"and i1 {odd}, {pole}"), ValueError, "math domain error", node)
            self.check(odd, OverflowError, "math range error", node)
        return Value(FLOAT, (made,))

    def is_odd(self, op: str) -> str:
        """Whether a float is infinite or no number."""
        size = self.let(f"call double @llvm.fabs.f64(double {op})")
        return self.let(f"fcmp ueq double {size}, 0x7FF0000000000000")

    def float_power(self, left: Value, right: Value, node: Any) -> Value:
        pole = self.let(f"and i1 {self.let(f'fcmp oeq double {left.op}, 0x0000000000000000')}, "
                        f"{self.let(f'fcmp olt double {right.op}, 0x0000000000000000')}")  # fmt: skip
        self.check(pole, ZeroDivisionError, "0.0 cannot be raised to a negative power", node)
        return self.libm("pow", [left, right], node)

    def write_floor(self, node: ast.Call, name: str = "floor") -> Value:
        return self.rounded(node, name)

    def rounded(self, node: ast.Call, name: str) -> Value:
        """A number as an int, rounded by one of LLVM's functions."""
        value = self.expression(node.args[0])
        if value.type is UNKNOWN:
            return Value(INT, ("undef",))
        if value.type is FLOAT:
            return self.to_int(self.let(f"call double @llvm.{name}.f64(double {value.op})"), node)
        return self.convert(value, INT, node)

    def write_ceil(self, node: ast.Call) -> Value:
        return self.write_floor(node, "ceil")

    def to_int(self, op: str, node: Any) -> Value:
        """A float as an int, towards 0."""
        nan = self.let(f"fcmp uno double {op}, {op}")
        self.check(nan, ValueError, "cannot convert float NaN to integer", node)
        size = self.let(f"call double @llvm.fabs.f64(double {op})")
        beyond = self.let(f"fcmp oge double {size}, 0x43E0000000000000")
        self.check(beyond, OverflowError, "a float is beyond the 64 bits of an int", node)
        return Value(INT, (self.let(f"fptosi double {op} to i64"),))

    def write_int(self, node: ast.Call) -> Value:
        value = (
            self.expression(node.args[0]) if len(node.args) == 1 else self.fail(node, "int takes one number")
        )
        if value.type is FLOAT:
            return self.to_int(value.op, node)
        if value.type is UNKNOWN:
            return Value(INT, ("undef",))
        if value.type not in NUMBERS:
            self.fail(node, f"int of {value.type} does not compile")
        return self.convert(value, INT, node)

    def write_float(self, node: ast.Call) -> Value:
        if (
            len(node.args) == 1
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            return self.constant(float(node.args[0].value))
        return self.fractions_of(node, 1)[0]

    def write_bool(self, node: ast.Call) -> Value:
        return self.truth(self.expression(node.args[0]), node)

    def write_round(self, node: ast.Call) -> Value:
        return self.rounded(node, "roundeven")

    def write_fabs(self, node: ast.Call) -> Value:
        return Value(
            FLOAT, (self.let(f"call double @llvm.fabs.f64(double {self.fractions_of(node, 1)[0].op})"),)
        )

    def write_isnan(self, node: ast.Call) -> Value:
        (x,) = self.fractions_of(node, 1)
        return Value(BOOL, (self.let(f"fcmp uno double {x.op}, {x.op}"),))

    def write_isinf(self, node: ast.Call) -> Value:
        size = self.let(f"call double @llvm.fabs.f64(double {self.fractions_of(node, 1)[0].op})")
        return Value(BOOL, (self.let(f"fcmp oeq double {size}, 0x7FF0000000000000"),))

    def write_isfinite(self, node: ast.Call) -> Value:
        return self.negated(Value(BOOL, (self.is_odd(self.fractions_of(node, 1)[0].op),)))

    def write_copysign(self, node: ast.Call) -> Value:
        x, y = self.fractions_of(node, 2)
        return Value(FLOAT, (self.let(f"call double @llvm.copysign.f64(double {x.op}, double {y.op})"),))

    def write_nextafter(self, node: ast.Call) -> Value:
        x, y = self.fractions_of(node, 2)
        self.unit.need_libm("nextafter", 2)
        return Value(FLOAT, (self.let(f"call double @nextafter(double {x.op}, double {y.op}) nobuiltin"),))

    def write_abs(self, node: ast.Call) -> Value:
        value = self.expression(node.args[0])
        if value.type is FLOAT:
            return Value(FLOAT, (self.let(f"call double @llvm.fabs.f64(double {value.op})"),))
        if value.type is UNKNOWN:
            return value
        if value.type not in NUMBERS:
            self.fail(node, f"{value.type} has no abs in compiled code")
        op = self.convert(value, INT, node).op
        if self.unit.checked:
            least = self.let(f"icmp eq i64 {op}, {-(2**63)}")
            self.check(least, OverflowError, "a number is beyond the 64 bits of an int", node)
        return Value(INT, (self.magnitude(op),))

    def write_divmod(self, node: ast.Call) -> Value:
        left, right = (self.expression(part) for part in node.args)
        parts = [self.binary(op, left, right, node) for op in (ast.FloorDiv(), ast.Mod())]
        return self.tuple_of(parts)

    def write_pow(self, node: ast.Call) -> Value:
        if len(node.args) != 2:
            self.fail(node, "pow compiles with two numbers")
        left, right = (self.expression(part) for part in node.args)
        return self.binary(ast.Pow(), left, right, node)

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

    # --- over many --------------------------------------------------------------------------------------

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

    def write_list(self, node: ast.Call) -> Value:
        if not node.args:
            return self.gather(node, lambda each: None)
        inner = node.args[0]
        if isinstance(inner, ast.Call) and (found := self.callee(inner)) and yields(definition(found[0])):
            return self.filled_list(*found, self.bound(*found, *self.arguments(inner), inner), inner)
        return self.gather(node, lambda each: self.iterate(node.args[0], each, alone=True))

    def write_tuple(self, node: ast.Call) -> Value:
        value = self.expression(node.args[0]) if node.args else self.constant(())
        if isinstance(value.type, Tuple | Known):
            return self.tuple_of(self.items_of(value))
        return self.fail(node, "tuple compiles for tuples only, since its length has to be known")

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


def methods_of(cls: type) -> list[str]:
    return [name for name in dir(cls) if callable(getattr(cls, name))]


def too_many(name: str, parameters: Sequence[str], given: int) -> str:
    """What is said of a call with more arguments than there are parameters."""
    if not parameters:
        return f"{name} takes no arguments, and is given {given}"
    names = ", ".join(parameters[:-1]) + " and " * (len(parameters) > 1) + parameters[-1]
    plural = "s" * (len(parameters) > 1)
    return f"{name} takes {len(parameters)} argument{plural}, {names}, and is given {given}"


def _const(called: Instance) -> Any:
    return called.result.thing if isinstance(called.result, Known) else MISSING


def may_own(node: ast.expr) -> bool:
    """Whether finding out whose method is called writes nothing that has to be written but once."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
