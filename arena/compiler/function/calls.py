"""Calls: of an author's functions and methods, of Python's, and of what compiled code has its own way of."""

from __future__ import annotations

import ast
import builtins
import math
import time
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from arena import rng
from arena.api import bits, states
from arena.api.component import author_of
from arena.compiler import matching
from arena.compiler.errors import NO_STACK, meant
from arena.compiler.function.mathematics import LIBM
from arena.compiler.function.reductions import Reductions
from arena.compiler.source import NOT_THERE, definition, yields
from arena.compiler.types import (
    BOOL,
    FLOAT,
    GAME,
    INT,
    MISSING,
    NONE,
    RNG,
    UNKNOWN,
    ArrayOf,
    Known,
    ListOf,
    ObjectOf,
    Tuple,
    Value,
    unsettled,
)

if TYPE_CHECKING:
    from arena.compiler.instance import Instance


OWN_WAYS: dict[Any, str] = {  # functions that compiled code has its own way of, and the method that writes it
    bits.popcount: "write_popcount",
    bits.lowest: "write_lowest",
    rng.mix: "write_mix",
    rng.derive: "write_derive",
    rng.keyed: "write_keyed",
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


class Calls(Reductions):
    """What is called, and with what; `write_…` are compiled code's own ways."""

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

    # --- what is called ---------------------------------------------------------------------------------

    def callee(self, node: ast.Call) -> tuple[FunctionType, Value | None] | None:
        """The author's function that a call calls, with its `self`; None where it is none of an author's."""
        func = node.func
        if isinstance(func, ast.Name):
            value = self.read_name(func.id, node) or self.outside(func.id, node)
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

    # --- with what --------------------------------------------------------------------------------------

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
        return self.call_instance(called, values, (), node)

    def call_instance(self, called: Instance, args: Sequence[Value], out: tuple[str, ...], node: Any) -> Any:
        """Write the call; what it gives, or how many items if it fills a list."""
        if called.large and not called.recursive:
            self.unit.need_helper("full")
            full = self.let(f"call i1 @arena.full(i64 {called.bytes})")
            self.check(full, RecursionError, NO_STACK, node)
        given = [f"{ir} {op}" for value in args for ir, op in zip(value.type.irs, value.ops, strict=True)]
        if out:
            given += [f"ptr {out[0]}", f"i64 {out[1]}"]
        if called.limited:
            given.append(f"i64 {self.left}")
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

    # --- methods of what is no component ----------------------------------------------------------------

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

    def write_clock(self, node: ast.Call) -> Value:
        self.unit.need_helper("clock")
        self.unit.uses_clock = True
        return Value(INT, (self.let("call i64 @arena.clock()"),))


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
