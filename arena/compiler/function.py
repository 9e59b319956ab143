"""A function of an author's as LLVM's text: its variables, blocks and statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any

from arena.compiler.expressions import Expressions
from arena.compiler.source import local_names, times_set
from arena.compiler.types import (
    ANNOTATED,
    FLOAT,
    INT,
    MISSING,
    NONE,
    NUMBERS,
    UNKNOWN,
    ArrayOf,
    Known,
    ListOf,
    NoJoin,
    ObjectOf,
    Tuple,
    Type,
    Value,
    join,
    literal,
    same,
    type_of,
    unsettled,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.compiler.instance import Instance
    from arena.compiler.unit import Unit

MOST_BYTES = 1 << 20  # of a frame, an eighth of a thread's stack as a rule
UNLIKELY = "!prof !0"  # of a branch whose first way is rare


@dataclass
class Frame:
    """Whose names count: a function's, or those of a generator, lambda or comprehension laid into one.

    key: tells its variables from those of others. names: the variables that are its own; others are
    `outer`'s, where there is one. owner: what its `self` is. each: what is to be done with what it yields,
    of a generator that is laid in, which ends at the label `end`. laid: it and the generators that it is
    laid into.
    """

    function: FunctionType
    node: Any
    key: tuple[int, ...]
    names: frozenset[str]
    owner: Value | None = None
    outer: Frame | None = None
    each: Callable[[Value], None] | None = None
    end: str = ""
    laid: tuple[FunctionType, ...] = ()

    @property
    def file(self) -> str:
        return self.function.__code__.co_filename

    def functions(self) -> Iterator[FunctionType]:
        """The functions it lies in, the innermost first."""
        frame: Frame | None = self
        while frame:
            yield frame.function
            frame = frame.outer


@dataclass
class Loop:
    """Where `break` and `continue` go, and what was set at each break."""

    end: str
    again: str
    breaks: list[set[Any]] = field(default_factory=list)


class Function(Expressions):
    """Writes one instance of a function; run again until the types of variables and results settle."""

    def __init__(self, unit: Unit, instance: Instance) -> None:
        self.unit, self.instance = unit, instance
        self.lines: list[str] = []
        self.entry: list[str] = []  # what comes first: room for variables
        self.made = self.bytes = 0  # names, and bytes of the frame
        self.dead = False  # after a jump, until the next label
        self.slots: dict[Any, tuple[str, ...]] = {}
        self.constants: dict[Any, Value] = {}
        self.assigned: set[Any] = set()
        self.flags: dict[Any, str] = {}  # of variables that may not be set where they are read
        self.loops: list[Loop] = []
        self.given: dict[
            Any, Any
        ] = {}  # what variables that are set in one place were set to, if it is known
        self.returned = False  # whether there is a way out but by errors
        self.targets: set[Any] | None = None  # variables of a loop, while they are set
        self.laid: list[FunctionType] = []  # generators that are being laid in
        node = instance.node
        self.frame = Frame(instance.function, node, (), local_names(node))

    @property
    def bounded(self) -> bool:
        """Whether it is looked at that indexes are inside, here."""
        return self.unit.checked or not getattr(self.frame.function, "unchecked", False)

    # --- text -------------------------------------------------------------------------------------------

    def emit(self, text: str) -> None:
        if self.dead:
            self.start(self.label("dead"))
        self.lines.append("  " + text)

    def let(self, text: str) -> str:
        self.made += 1
        name = f"%v{self.made}"
        self.emit(f"{name} = {text}")
        return name

    def label(self, hint: str) -> str:
        self.made += 1
        return f"{hint}{self.made}"

    def start(self, label: str) -> None:
        if not self.dead:
            self.lines.append(f"  br label %{label}")
        self.lines.append(f"{label}:")
        self.dead = False

    def goto(self, label: str) -> None:
        if not self.dead:
            self.lines.append(f"  br label %{label}")
            self.dead = True

    def branch(self, condition: str, yes: str, no: str, hint: str = "") -> None:
        self.emit(f"br i1 {condition}, label %{yes}, label %{no}{', ' + hint if hint else ''}")
        self.dead = True

    def room(self, ir: str, count: int = 1) -> str:
        """A place in the frame, made once however often it is passed."""
        self.made += 1
        self.bytes += 8 * count * (1 + ir.count(","))
        name = f"%r{self.made}"
        self.entry.append(f"  {name} = alloca {ir}, i64 {count}, align 8")
        return name

    # --- values -----------------------------------------------------------------------------------------

    def constant(self, value: Any, node: Any = None) -> Value:
        """A value that is known when compiling."""
        kind = type_of(value)
        if value is None:
            return Value(NONE, (), None)
        if isinstance(value, int) and kind is None:
            self.fail(node, f"{value} is too large: an int has 64 bits")
        if kind is None or isinstance(kind, Tuple):
            return Value(Known(value), (), value)
        return Value(kind, (literal(value),), value)

    def spelled(self, value: Value) -> Value:
        """A constant tuple as one of operands; others as they are."""
        if isinstance(value.type, Known) and isinstance(value.const, tuple):
            items = [self.spelled(self.constant(item)) for item in value.const]
            cls = type(value.const) if hasattr(value.const, "_fields") else None
            return self.tuple_of(items, cls)
        return value

    def tuple_of(self, items: Sequence[Value], cls: Any = None) -> Value:
        ops = tuple(op for item in items for op in item.ops)
        return Value(Tuple(tuple(item.type for item in items), cls), ops)

    def items_of(self, value: Value) -> list[Value]:
        """The items of a tuple."""
        value, at, items = self.spelled(value), 0, []
        assert isinstance(value.type, Tuple)
        for kind in value.type.items:
            const = kind.thing if isinstance(kind, Known) else None if kind is NONE else MISSING
            items.append(Value(kind, value.ops[at : at + len(kind.irs)], const))
            at += len(kind.irs)
        return items

    def convert(self, value: Value, kind: Type, node: Any, what: str = "") -> Value:
        """A value as one of another type, where nothing is lost."""
        if value.type == kind:
            return value
        if value.type is UNKNOWN or kind is UNKNOWN:
            return Value(kind, tuple("undef" for _ in kind.irs))
        value = self.spelled(value)
        if kind in NUMBERS and value.type in NUMBERS and value.type.rank < kind.rank:
            if value.known:
                return self.constant(float(value.const) if kind is FLOAT else int(value.const), node)
            if kind is FLOAT:
                if self.unit.checked and value.type is INT:
                    beyond = self.let(f"icmp ugt i64 {self.let(f'add i64 {value.op}, {1 << 53}')}, {1 << 54}")
                    self.check(beyond, OverflowError, "an int beyond 2**53 becomes a float", node)
                how = "sitofp i64" if value.type is INT else "uitofp i1"
                return Value(FLOAT, (self.let(f"{how} {value.op} to double"),))
            return Value(INT, (self.let(f"zext i1 {value.op} to i64"),))
        if (
            isinstance(kind, Tuple)
            and isinstance(value.type, Tuple)
            and len(kind.items) == len(value.type.items)
            and kind.cls is value.type.cls
        ):
            items = map(self.convert, self.items_of(value), kind.items, [node] * len(kind.items))
            return self.tuple_of(list(items), kind.cls)
        if isinstance(kind, ListOf) and isinstance(value.type, ListOf):
            if value.type.item is UNKNOWN:  # nothing is in it yet
                return Value(kind, (self.fresh(kind.item)[0], value.ops[1]), fresh=value.fresh)
            if unsettled(value.type) or unsettled(kind):
                return Value(kind, tuple("undef" for _ in kind.irs), fresh=value.fresh)
            return self.fail(
                node, f"{what or 'the list'} has {kind.item} in it, and cannot have {value.type.item}"
            )
        return self.fail(node, f"{what or 'this'} is {kind}, and cannot be {value.type} as well")

    # --- variables --------------------------------------------------------------------------------------

    def key_of(self, name: str) -> Any:
        """The variable of this name, None if there is none."""
        frame: Frame | None = self.frame
        while frame:
            if name in frame.names:
                return (*frame.key, name)
            frame = frame.outer
        return None

    def slots_of(self, key: Any, kind: Type) -> tuple[str, ...]:
        if (key, kind) not in self.slots:
            self.slots[key, kind] = tuple(self.room(ir) for ir in kind.irs)
        return self.slots[key, kind]

    def put(self, key: Any, value: Value, node: Any, what: str) -> None:
        """Set a variable."""
        before = self.instance.variables.get(key, UNKNOWN)
        try:
            kind = join(
                before, value.type if not isinstance(value.const, tuple) else self.spelled(value).type
            )
        except NoJoin:
            self.fail(node, f"{what} is {before}, and cannot be {value.type} as well")
        if kind != before:
            self.instance.variables[key] = kind
            self.unit.changed = True
        value = self.convert(value, kind, node, what)
        for ir, op, slot in zip(kind.irs, value.ops, self.slots_of(key, kind), strict=True):
            self.emit(f"store {ir} {op}, ptr {slot}")
        self.assigned.add(key)
        if key in self.flags:
            self.emit(f"store i1 true, ptr {self.flags[key]}")

    def get(self, key: Any) -> Value:
        kind = self.instance.variables.get(key, UNKNOWN)
        if isinstance(kind, Known) or kind is NONE:
            return Value(kind, (), kind.thing if isinstance(kind, Known) else None)
        slots = self.slots_of(key, kind)
        return Value(
            kind, tuple(self.let(f"load {ir}, ptr {slot}") for ir, slot in zip(kind.irs, slots, strict=True))
        )

    def set_name(self, name: str, value: Value, node: Any) -> None:
        key = self.key_of(name)
        if isinstance(value.type, ListOf) and not value.fresh:
            self.fail(node, f"a list cannot get a second name; write {name} = list(…) for a copy")
        if isinstance(self.frame.node, ast.FunctionDef) and times_set(self.frame.node).get(name) == 1:
            self.set_constant(key, value)
        self.put(key, value, node, name)

    def set_constant(self, key: Any, value: Value) -> None:
        """Know the value of a variable set in one place, if it is the same in all copies of that place."""
        if self.targets is not None:
            self.targets.add(key)
        elif (
            key in self.given
            and self.given[key] is not value.const
            and not same(self.given[key], value.const)
            and key not in self.instance.varying
        ):
            self.instance.varying.add(key)
            self.unit.changed = True
        self.given[key] = value.const
        if value.known and (self.targets is not None or key not in self.instance.varying):
            self.constants[key] = value
        else:
            self.constants.pop(key, None)

    def read_name(self, name: str, node: Any) -> Value | None:
        """A variable's value, None if there is none of this name."""
        key = self.key_of(name)
        if key is None:
            return None
        if key not in self.assigned:
            if key not in self.instance.flagged:
                self.instance.flagged.add(key)
                self.unit.changed = True
            flag = self.flags.get(key) or self.flag(key)
            unset = self.let(f"xor i1 {self.let(f'load i1, ptr {flag}')}, true")
            text = f"cannot access local variable {name!r} where it is not associated with a value"
            self.check(unset, UnboundLocalError, text, node)
        if key in self.constants:
            return self.constants[key]
        return self.get(key)

    def flag(self, key: Any) -> str:
        """What says whether a variable has been set."""
        self.flags[key] = flag = self.room("i1")
        self.entry.append(f"  store i1 false, ptr {flag}")
        return flag

    # --- errors -----------------------------------------------------------------------------------------

    def check(self, condition: str, error: type[BaseException], text: str, node: Any) -> None:
        """Raise if a condition, an i1, is true."""
        if condition == "false":
            return
        bad, good = self.label("bad"), self.label("good")
        self.branch(condition, bad, good, UNLIKELY)
        self.start(bad)
        self.raise_error(error, text, node)
        self.start(good)

    def raise_error(self, error: type[BaseException], text: str, node: Any) -> None:
        site = self.unit.site(error, text, self.frame.file, getattr(node, "lineno", 0))
        self.leave_with(str(site))

    def leave_with(self, status: str) -> None:
        """Return an error's number to whoever called."""
        if not self.instance.may_raise:
            self.instance.may_raise = self.unit.changed = True
        kind = self.instance.returned()
        if kind == "i32":
            self.emit(f"ret i32 {status}")
        elif kind.startswith("{ i32"):
            self.emit(f"ret {kind} {self.let(f'insertvalue {kind} undef, i32 {status}, 0')}")
        else:  # before it is known that it raises
            self.emit("unreachable")
        self.dead = True

    # --- the whole --------------------------------------------------------------------------------------

    def write(self) -> str:
        """The function as a definition of LLVM's."""
        instance, self.instance.untold = self.instance, None
        for key in instance.flagged:
            self.flag(key)
        parameters, at = [], 0
        args = instance.node.args
        if args.vararg or args.kwarg or args.kwonlyargs:
            self.fail(instance.node, "only ordinary parameters compile")
        for arg, kind in zip(instance.node.args.args, instance.types, strict=True):
            ops = tuple(f"%a{at + i}" for i in range(len(kind.irs)))
            parameters += [f"{ir} {attribute(kind, ir)}{op}" for ir, op in zip(kind.irs, ops, strict=True)]
            at += len(ops)
            const = kind.thing if isinstance(kind, Known) else None if kind is NONE else MISSING
            value = Value(kind, ops, const, fresh=True)
            self.put((arg.arg,), value, arg, arg.arg)
            if arg is instance.node.args.args[0] and instance.owner:
                self.frame.owner = value
            if (isinstance(kind, ObjectOf | Known) or not kind.irs) and times_set(instance.node)[
                arg.arg
            ] == 1:
                self.constants[(arg.arg,)] = value
        self.out, self.cap = "%out", "%cap"
        if instance.fills:
            parameters += ["ptr noalias nocapture %out", "i64 %cap"]
            self.filled = self.room("i64")
            self.emit(f"store i64 0, ptr {self.filled}")
        if instance.generator:
            self.frame.each = self.fill
        self.block(instance.node.body)
        if not self.dead:
            self.leave_end(instance.node)
        if self.bytes > MOST_BYTES:
            self.fail(
                instance.node, f"lists of {self.unit.cap} items, the game's max_moves, take too much room"
            )
        if not self.returned and not instance.generator:
            instance.result = NONE  # it raises something, whatever it is given
        text = "\n".join([*self.entry, "  br label %begin", "begin:", *self.lines])
        name, returned = instance.symbol, instance.returned()
        return f"define internal fastcc {returned} @{name}({', '.join(parameters)}) nounwind {{\n{text}\n}}\n"

    def leave_end(self, node: Any) -> None:
        if self.instance.generator:
            n = self.let(f"load i64, ptr {self.filled}")
            self.leave(Value(INT, (self.most(n),)))
        elif self.instance.result in (NONE, UNKNOWN):
            self.returns(Value(NONE, (), None), node)
        else:
            self.fail(
                node,
                f"{self.instance.function.__name__} gives {self.instance.result}, and nothing at its end",
            )

    def leave(self, value: Value) -> None:
        kind = self.instance.returned()
        ops = list(zip(value.type.irs, value.ops, strict=True))
        if kind == "void":
            self.emit("ret void")
        elif kind == "i32":
            self.emit("ret i32 0")
        elif not kind.startswith("{"):
            self.emit(f"ret {kind} {value.op}")
        else:
            made = "undef"
            if self.instance.may_raise:
                ops.insert(0, ("i32", "0"))
            for i, (ir, op) in enumerate(ops):
                made = self.let(f"insertvalue {kind} {made}, {ir} {op}, {i}")
            self.emit(f"ret {kind} {made}")
        self.dead = True

    def returns(self, value: Value, node: Any) -> None:
        """`return` in the function itself."""
        instance, self.returned = self.instance, True
        if isinstance(value.const, tuple):
            value = self.spelled(value)
        if instance.annotated and value.type in NUMBERS:
            value = self.convert(value, join(value.type, instance.annotated), node)
        try:
            kind = join(instance.result, value.type)
        except NoJoin:
            self.fail(
                node,
                f"{instance.function.__name__} gives {value.type} here, and {instance.result} elsewhere",
            )
        if kind != instance.result:
            instance.result = kind
            self.unit.changed = True
        value = self.convert(value, kind, node)
        if isinstance(kind, ListOf):
            if not value.fresh:
                self.fail(node, "a list that was passed in cannot be returned; return list(…), a copy")
            value = Value(INT, (self.copied(value, self.out, self.cap, node),))
        if kind is not UNKNOWN:
            self.leave(value)
        else:
            self.emit("unreachable")
            self.dead = True

    # --- statements -------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if self.dead:
                return
            name = type(node).__name__
            visit = getattr(self, "do_" + name, None)
            if visit is None:
                self.fail(node, REFUSED.get(name, f"{name.lower()} does not compile"))
            visit(node)

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        value = node.value
        if isinstance(value, ast.Constant):
            return
        if isinstance(value, ast.Yield):
            self.yields(self.expression(value.value) if value.value else Value(NONE, (), None), node)
        elif isinstance(value, ast.YieldFrom):
            self.yield_from(value)
        else:
            self.expression(value)

    def do_Return(self, node: ast.Return) -> None:
        if self.frame.each:
            if node.value is not None:
                self.fail(node, "a generator's return gives nothing")
            if self.frame.end:
                self.goto(self.frame.end)
            else:
                self.leave_end(node)
            return
        value = self.expression(node.value) if node.value else Value(NONE, (), None)
        if isinstance(node.value, ast.Name) and node.value.id not in {
            arg.arg for arg in self.frame.node.args.args
        }:
            value = replace(value, fresh=True)
        self.returns(value, node)

    def do_Assign(self, node: ast.Assign) -> None:
        pairs = [target for target in node.targets if isinstance(target, ast.Tuple)]
        if len(node.targets) == 1 and pairs and isinstance(node.value, ast.Tuple):
            targets, values = pairs[0].elts, node.value.elts
            if len(targets) == len(values):
                given = [self.expression(value) for value in values]
                for target, value in zip(targets, given, strict=True):
                    self.assign(target, self.moved(target, value, node.value))
                return
        value = self.expression(node.value)
        if isinstance(value.type, ListOf) and len(node.targets) > 1:
            self.fail(node, "a list cannot get two names; make one for each")
        for target in node.targets:
            self.assign(target, self.moved(target, value, node.value))

    def moved(self, target: ast.expr, value: Value, node: ast.expr) -> Value:
        """A list that was made of the one that its name had before, out of the way of the next one."""
        if not (isinstance(value.type, ListOf) and value.fresh and isinstance(target, ast.Name)):
            return value
        if not any(isinstance(part, ast.Name) and part.id == target.id for part in ast.walk(node)):
            return value
        return self.copy_of(value, node)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            return
        value, kind = self.expression(node.value), ANNOTATED.get(ast.unparse(node.annotation))
        if kind and value.type in NUMBERS and value.type.rank < kind.rank:
            value = self.convert(value, kind, node)
        self.assign(node.target, self.moved(node.target, value, node.value))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            before = self.expression(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            self.assign(target, self.binary(node.op, before, self.expression(node.value), node))
        elif isinstance(target, ast.Attribute):
            owner = self.expression(target.value)
            before = self.attribute(owner, target.attr, target)
            made = self.binary(node.op, before, self.expression(node.value), node)
            self.set_attribute(owner, target.attr, made, target)
        elif isinstance(target, ast.Subscript):
            owner, at = self.expression(target.value), self.subscript(target.slice)
            before = self.item(owner, at, target)
            self.set_item(owner, at, self.binary(node.op, before, self.expression(node.value), node), target)

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.set_name(target.id, value, target)
        elif isinstance(target, ast.Attribute):
            self.set_attribute(self.expression(target.value), target.attr, value, target)
        elif isinstance(target, ast.Subscript):
            self.set_item(self.expression(target.value), self.subscript(target.slice), value, target)
        elif isinstance(target, ast.Tuple | ast.List):
            self.unpack(target, value)
        else:
            self.fail(target, "this cannot be assigned to in compiled code")

    def unpack(self, target: ast.Tuple | ast.List, value: Value) -> None:
        value = self.spelled(value)
        if value.type is UNKNOWN:
            for part in target.elts:
                self.assign(part, value)
            return
        if not isinstance(value.type, Tuple):
            self.fail(target, f"{value.type} cannot be unpacked")
        items = self.items_of(value)
        if len(items) != len(target.elts):
            self.fail(target, f"{value.type} cannot be unpacked into {len(target.elts)}")
        for part, item in zip(target.elts, items, strict=True):
            self.assign(part, item)

    def do_If(self, node: ast.If) -> None:
        known = self.static(node.test)
        if known is not None:
            self.block(node.body if known else node.orelse)
            return
        if self.fill_if(node):
            return
        yes, no, end = self.label("then"), self.label("else"), self.label("fi")
        self.condition(node.test, yes, no)
        before, ways = set(self.assigned), []
        for label, body in ((yes, node.body), (no, node.orelse)):
            self.assigned = set(before)
            self.dead = True
            self.start(label)
            self.block(body)
            if not self.dead:
                ways.append(self.assigned)
                self.goto(end)
        self.assigned = set.intersection(*ways) if ways else before
        if ways:
            self.start(end)

    def do_While(self, node: ast.While) -> None:
        known = self.static(node.test)
        if known is False:
            self.block(node.orelse)
            return
        head, body, no, end = (self.label(hint) for hint in ("while", "do", "no", "done"))
        self.start(head)
        if known is None:
            self.condition(node.test, body, no)
            self.dead = True
            self.start(body)
        before = set(self.assigned)
        loop = Loop(end, head)
        self.loops.append(loop)
        self.guard(node)
        self.block(node.body)
        self.loops.pop()
        self.goto(head)
        ways = loop.breaks
        if known is None:
            self.start(no)
            self.assigned = set(before)
            self.block(node.orelse)
            if not self.dead:
                ways = [*ways, self.assigned]
                self.goto(end)
        self.assigned = set.intersection(*ways) if ways else before
        if ways:
            self.start(end)

    def do_For(self, node: ast.For) -> None:
        end, after = self.label("done"), self.label("else")
        before = set(self.assigned)
        loop = Loop(end, "")
        depth = len(self.loops)

        def each(value: Value) -> None:
            inside, self.assigned = self.assigned, set(self.assigned)
            loop.again = self.label("next")
            outside, self.loops = self.loops, [*self.loops[:depth], loop]
            self.guard(node)
            here: set[Any] = set()
            if isinstance(value.type, ObjectOf) and isinstance(node.target, ast.Name):
                key = self.key_of(node.target.id)  # each time another, perhaps of another class
                self.constants[key] = value
                self.assigned.add(key)
            else:
                self.targets = here
                self.assign(node.target, value)
                self.targets = None
            self.block(node.body)
            for key in here:  # behind the loop it may be that of any round
                self.constants.pop(key, None)
            self.loops, self.assigned = outside, inside
            self.goto(loop.again)
            self.start(loop.again)

        self.iterate(node.iter, each)
        self.assigned = set(before)
        self.start(after)
        self.block(node.orelse)
        ways = [*loop.breaks, *([] if self.dead else [self.assigned])]
        self.goto(end)
        self.assigned = set.intersection(*ways) if ways else before
        if ways:
            self.start(end)

    def do_Break(self, node: ast.Break) -> None:
        self.loops[-1].breaks.append(set(self.assigned))
        self.goto(self.loops[-1].end)

    def do_Continue(self, node: ast.Continue) -> None:
        self.goto(self.loops[-1].again)

    def do_Assert(self, node: ast.Assert) -> None:
        if self.static(node.test) is True:
            return
        bad, good = self.label("bad"), self.label("good")
        self.condition(node.test, good, bad)
        self.dead = True
        self.start(bad)
        self.raise_error(AssertionError, text_of(node.msg), node)
        self.start(good)

    def do_Raise(self, node: ast.Raise) -> None:
        call = node.exc
        thing = call.func if isinstance(call, ast.Call) else call
        cls = self.expression(thing).const if thing is not None else None
        args = call.args if isinstance(call, ast.Call) else []
        if not (isinstance(cls, type) and issubclass(cls, BaseException)) or len(args) > 1:
            self.fail(node, "only an exception with one text can be raised in compiled code")
        self.raise_error(cls, text_of(args[0] if args else None), node)

    @contextmanager
    def within(self, frame: Frame) -> Iterator[None]:
        """Names mean what they do in another frame, for a while."""
        before, self.frame = self.frame, frame
        try:
            yield
        finally:
            self.frame = before


def text_of(node: ast.expr | None) -> str:
    """What an error says, `…` in place of what is known only when it is raised."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    return "" if node is None else str(node.value) if isinstance(node, ast.Constant) else "…"


def attribute(kind: Type, ir: str) -> str:
    return "nonnull noundef " if ir == "ptr" and not isinstance(kind, ListOf | ArrayOf) else "noundef "


REFUSED = {
    "Try": "try and except do not compile",
    "TryStar": "try and except do not compile",
    "With": "with does not compile",
    "FunctionDef": "functions within functions do not compile; make it a method",
    "ClassDef": "classes within functions do not compile",
    "Import": "imports within functions do not compile",
    "ImportFrom": "imports within functions do not compile",
    "Global": "global does not compile; make it an attribute",
    "Nonlocal": "nonlocal does not compile",
    "Delete": "del does not compile",
    "Match": "match does not compile",
    "AsyncFor": "async does not compile",
    "AsyncWith": "async does not compile",
}
