"""What is compiled together: a method of a component, or functions of a game, with all that they call."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import getattr_static
from types import FunctionType
from typing import Any

from arena.api.component import author_of
from arena.api.game import Game
from arena.compiler import wrapper
from arena.compiler.errors import CannotCompile, placed_at
from arena.compiler.facts import Facts
from arena.compiler.function import ANNOTATED, Function, literal
from arena.compiler.source import Place, definition, str_of, yields
from arena.compiler.types import (
    DTYPES,
    GAME,
    UNKNOWN,
    ArrayOf,
    ListOf,
    ObjectOf,
    Tuple,
    Type,
    Value,
    type_of,
    unsettled,
)
from arena.compiler.wrapper import Entry

ROUNDS = 50  # after which types that still change never will stand still
MANY = 2000  # functions of one unit
MOST = 1 << 16  # items of a list
# C's number of the clock that `time.perf_counter_ns` goes by; None where C has none
CLOCK = getattr(time, "CLOCK_UPTIME_RAW", getattr(time, "CLOCK_MONOTONIC", None))
INTRINSICS = """
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.abs.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.cttz.i64(i64, i1)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.roundeven.f64(double)
declare double @llvm.copysign.f64(double, double)
declare { i64, i1 } @llvm.sadd.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.ssub.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
!0 = !{!"branch_weights", i32 1, i32 100000}
!9 = !{}
!10 = !{!"memory"}
!1 = !{!"attributes", !10, i64 0}
!2 = !{!"arrays", !10, i64 0}
!3 = !{!"lists", !10, i64 0}
!4 = !{!"random", !10, i64 0}
!11 = !{!1, !1, i64 0}
!12 = !{!2, !2, i64 0}
!13 = !{!3, !3, i64 0}
!14 = !{!4, !4, i64 0}
"""
HELPERS = {
    # as CPython's float_rem and float_floor_div
    "mod": """
define internal double @arena.mod(double %x, double %y) nounwind {
  %m = call double @fmod(double %x, double %y) nobuiltin
  %zero = fcmp oeq double %m, 0x0000000000000000
  %ysign = fcmp olt double %y, 0x0000000000000000
  %msign = fcmp olt double %m, 0x0000000000000000
  %differ = xor i1 %ysign, %msign
  %up = fadd double %m, %y
  %signed = select i1 %differ, double %up, double %m
  %none = call double @llvm.copysign.f64(double 0x0000000000000000, double %y)
  %made = select i1 %zero, double %none, double %signed
  ret double %made
}
""",
    "floordiv": """
define internal double @arena.floordiv(double %x, double %y) nounwind {
  %m = call double @fmod(double %x, double %y) nobuiltin
  %d = fsub double %x, %m
  %q = fdiv double %d, %y
  %some = fcmp une double %m, 0x0000000000000000
  %ysign = fcmp olt double %y, 0x0000000000000000
  %msign = fcmp olt double %m, 0x0000000000000000
  %differ = xor i1 %ysign, %msign
  %lower = and i1 %some, %differ
  %less = fsub double %q, 0x3FF0000000000000
  %div = select i1 %lower, double %less, double %q
  %any = fcmp une double %div, 0x0000000000000000
  %floor = call double @llvm.floor.f64(double %div)
  %rest = fsub double %div, %floor
  %far = fcmp ogt double %rest, 0x3FE0000000000000
  %more = fadd double %floor, 0x3FF0000000000000
  %near = select i1 %far, double %more, double %floor
  %plain = fdiv double %x, %y
  %none = call double @llvm.copysign.f64(double 0x0000000000000000, double %plain)
  %made = select i1 %any, double %near, double %none
  ret double %made
}
""",
    "clock": """
declare i64 @arena_clock()
define internal i64 @arena.clock() nounwind {
  %t = call i64 @arena_clock()
  ret i64 %t
}
"""
    if CLOCK is None
    else f"""
