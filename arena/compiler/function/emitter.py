"""The emitter of a function: the LLVM assembly written so far, and what is known about variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from arena.compiler.errors import CannotCompile, placed_at
from arena.compiler.function.frame import Frame, Handler, Loop
from arena.compiler.named import is_frozen, is_named, items_of
from arena.compiler.source import local_names
from arena.compiler.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NUMBERS,
    SPARE,
    UNKNOWN,
    ArrayOf,
    Known,
    ListOf,
    NoJoin,
    OptionalOf,
    RecordOf,
    Text,
    TextOf,
    Tuple,
    Type,
    Value,
    clash,
    is_nested,
    join,
    literal,
    slot,
    text_class,
    type_of,
    unsettled,
    value_of,
)

if TYPE_CHECKING:
    from arena.compiler.instance import Instance
    from arena.compiler.unit import Unit

ZEROS = {"i64": "0", "double": "0x0000000000000000", "i1": "false", "ptr": "null"}
UNLIKELY = "!prof !0"  # metadata of a branch whose first target is rarely taken
CONSTANT, CHANGING = "!invariant.load !9", "!tbaa !11"  # metadata of loads of attributes
ATTRIBUTE = "!attribute "  # prefix of an attribute's name, which `assembly.text_of` replaces by one of these
# prefixes of lines that depend on what is known at the end of the function; see `ended`
RETURN_ERROR, END_REGION = ";return-error", ";end-region"
NOTE = ";note "  # prefix of lines that are used only in a trial; see `assembly.trial_of`


class Emitter:
    """Writes one instance of a function; all lowerings take an emitter as their first argument.

    Attributes:
        unit: The unit of compilation.
        instance: The instance that is written.
        frame: The current scope.
        lines: The LLVM assembly written so far.
        entry: The LLVM assembly at the function's entry, which allocates variables.
        dead: Whether the current position is unreachable: after a jump, until the next label.
        unknown: Variables that were read, or whose address was taken, before their type was known.
        assigned: Variables that are certainly set at the current position.
        constants: Values of variables that are known at the current position.
        given: Values of variables that are assigned in only one place, if known.
        targets: Target variables of a loop, while they are being assigned.
        loops: The enclosing loops, innermost last.
        handlers: Exception handler of each enclosing `try`, innermost last.
        wraps: Whether overflow is irrelevant, since higher bits are masked afterwards.
        caught: Operands with the numbers of the exceptions that are being handled, innermost last.
        inlined: Generators that are being inlined.
        left: Operand with the number of recursive calls left.
        unordered: The node of an iterable whose order is irrelevant, such as an argument of `sorted`.
        position: The node of an expression whose value is returned as a position; None elsewhere.
        returned: Whether the function can return without an error.
        bytes: Size of the frame.
        out: Operand with the address of the list that the function fills.
        cap: Operand with the capacity of that list.
        filled: Address of the number of items in that list.
    """

    out, cap = "%out", "%cap"
    filled = ""

    def __init__(self, unit: Unit, instance: Instance) -> None:
        self.unit, self.instance = unit, instance
        self.frame = Frame(instance.function, instance.node, (), local_names(instance.node))
        self.lines: list[str] = []
        self.entry: list[str] = []
        self.made = self.bytes = 0  # `made` is the number of names created
        self.dead = self.returned = self.wraps = False
        self.slots: dict[Any, tuple[str, ...]] = {}
        self.places: dict[Any, str] = {}  # addresses of nested tuples, whose slots lie one after the other
        self.unknown: set[object] = set()
        self.flags: dict[Any, str] = {}  # address of the flag of each variable that may be unset when read
        self.assigned: set[object] = set()
        self.constants: dict[object, Value] = {}
        self.given: dict[object, object] = {}
        self.targets: set[object] | None = None
        self.loops: list[Loop] = []
        self.handlers: list[Handler] = []
        self.caught: list[str] = []
        self.inlined: list[FunctionType] = []
        self.left = "%left"
        self.unordered: object = None
        self.position: object = None

    @property
    def bounded(self) -> bool:
        """Whether an index out of range raises IndexError at the current position."""
        return self.unit.checked or not getattr(self.frame.function, "unchecked", False)

    def fail(self, node: object, text: str) -> NoReturn:
        """Raise CannotCompile with the line of a node."""
        raise CannotCompile(text, self.frame.file, getattr(node, "lineno", 0))

    # --- LLVM assembly ----------------------------------------------------------------------------------

    def emit(self, text: str) -> None:
        """Write an instruction without a result."""
        if self.dead:
            self.start(self.label("dead"))
        self.lines.append("  " + text)

    def let(self, text: str) -> str:
        """Write an instruction and return the name of its result."""
        self.made += 1
        name = f"%v{self.made}"
        self.emit(f"{name} = {text}")
        return name

    def let_int(self, text: str) -> Value:
        """Write an instruction whose result is an i64, and return it as an int."""
        return Value(INT, (self.let(text),))

    def let_float(self, text: str) -> Value:
        """Write an instruction whose result is a double, and return it as a float."""
        return Value(FLOAT, (self.let(text),))

    def let_bool(self, text: str) -> Value:
        """Write an instruction whose result is an i1, and return it as a bool."""
        return Value(BOOL, (self.let(text),))

    def intrinsic(self, name: str, *ops: str) -> str:
        """Call an LLVM intrinsic whose operands and result have the same type, such as `smin.i64`."""
        ir = "i64" if name.endswith(".i64") else "double"
        return self.let(f"call {ir} @llvm.{name}({', '.join(f'{ir} {op}' for op in ops)})")

    def load(self, ir: str, place: str) -> str:
        """Write a load from an address in the frame, and return the operand."""
        return self.let(f"load {ir}, ptr {place}")

    def store(self, ir: str, op: str, place: str) -> None:
        """Write a store of an operand to an address in the frame."""
        self.emit(f"store {ir} {op}, ptr {place}")

    def label(self, hint: str) -> str:
        """Return the name of a new label, which `start` places."""
        self.made += 1
        return f"{hint}{self.made}"

    def start(self, label: str) -> None:
        """Begin a block at a label; the code before it continues there unless it has jumped elsewhere."""
        self.goto(label)
        self.lines.append(f"{label}:")
        self.dead = False

    def goto(self, label: str) -> None:
        """Write a jump to a label."""
        if not self.dead:
            self.lines.append(f"  br label %{label}")
            self.dead = True

    def branch(self, condition: str, yes: str, no: str, hint: str = "") -> None:
        """Write a jump to one of two labels, depending on an i1."""
        self.emit(f"br i1 {condition}, label %{yes}, label %{no}{', ' + hint if hint else ''}")
        self.dead = True

    def branch_on(self, truth: Value, yes: str, no: str) -> None:
        """Write a jump to one of two labels, depending on a bool, which may be known at compile time."""
        if truth.known:
            self.goto(yes if truth.const else no)
        else:
            self.branch(truth.op, yes, no)

    def room(self, ir: str, count: int = 1) -> str:
        """Allocate memory in the frame, once per call of the function, and return its address."""
        self.made += 1
        self.bytes += 8 * count * (1 + ir.count(","))
        name = f"%r{self.made}"
        self.entry.append(f"  {name} = alloca {ir}, i64 {count}, align 8")
        return name

    def list_room(self, item: Type) -> str:
        """Allocate memory in the frame for the items of a list, and return its address."""
        return self.room(slot(item), self.unit.cap + SPARE)

    # --- errors -----------------------------------------------------------------------------------------

    def check(self, condition: str, error: type[BaseException], text: str, node: object) -> None:
        """Write code that raises an exception if a condition, an i1, is true."""
        if condition == "false":
            return
        bad, good = self.label("bad"), self.label("good")
        self.branch(condition, bad, good, UNLIKELY)
        self.start(bad)
        self.raise_error(error, text, node)
        self.start(good)

    def note_overflow(self, operation: str, left: str, right: str, node: object) -> None:
        """Write, as a comment, a call that records the overflow of an operation; see `assembly.trial_of`.

        Where higher bits are irrelevant, only a shift by more than 63 bits is recorded.
        """
        if self.unit.checked or (self.wraps and operation != "shl"):
            return
        if self.wraps:
            operation = "far"
        place = self.unit.place(self.frame.file, getattr(node, "lineno", 0))
        self.lines.append(f"  {NOTE}call void @note.{operation}(i64 {left}, i64 {right}, i32 {place})")

    def raise_error(self, error: type[BaseException], text: str, node: Any) -> None:
        """Write code that raises an exception with a constant class and message."""
        site = self.unit.site(error, text, self.frame.file, getattr(node, "lineno", 0))
        self.return_error(str(site))

    def return_error(self, status: str) -> None:
        """Write a return of an exception's number, or a jump to the enclosing `except` clauses."""
        if self.handlers:
            self.handlers[-1].used = True
            self.store("i32", status, self.handlers[-1].place)
            self.goto(self.handlers[-1].label)
            return
        if not self.instance.may_raise:
            self.instance.may_raise = True
            self.unit.changed |= self.returned
        self.made += 1
        self.emit(f"{RETURN_ERROR} {status} %v{self.made}")
        self.dead = True

    # --- values -----------------------------------------------------------------------------------------

    def constant(self, value: Any, node: object = None) -> Value:
        """Return a value that is known at compile time."""
        kind = type_of(value)
        if value is None:
            return Value(NONE, (), None)
        if isinstance(value, int) and kind is None:
            self.fail(node, f"{value} is too large: an int has 64 bits")
        if kind is None or isinstance(kind, Tuple | Text):
            return Value(Known(value), (), value)
        return Value(kind, (literal(value),), value)

    def materialize(self, value: Value) -> Value:
        """Convert a constant tuple or container to a value with operands; others are returned unchanged."""
        if isinstance(value.type, Known) and (isinstance(value.const, tuple) or is_frozen(type(value.const))):
            items = [self.materialize(self.constant(item)) for item in items_of(value.const)]
            cls = type(value.const) if is_named(type(value.const)) else None
            return self.tuple_of(items, cls)
        if isinstance(value.type, Known) and type(value.const) in (dict, set, frozenset):
            try:
                return self.unit.constant_container(value.const, value.type.name)
            except CannotCompile as error:
                raise placed_at(self.frame.function, error.text) from None
        return value

    def as_text(self, value: Value) -> Value:
        """Convert a constant text, or constant bytes, to a value with operands; others are unchanged."""
        kind = type_of(value.const) if isinstance(value.type, Known) else None
        if not isinstance(kind, Text):
            return value
        codes = value.const if kind.cls is bytes else map(ord, value.const)
        return Value(kind, tuple(map(str, codes)))

    def as_texts(self, value: Value) -> Value:
        """Convert a constant text as `as_text` does, and also those in a tuple."""
        value = self.as_text(self.materialize(value))
        if not isinstance(value.type, Tuple):
            return value
        return self.tuple_of([self.as_texts(item) for item in self.items_of(value)], value.type.cls)

    def tuple_of(self, items: Sequence[Value], cls: object = None) -> Value:
        """Return a tuple of these items; `cls` is the class of a named tuple."""
        ops = tuple(op for item in items for op in item.ops)
        return Value(Tuple(tuple(item.type for item in items), cls), ops)

    def items_of(self, value: Value) -> list[Value]:
        """Return the items of a tuple or a text."""
        value, at, items = self.as_text(self.materialize(value)), 0, []
        assert isinstance(value.type, Tuple | Text)
        for kind in value.type.items:
            items.append(value_of(kind, value.ops[at : at + len(kind.irs)]))
            at += len(kind.irs)
        return items

    def leaves_of(self, value: Value) -> list[Value]:
        """Return the items of a tuple, with the items of tuples and codes of texts in it instead of these."""
        value = self.as_text(self.materialize(value))
        if isinstance(value.type, Text):
            return [Value(INT, (op,)) for op in value.ops]
        items = map(self.as_text, self.items_of(value))
        parts = (self.leaves_of(item) if isinstance(item.type, Tuple | Text) else [item] for item in items)
        return [leaf for part in parts for leaf in part]

    def convert(self, value: Value, kind: Type, node: object, what: str = "") -> Value:
        """Convert a value to another type, or raise CannotCompile if the conversion may be lossy."""
        if value.type == kind:
            return value
        if value.type is UNKNOWN or kind is UNKNOWN:
            return Value(kind, tuple("undef" for _ in kind.irs))
        value = self.materialize(value)
        if text_class(kind) and text_class(kind) is text_class(value.type):
            return self.convert_text(value, kind, node, what or "this")
        if kind in NUMBERS and value.type in NUMBERS and value.type.rank < kind.rank:
            return self.convert_number(value, kind, node)
        if (
            isinstance(kind, Tuple)
            and isinstance(value.type, Tuple)
            and len(kind.items) == len(value.type.items)
            and kind.cls is value.type.cls
        ):
            pairs = zip(self.items_of(value), kind.items, strict=True)
            return self.tuple_of([self.convert(item, of, node) for item, of in pairs], kind.cls)
        if isinstance(kind, OptionalOf):
            return self.optional(value, kind, node)
        if isinstance(value.type, OptionalOf):
            return self.convert(self.required(value, node), kind, node, what)
        if isinstance(kind, RecordOf) and value.type is NONE:
            return Value(kind, ("null",))
        if isinstance(kind, ListOf) and type(value.type) is type(kind):
            if value.type.item is UNKNOWN:  # it is still empty
                data, n = self.list_room(kind.item), self.room("i64")
                self.store("i64", "0", n)
                return Value(kind, (data, value.ops[1]), fresh=value.fresh)
            if unsettled(value.type) or unsettled(kind):
                return Value(kind, tuple("undef" for _ in kind.irs), fresh=value.fresh)
            return self.fail(
                node, f"{what or 'the list'} contains {kind.item} and cannot contain {value.type.item}"
            )
        if (
            isinstance(kind, ArrayOf)
            and isinstance(value.type, ArrayOf)
            and value.type.writable == kind.writable
        ):
            return Value(kind, value.ops)
        return self.fail(node, clash(what or "this", kind, value.type))

    def convert_text(self, value: Value, kind: Type, node: object, what: str) -> Value:
        """Convert a text to one of another type, such as one of any length."""
        value = self.as_text(value)
        if value.type == kind:
            return value
        if not isinstance(kind, TextOf) or kind.row or not isinstance(value.type, Text):
            self.fail(node, clash(what, kind, value.type))
        if value.type.length > self.unit.cap:
            self.fail(node, f"{value.type} is too long where its length may vary, at most {self.unit.cap}")
        data = self.list_room(kind.item)
        for i, op in enumerate(value.ops):
            place = self.let(f"getelementptr inbounds i64, ptr {data}, i64 {i}")
            self.emit(f"store i64 {op}, ptr {place}, !tbaa !13")
        return Value(kind, (data, str(value.type.length)), fresh=True)

    def required(self, value: Value, node: object, text: str = "") -> Value:
        """Return the value within an optional value; at run time, None raises TypeError."""
        if not isinstance(value.type, OptionalOf):
            return value
        none = self.let(f"xor i1 {value.ops[-1]}, true")
        self.check(none, TypeError, text or f"None instead of {value.type.of}", node)
        return value_of(value.type.of, value.ops[:-1])

    def optional(self, value: Value, kind: OptionalOf, node: object) -> Value:
        """Convert a value, which may be None, to an optional type."""
        if value.type is NONE:
            return Value(kind, (*(ZEROS[ir] for ir in kind.of.irs), "false"))
        there = "true"
        if isinstance(value.type, OptionalOf):
            value, there = value_of(value.type.of, value.ops[:-1]), value.ops[-1]
        return Value(kind, (*self.convert(value, kind.of, node).ops, there))

    def convert_number(self, value: Value, kind: Type, node: object) -> Value:
        """Convert a number to a type of higher rank."""
        if value.known:
            return self.constant(float(value.const) if kind is FLOAT else int(value.const), node)
        if kind is INT:
            return self.let_int(f"zext i1 {value.op} to i64")
        if value.type is BOOL:
            return self.let_float(f"uitofp i1 {value.op} to double")
        if self.unit.checked:
            beyond = self.let(f"icmp ugt i64 {self.let(f'add i64 {value.op}, {1 << 53}')}, {1 << 54}")
            self.check(beyond, OverflowError, "an int beyond 2**53 cannot be converted to a float", node)
        return self.let_float(f"sitofp i64 {value.op} to double")

    # --- variables, which have keys that distinguish equal names in different scopes --------------------

    def key_of(self, name: str) -> object:
        """Return the key of a variable; None if there is no such variable."""
        frame: Frame | None = self.frame
        while frame:
            if name in frame.names:
                return (*frame.key, name)
            if name in frame.shared:
                return frame.shared[name]
            frame = frame.outer
        return None

    def slots_of(self, key: object, kind: Type) -> tuple[str, ...]:
        """Return the addresses of a variable of a type, one for each operand."""
        if kind is UNKNOWN:
            self.unknown.add(key)
        if (key, kind) not in self.slots:
            self.places.pop((key, kind), None)
            nested = is_nested(kind)
            self.slots[key, kind] = (
                self.slots_within(key, kind) if nested else tuple(map(self.room, kind.irs))
            )
        return self.slots[key, kind]

    def slots_within(self, key: object, kind: Type) -> tuple[str, ...]:
        """Return the addresses of a nested tuple's items, which lie one after the other in the frame."""
        n = len(kind.irs)
        place = self.places[key, kind] = self.room("i64", n)
        names = tuple(f"%r{self.made + 1 + j}" for j in range(n))
        self.made += n
        for j, name in enumerate(names):
            self.entry.append(f"  {name} = getelementptr inbounds i64, ptr {place}, i64 {j}")
        return names

    def set_variable(self, key: object, value: Value, node: object, what: str) -> None:
        """Set a variable, and widen its type if the value has another type."""
        before = self.instance.variables.get(key, UNKNOWN)
        is_tuple = isinstance(value.const, tuple) or is_frozen(type(value.const))
        given = self.materialize(value).type if is_tuple else value.type
        try:
            kind = join(before, given)
        except NoJoin:
            self.fail(node, clash(what, before, value.type))
        if kind != before:
            self.instance.variables[key] = kind
            self.unit.changed |= before is not UNKNOWN or key in self.unknown or bool(self.instance.inner)
        value = self.convert(value, kind, node, what)
        for ir, op, place in zip(kind.irs, value.ops, self.slots_of(key, kind), strict=True):
            self.store(ir, op, place)
        self.assigned.add(key)
        if key in self.flags:
            self.store("i1", "true", self.flags[key])

    def get_variable(self, key: object) -> Value:
        """Return the value of a variable, without checking that it is set."""
        kind = self.instance.variables.get(key, UNKNOWN)
        return value_of(kind, tuple(map(self.load, kind.irs, self.slots_of(key, kind))))

    def flag(self, key: object) -> str:
        """Return the address of the flag that says whether a variable has been set."""
        self.flags[key] = flag = self.room("i1")
        self.entry.append(f"  store i1 false, ptr {flag}")
        return flag

    @contextmanager
    def wrapping(self, wraps: bool) -> Iterator[None]:
        """Return a context in which overflow is not checked if `wraps` is true."""
        before, self.wraps = self.wraps, wraps
        try:
            yield
        finally:
            self.wraps = before

    @contextmanager
    def within(self, frame: Frame) -> Iterator[None]:
        """Return a context with another scope."""
        before, self.frame = self.frame, frame
        try:
            yield
        finally:
            self.frame = before

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Return a context in which everything written is discarded."""
        lines, entry, made, dead = len(self.lines), len(self.entry), self.made, self.dead
        yield
        del self.lines[lines:], self.entry[entry:]
        self.made, self.dead = made, dead
        self.slots = {
            key: places
            for key, places in self.slots.items()
            if all(place.startswith("%c") or int(place[2:]) <= made for place in places)
        }
