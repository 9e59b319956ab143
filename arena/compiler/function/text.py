"""The text of a function as it comes to be: lines, labels, values, and ways out by an error."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from arena.compiler.errors import CannotCompile
from arena.compiler.function.frame import Frame, Loop
from arena.compiler.source import local_names
from arena.compiler.types import (
    FLOAT,
    INT,
    MISSING,
    NONE,
    NUMBERS,
    UNKNOWN,
    Known,
    ListOf,
    Tuple,
    Type,
    Value,
    literal,
    type_of,
    unsettled,
)

if TYPE_CHECKING:
    from arena.compiler.instance import Instance
    from arena.compiler.unit import Unit


MOST_BYTES = 1 << 20  # of a frame, an eighth of a thread's stack as a rule
UNLIKELY = "!prof !0"  # of a branch whose first way is rare


class Text:
    """What all other parts write with. Those that come later, each part knows by `__getattr__`."""

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
        self.given: dict[Any, Any] = {}  # what variables set in one place were set to, if it is known
        self.returned = False  # whether there is a way out but by errors
        self.targets: set[Any] | None = None  # variables of a loop, while they are set
        self.laid: list[FunctionType] = []  # generators that are being laid in
        self.left = "%left"  # recursive calls that what is called may make
        node = instance.node
        self.frame = Frame(instance.function, node, (), local_names(node))

    def __getattr__(self, name: str) -> Any:  # the other halves of Function
        raise AttributeError(name)

    def fail(self, node: Any, text: str) -> NoReturn:
        raise CannotCompile(text, self.frame.file, getattr(node, "lineno", 0))

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