declare i32 @clock_gettime(i32, ptr)
define internal i64 @arena.clock() nounwind {{
  %time = alloca {{ i64, i64 }}
  %status = call i32 @clock_gettime(i32 {CLOCK}, ptr %time)
  %seconds = load i64, ptr %time
  %rest = getelementptr i64, ptr %time, i64 1
  %ns = load i64, ptr %rest
  %whole = mul i64 %seconds, 1000000000
  %t = add i64 %whole, %ns
  ret i64 %t
}}
""",
}


@dataclass(eq=False)
class Instance:
    """A function for arguments of certain types: what is known of it so far, and its text.

    owner: the type of its `self`. result: what it gives; of a function that fills a list the list. variables:
    the types of its variables. flagged: those that may be read before they are set. varying: those set in one
    place that has copies, to other constants in each.
    untold: an expression without a type, its file and line.
    """

    function: FunctionType
    node: Any
    owner: Type | None
    types: tuple[Type, ...]
    symbol: str
    generator: bool
    result: Type = UNKNOWN
    annotated: Type | None = None
    may_raise: bool = False
    variables: dict[Any, Type] = field(default_factory=dict)
    flagged: set[Any] = field(default_factory=set)
    varying: set[Any] = field(default_factory=set)
    untold: tuple[str, str, int] | None = None
    called: dict[Instance, str] = field(default_factory=dict)  # how others looked when they were called
    text: str = ""

    @property
    def fills(self) -> bool:
        return self.generator or isinstance(self.result, ListOf)

    @property
    def place(self) -> tuple[str, int]:
        """The function's file and first line."""
        code = self.function.__code__
        return code.co_filename, code.co_firstlineno

    def returned(self) -> str:
        """LLVM's type of what it returns: whether it has raised, if it may, and the result."""
        irs: tuple[str, ...] = ("i64",) if self.fills else self.result.irs
        if self.may_raise:
            return "i32" if not irs else f"{{ i32, {', '.join(irs)} }}"
        return "void" if not irs else irs[0] if len(irs) == 1 else f"{{ {', '.join(irs)} }}"

    @property
    def stale(self) -> bool:
        """Whether what it calls looks otherwise than when it was written."""
        return any(other.look != look for other, look in self.called.items())

    @property
    def look(self) -> str:
        return f"{self.result!r} {self.may_raise}"


class Unit:
    """Compiles entries of a game: `entry` for each, then `text`.

    sites: what may be raised where: class, text, file and line. stored: names of classes and of their
    attributes that compiled code sets. state: the type of a position. cap: items that a list has room for.
    own_items: where an index into a list is looked at even if nothing else is, see `source.own_items`.
    """

    def __init__(self, game: Game, checked: bool = False, eager: bool = False) -> None:
        self.game, self.checked, self.eager = game, checked, eager
        self.what = str(game)  # for the user
        self.instances: dict[Any, Instance] = {}
        self.entries: dict[str, tuple[Entry, Instance, dict[int, Value]]] = {}
        self.sites: dict[tuple[type[BaseException], str, str, int], int] = {}
        self.stored: set[tuple[str, str]] = set()
        self.tables: dict[str, str] = {}
        self.helpers: set[str] = set()
        self.declared: dict[str, str] = {}
        self.changed = False
        self.uses_clock = self.writes_moves = self.legal = False
        self.own_items: frozenset[Place] = frozenset()
        self.facts = Facts(game)
        state = type_of(game.initial())
        if not isinstance(state, Tuple):
            raise CannotCompile(f"positions of {game} are no tuples of numbers: {game.initial()!r}"[:200])
        self.state = state
        self.cap = max(int(game.max_moves), len(game.feature_names), 1)
        if self.cap > MOST:
            raise CannotCompile(f"max_moves of {game} is {self.cap}, and at most {MOST} in compiled code")

    # --- what functions ask for while they are written -----------------------------------------------------

    def instance(
        self,
        function: FunctionType,
        owner: Value | None,
        types: Sequence[Type],
        caller: Function | None = None,
    ) -> Instance:
        """The instance of a function for these types, made if it is new."""
        key = function, tuple(types)
        if key not in self.instances:
            if len(self.instances) > MANY:
                raise CannotCompile(f"{function.__qualname__} calls itself with ever other types")
            node = definition(function)
            name = re.sub(r"\W", "_", function.__qualname__)
            symbol = f"{name}.{len(self.instances)}"
            said = ANNOTATED.get(str_of(node.returns))
            made = Instance(
                function, node, owner.type if owner else None, tuple(types), symbol, bool(yields(node))
            )
            made.annotated = said
            self.instances[key] = made
        found = self.instances[key]
        if caller:
            caller.instance.called[found] = found.look
        return found

    def site(self, error: type[BaseException], text: str, file: str, line: int) -> int:
        return self.sites.setdefault((error, text, file, line), len(self.sites) + 1)

    def constant_table(self, items: Sequence[Any], kind: Type) -> str:
        """Where constants lie: numbers, or tuples of numbers of one type."""
        irs = kind.irs
        slot = irs[0] if len(irs) == 1 else f"{{ {', '.join(irs)} }}"

        def written(item: Any) -> str:
            if isinstance(kind, Tuple):
                parts = [f"{ir} {literal(part)}" for ir, part in zip(irs, flattened(item), strict=True)]
                return f"{{ {', '.join(parts)} }}" if len(irs) > 1 else parts[0].partition(" ")[2]
            return literal(float(item) if irs == ("double",) else int(item) if irs == ("i64",) else item)

        text = f"[{len(items)} x {slot}] [{', '.join(f'{slot} {written(item)}' for item in items)}]"
        return self.tables.setdefault(text, f"@table{len(self.tables)}")

    def constant_array(self, array: Any) -> Value:
        """An array of the game or a module, as a constant."""
        if array.dtype.name not in DTYPES or array.size > 1 << 16:
            raise CannotCompile(
                f"a constant array of {array.size} {array.dtype} is too large, or of an odd kind"
            )
        ir = DTYPES[array.dtype.name][0]
        items = []
        for item in array.ravel().tolist():
            text = literal(int(item) if ir.startswith("i") else item)
            items.append(f"{ir} {text}")
        text = f"[{array.size} x {ir}] [{', '.join(items)}]"
        where = self.tables.setdefault(text, f"@table{len(self.tables)}")
        return Value(ArrayOf(array.dtype.name, array.ndim, True), (where, *map(str, array.shape)))

    def need_helper(self, name: str) -> None:
        self.helpers.add(name)
        if name in ("mod", "floordiv"):
            self.need_libm("fmod", 2)

    def need_libm(self, name: str, n: int) -> None:
        self.declared[name] = f"declare double @{name}({', '.join(['double'] * n)})"

    # --- entries -----------------------------------------------------------------------------------------

    def add(self, entry: Entry, method: Any, fixed: dict[int, Value] | None = None) -> None:
        """A function or method to be called from outside.

        fixed: by their places, arguments that are not given from outside.
        """
        function = author_of(method)
        types = list(entry.types)
        for at, value in sorted((fixed or {}).items()):
            types.insert(at, value.type)
        owner = (
            Value(types[0], ("%a0",) * len(types[0].irs))
            if types and isinstance(types[0], ObjectOf)
            else None
        )
        if fixed and 0 in fixed and fixed[0].type is GAME:
            owner = fixed[0]
        if owner:  # what the class has is the function, and none of that name in another file
            cls = type(self.game) if owner.type is GAME else owner.layout.cls
            self.facts.member(cls, function.__name__, getattr_static(cls, function.__name__, None))
        self.facts.function(function)
        self.check_parameters(function, len(types))
        instance = self.instance(function, owner, types)
        self.entries[entry.name] = entry, instance, fixed or {}

    def check_parameters(self, function: FunctionType, given: int) -> None:
        args = definition(function).args
        names = [arg.arg for arg in args.args]
        if len(names) != given and not args.vararg:
            more, name = ", ".join(names[given:]), function.__name__
            said = f"takes {more} as well, which compiled code does not give it"
            raise placed_at(function, f"{name} {said if more else 'takes fewer arguments than it is given'}")

    def text(self) -> str:
        """The whole as LLVM's text, once all types are known."""
        self.settle()
        parts = [INTRINSICS]
        for entry, instance, _ in self.entries.values():
            parts.append(wrapper.outside(self, entry, instance))
            if entry.python:
                parts.append(wrapper.python(self, entry))
        parts += [instance.text for instance in self.reached()]
        parts += [HELPERS[name] for name in sorted(self.helpers)]
        parts += [f"{name} = private unnamed_addr constant {text}" for text, name in self.tables.items()]
        parts += self.declared.values()
        parts.append("@none = global ptr null")
        parts.append(f"@sites = global [{2 * len(self.sites) + 2} x i64] zeroinitializer")
        return "\n".join(parts)

    def settle(self) -> None:
        """Write all instances, those anew whose types or those of what they call have changed since."""
        for _ in range(ROUNDS):
            todo = [instance for instance in self.reached() if not instance.text or instance.stale]
            if not todo:
                for instance in self.reached():
                    self.check_known(instance)
                return
            stored = len(self.stored)
            for instance in todo:
                self.changed, look, instance.called = False, instance.look, {}
                text = Function(self, instance).write()
                instance.text = "" if self.changed or look != instance.look else text
            if len(self.stored) != stored:  # reads of what is set are written otherwise
                for instance in self.instances.values():
                    instance.text = ""
        raise CannotCompile("types that never stand still")

    def reached(self) -> list[Instance]:
        """The instances entries call, by way of others too; more were asked for before types were known."""
        found: dict[Instance, None] = {}
        waiting = [instance for _, instance, _ in self.entries.values()]
        while waiting:
            instance = waiting.pop()
            if instance not in found:
                found[instance] = None
                waiting += instance.called
        return list(found)

    def check_known(self, instance: Instance) -> None:
        """CannotCompile if something in an instance still has no type, as what stays empty has."""
        for key, kind in instance.variables.items():
            if kind is UNKNOWN and isinstance(key[-1], str):
                raise placed_at(instance.function, f"what {key[-1]} is cannot be told")
        if unsettled(instance.result) and not isinstance(instance.result, ListOf):
            said = f"what {instance.function.__name__} gives cannot be told"
            raise placed_at(instance.function, f"{said}: annotate its result, or let it end")
        if instance.untold:
            text, file, line = instance.untold
            raise CannotCompile(f"what {text} is cannot be told", file, line)


def flattened(item: Any) -> list[Any]:
    return [part for one in item for part in flattened(one)] if isinstance(item, tuple) else [item]
