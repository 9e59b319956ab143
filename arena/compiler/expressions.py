"""Expressions of an author's function: operators, attributes, items, conditions."""

from __future__ import annotations

import ast
import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena.compiler.calls import Calls
from arena.compiler.errors import meant, told
from arena.compiler.source import NOT_THERE, is_simple, local_names, look_up
from arena.compiler.types import (
    BOOL,
    DTYPES,
    FLOAT,
    GAME,
    INT,
    NONE,
    NUMBERS,
    UNKNOWN,
    ArrayOf,
    Known,
    ListOf,
    ObjectOf,
    Tuple,
    Value,
    slot,
    unsettled,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.compiler.types import Type

PYTHON = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
BY_ZERO = {
    (kind, cls): told(PYTHON[kind], cls(), cls())
    for kind in (ast.Div, ast.FloorDiv, ast.Mod)
    for cls in (int, float)
}
SIGNED: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip
BITS = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
WHOLE = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
FRACTIONS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul"}
COMPARED = {
    ast.Eq: ("eq", "oeq"), ast.NotEq: ("ne", "une"), ast.Lt: ("slt", "olt"), ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"), ast.GtE: ("sge", "oge"),
}  # fmt: skip


class Expressions(Calls):
    """What gives a value. Every method takes nodes or values, and writes what it takes to have the result."""

    def expression(self, node: ast.expr) -> Value:
        name = type(node).__name__
        visit = getattr(self, "on_" + name, None)
        if visit is None:
            self.fail(node, REFUSED.get(name, f"{name.lower()} does not compile"))
        value: Value = visit(node)
        if value.type is UNKNOWN and not self.instance.untold:
            self.instance.untold = ast.unparse(node)[:50], self.frame.file, node.lineno
        return value

    # --- names and constants ----------------------------------------------------------------------------

    def on_Constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, bytes | complex) or node.value is ...:
            self.fail(node, f"a {type(node.value).__name__} does not compile")
        return self.constant(node.value, node)

    def on_Name(self, node: ast.Name) -> Value:
        value = self.read_name(node.id, node)
        return self.outside(node.id, node) if value is None else value

    def outside(self, name: str, node: Any) -> Value:
        """What a name means that is no variable of the function."""
        for function in self.frame.functions():
            thing = look_up(function, name)
            if thing is not NOT_THERE:
                self.unit.facts.name(function, name, thing)
                return self.thing(thing, node, name)
        return self.fail(node, f"{name} is not defined" + meant(name, local_names(self.instance.node)))

    def thing(self, thing: Any, node: Any, name: str) -> Value:
        """A thing from outside as a constant."""
        if isinstance(thing, dict | set | list | frozenset):
            self.fail(
                node,
                f"{name} is a {type(thing).__name__}, which compiled code does not know; make it a tuple",
            )
        if isinstance(thing, type):
            return self.constant(thing, node)
        if hasattr(thing, "dtype") and hasattr(thing, "tobytes") and thing.ndim:
            return self.unit.constant_array(thing)
        if hasattr(thing, "dtype") and hasattr(thing, "item"):
            thing = thing.item()
        if isinstance(thing, int) and not -(2**63) <= thing < 2**63:
            self.fail(node, f"{name} is {thing}, too large: an int has 64 bits")
        return self.constant(thing, node)

    def on_Tuple(self, node: ast.Tuple) -> Value:
        items = [self.expression(part) for part in node.elts]
        if items and all(item.known for item in items):
            return Value(Known(made := tuple(item.const for item in items)), (), made)
        for item, part in zip(items, node.elts, strict=True):
            if isinstance(item.type, ListOf | ArrayOf):
                self.fail(part, f"{item.type} cannot be put into a tuple")
        return self.tuple_of([self.spelled(item) for item in items])

    def on_NamedExpr(self, node: ast.NamedExpr) -> Value:
        value = self.moved(node.target, self.expression(node.value), node.value)
        self.set_name(node.target.id, value, node)
        return self.expression(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))

    def on_JoinedStr(self, node: Any) -> Value:
        return self.fail(node, "texts made on the way do not compile")

    # --- attributes -------------------------------------------------------------------------------------

    def on_Attribute(self, node: ast.Attribute) -> Value:
        return self.attribute(self.expression(node.value), node.attr, node)

    def attribute(self, owner: Value, name: str, node: Any) -> Value:
        kind = owner.type
        if isinstance(kind, ObjectOf):
            return self.field(owner, name, node)
        if kind is GAME:
            return self.of_game(name, node)
        if isinstance(kind, Tuple) and kind.cls is not None and name in kind.cls._fields:
            return self.items_of(owner)[kind.cls._fields.index(name)]
        if isinstance(kind, Known):
            if isinstance(owner.const, tuple) and name not in getattr(owner.const, "_fields", ()):
                self.fail(node, f"a tuple has no {name}")
            thing = getattr(owner.const, name, NOT_THERE)
            if thing is NOT_THERE:
                self.fail(node, f"{getattr(owner.const, '__name__', owner.const)!r} has no {name}")
            self.unit.facts.member(owner.const, name, thing)
            return self.thing(thing, node, name)
        if kind is UNKNOWN:
            return owner
        return self.fail(node, f"{kind} has no {name} in compiled code")

    def field(self, owner: Value, name: str, node: Any) -> Value:
        """An attribute of a component."""
        layout = owner.layout
        if name in layout.constants:
            return self.thing(layout.constants[name], node, name)
        if name in layout.odd:
            self.fail(node, f"{said(node, name)} is {layout.odd[name]}")
        if name not in layout.fields:
            found = getattr(layout.cls, name, NOT_THERE)
            if isinstance(found, property):
                self.unit.facts.member(layout.cls, name, found)
                return self.call_function(found.fget, [owner], {}, node)
            if found is NOT_THERE:
                near = meant(name, [*layout.names, *dir(layout.cls)])
                self.fail(node, f"{layout.cls.__name__} has no {name}" + (near or " once prepare is done"))
            if callable(found):
                self.fail(node, f"{name} is a method; it can only be called")
            self.unit.facts.member(layout.cls, name, found)
            return self.thing(found, node, name)
        kind, at = layout.fields[name]
        if kind is GAME:
            return Value(GAME)
        stored = (layout.name, name) in self.unit.stored
        if isinstance(kind, ArrayOf):
            parts = [self.word(owner, at, "ptr", False)]
            parts += [self.word(owner, at + 1 + i, "i64", False) for i in range(kind.ndim)]
            return Value(kind, tuple(parts))
        if isinstance(kind, ObjectOf):
            return Value(kind, (self.word(owner, at, "ptr", False),))
        if kind is BOOL:
            return Value(BOOL, (self.let(f"icmp ne i64 {self.word(owner, at, 'i64', stored)}, 0"),))
        return Value(kind, (self.word(owner, at, kind.irs[0], stored),))

    def word(self, owner: Value, at: int, ir: str, changes: bool) -> str:
        place = self.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 {at}")
        return self.let(f"load {ir}, ptr {place}, {'!tbaa !11' if changes else '!invariant.load !9'}")

    def set_attribute(self, owner: Value, name: str, value: Value, node: Any) -> None:
        if not isinstance(owner.type, ObjectOf):
            constant = "; it is a constant" if owner.type is GAME else ""
            self.fail(node, f"an attribute of {owner.type} cannot be set{constant}")
        layout = owner.type.layout
        kind, at = layout.fields.get(name, (None, 0))
        if kind is None or kind not in NUMBERS:
            self.fail(node, f"{said(node, name)} {unsettable(layout, name, kind)}")
        if value.type is not UNKNOWN and (value.type not in NUMBERS or value.type.rank > kind.rank):
            text = f"{said(node, name)} is {kind} after prepare, and cannot become {value.type}"
            self.fail(node, text + "; start it at 0.0" * (value.type is FLOAT))
        if (layout.name, name) not in self.unit.stored:
            self.unit.stored.add((layout.name, name))
            self.unit.changed = True
        value = self.convert(value, kind, node)
        op, ir = value.op, kind.irs[0]
        if kind is BOOL:
            op, ir = self.let(f"zext i1 {op} to i64"), "i64"
        place = self.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 {at}")
        self.emit(f"store {ir} {op}, ptr {place}, !tbaa !11")

    def of_game(self, name: str, node: Any) -> Value:
        """An attribute of the game, which is a constant."""
        game = self.unit.game
        thing = getattr(game, name, NOT_THERE)
        if thing is NOT_THERE:
            self.fail(node, f"{type(game).__name__} has no {name}" + meant(name, dir(game)))
        if callable(thing) and not isinstance(thing, type):
            self.fail(node, f"{name} is a method; it can only be called")
        self.unit.facts.member(game, name, thing)
        return self.thing(thing, node, name)

    # --- items ------------------------------------------------------------------------------------------

    def on_Subscript(self, node: ast.Subscript) -> Value:
        return self.item(self.expression(node.value), self.subscript(node.slice), node)

    def subscript(self, node: ast.expr) -> list[Any]:
        """What stands in brackets: values, or slices of two."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        return [self.slice(part) if isinstance(part, ast.Slice) else self.expression(part) for part in parts]

    def slice(self, node: ast.Slice) -> tuple[Value | None, Value | None]:
        if node.step is not None:
            self.fail(node, "a slice with a step does not compile")
        low, high = (self.expression(part) if part else None for part in (node.lower, node.upper))
        return low, high

    def item(self, owner: Value, at: list[Any], node: Any) -> Value:
        kind = owner.type
        if kind is UNKNOWN or any(isinstance(x, Value) and x.type is UNKNOWN for x in at):
            return Value(UNKNOWN)
        if isinstance(kind, ObjectOf):
            key = at[0] if len(at) == 1 else self.tuple_of(at)
            return self.call_method(owner, "__getitem__", [key], {}, node)
        if isinstance(kind, ArrayOf):
            if isinstance(at[0], tuple):
                return self.array_slice(owner, at, node)
            return self.element(owner, at, node)
        if len(at) != 1:
            self.fail(node, f"{kind} takes one index")
        if isinstance(kind, ListOf):
            if isinstance(at[0], tuple):
                return self.list_slice(owner, at[0], node)
            check = (node.lineno, node.col_offset) in self.unit.own_items
            return self.load_item(owner, self.index(at[0], owner.ops[1], node, "list", check))
        if isinstance(owner.const, tuple) or isinstance(kind, Tuple):
            return self.tuple_item(owner, at[0], node)
        return self.fail(node, f"{kind} has no items in compiled code")

    def tuple_item(self, owner: Value, at: Any, node: Any) -> Value:
        if isinstance(at, tuple):
            low, high = (
                (x.const if x.known else self.fail(node, "a slice of a tuple takes constants")) if x else None
                for x in at
            )
            if isinstance(owner.const, tuple):
                return self.constant(owner.const[low:high])
            return self.tuple_of(self.items_of(owner)[low:high])
        if at.known and isinstance(owner.const, tuple):
            try:
                return self.constant(owner.const[at.const], node)
            except (IndexError, TypeError) as error:
                self.fail(node, str(error))
        if at.known:
            items = self.items_of(owner)
            if not isinstance(at.const, int) or not -len(items) <= at.const < len(items):
                self.fail(node, f"{owner.type} has no item {at.const}")
            return items[at.const]
        items = self.items_of(owner)
        if any(unsettled(item.type) for item in items):
            return Value(UNKNOWN)
        kinds = {item.type for item in items}
        kind = kinds.pop() if len(kinds) == 1 else max(kinds, key=rank) if kinds <= {*NUMBERS} else NONE
        if kind not in NUMBERS and not isinstance(kind, Tuple):
            self.fail(node, "a tuple of different things takes a constant index in compiled code")
        i = self.index(at, str(len(items)), node, "tuple")
        if isinstance(owner.const, tuple):
            place = self.unit.constant_table(owner.const, kind)
        else:
            place = self.room(slot(kind), len(items))
            for j, item in enumerate(items):
                self.store_item(kind, place, str(j), self.convert(item, kind, node))
        return self.load_item(Value(ListOf(kind), (place, str(len(items)))), i)

    def index(self, at: Value, n: str, node: Any, what: str, check: bool = False) -> str:
        """The place that an index means, a negative one counted from the end."""
        if at.type is BOOL and what == "array":
            self.fail(node, "an index is an int, and not a bool; write int(…)")
        if at.type is BOOL:
            at = self.convert(at, INT, node)
        if at.type is UNKNOWN:
            return "0"
        if at.type is not INT:
            self.fail(node, f"an index is an int, and not {at.type}")
        if at.known:
            i = at.op if at.const >= 0 else self.let(f"add i64 {n}, {at.op}")
        else:
            negative = self.let(f"icmp slt i64 {at.op}, 0")
            from_end = self.let(f"add i64 {at.op}, {n}")
            i = self.let(f"select i1 {negative}, i64 {from_end}, i64 {at.op}")
        if self.bounded or check:
            self.check(self.let(f"icmp uge i64 {i}, {n}"), IndexError, f"{what} index out of range", node)
        return i

    def element_place(self, owner: Value, at: list[Any], node: Any) -> tuple[str, Any]:
        """Where an element of an array lies, or what a row of it is."""
        kind = owner.type
        assert isinstance(kind, ArrayOf)
        if len(at) > kind.ndim or any(isinstance(x, tuple) for x in at):
            self.fail(node, f"{kind} cannot be indexed so in compiled code")
        ir = DTYPES[kind.dtype][0]
        data, shape = owner.ops[0], owner.ops[1:]
        place = "0"
        for i, extent in zip(at, shape, strict=False):
            here = self.index(i, extent, node, "array")
            place = (
                here
                if place == "0"
                else self.let(f"add nsw i64 {self.let(f'mul nsw i64 {place}, {extent}')}, {here}")
            )
        for extent in shape[len(at) :]:
            place = self.let(f"mul nsw i64 {place}, {extent}")
        where = self.let(f"getelementptr inbounds {ir}, ptr {data}, i64 {place}")
        return where, Value(replace(kind, ndim=kind.ndim - len(at)), (where, *shape[len(at) :]))

    def element(self, owner: Value, at: list[Any], node: Any) -> Value:
        where, row = self.element_place(owner, at, node)
        if row.type.ndim:
            return row
        return self.load_element(owner.array.dtype, where)

    def load_element(self, dtype: str, where: str) -> Value:
        ir, _, kind, how = DTYPES[dtype]
        loaded = self.let(f"load {ir}, ptr {where}, !tbaa !12")
        if how == "bool":
            return Value(BOOL, (self.let(f"icmp ne i8 {loaded}, 0"),))
        return Value(kind, (self.let(f"{how} {ir} {loaded} to {kind.irs[0]}") if how else loaded,))

    def store_element(self, dtype: str, where: str, value: Value, node: Any) -> None:
        ir, _, kind, how = DTYPES[dtype]
        if value.type is UNKNOWN:
            return
        if value.type not in NUMBERS or (value.type is FLOAT and kind is not FLOAT):
            self.fail(node, f"an array of {dtype} cannot hold {value.type}")
        if kind is BOOL and value.type is not BOOL:
            value = self.truth(value, node)
        op = self.convert(value, kind, node).op
        if how == "bool":
            op = self.let(f"zext i1 {op} to i8")
        elif how == "fpext":
            op = self.let(f"fptrunc double {op} to float")
        elif how:
            if self.unit.checked:
                back = self.let(f"{how} {ir} {self.let(f'trunc i64 {op} to {ir}')} to i64")
                wrong = self.let(f"icmp ne i64 {back}, {op}")
                self.check(wrong, OverflowError, f"a number is beyond {dtype}", node)
            op = self.let(f"trunc i64 {op} to {ir}")
        self.emit(f"store {ir} {op}, ptr {where}, !tbaa !12")

    def set_item(self, owner: Value, at: list[Any], value: Value, node: Any) -> None:
        kind = owner.type
        if kind is UNKNOWN or any(isinstance(x, Value) and x.type is UNKNOWN for x in at):
            return
        if isinstance(kind, ObjectOf):
            key = at[0] if len(at) == 1 else self.tuple_of(at)
            self.call_method(owner, "__setitem__", [key, value], {}, node)
        elif isinstance(kind, ArrayOf):
            self.check_writable(owner, node)
            if isinstance(at[0], tuple):
                self.fill_array(self.array_slice(owner, at, node), value, node)
                return
            where, row = self.element_place(owner, at, node)
            if row.type.ndim:
                self.fill_array(row, value, node)
            else:
                self.store_element(kind.dtype, where, value, node)
        elif isinstance(kind, ListOf):
            if len(at) != 1 or isinstance(at[0], tuple):
                self.fail(node, "a slice of a list cannot be set in compiled code")
            self.unit.writes_moves = True
            place = self.index(at[0], owner.ops[1], node, "list")
            self.store_item(
                kind.item, owner.ops[0], place, self.convert(value, kind.item, node, "an item of the list")
            )
        else:
            self.fail(node, f"an item of {kind} cannot be set")

    # --- operators --------------------------------------------------------------------------------------

    def on_BinOp(self, node: ast.BinOp) -> Value:
        return self.binary(node.op, self.expression(node.left), self.expression(node.right), node)

    def binary(self, op: ast.operator, left: Value, right: Value, node: Any) -> Value:
        if UNKNOWN in (left.type, right.type):
            return Value(UNKNOWN)
        if left.known and right.known and not isinstance(op, ast.MatMult):
            if too_large(op, left.const, right.const):
                self.fail(node, "a constant of this size does not compile")
            try:
                made = PYTHON[type(op)](left.const, right.const)
                if (
                    isinstance(made, int) and not -(2**63) <= made < 2**63
                ):  # until a smaller one is made of it
                    return Value(Known(made), (), made)
                return self.constant(made, node)
            except (TypeError, ValueError) as error:
                self.fail(node, str(error))
            except (ArithmeticError, MemoryError):
                pass
        if (
            isinstance(op, ast.Add)
            and isinstance(left.type, Tuple | Known)
            and isinstance(right.type, Tuple | Known)
        ):
            return self.tuple_of([*self.items_of(left), *self.items_of(right)])
        if isinstance(op, ast.Mult) and isinstance(left.type, ListOf):
            return self.repeated(left, right, node)
        for value in (left, right):
            if isinstance(value.type, Known) and isinstance(value.const, int):
                self.fail(node, f"{value.const} is too large: an int has 64 bits")
        if left.type not in NUMBERS or right.type not in NUMBERS:
            self.fail(node, f"{left.type} and {right.type} do not go together here in compiled code")
        if type(op) in BITS and left.type is BOOL and right.type is BOOL:
            return Value(BOOL, (self.let(f"{BITS[type(op)]} i1 {left.op}, {right.op}"),))
        fraction = FLOAT in (left.type, right.type) or isinstance(op, ast.Div)
        if fraction:
            given = left.type, right.type
            left, right = self.convert(left, FLOAT, node), self.convert(right, FLOAT, node)
            return self.fractions(op, left, right, node, given)
        return self.whole(op, self.convert(left, INT, node), self.convert(right, INT, node), node)

    def whole(self, op: ast.operator, left: Value, right: Value, node: Any) -> Value:
        kind, a, b = type(op), left.op, right.op
        if kind in WHOLE:
            if self.unit.checked:
                return self.checked_whole(WHOLE[kind], a, b, node)
            return Value(INT, (self.let(f"{WHOLE[kind]} i64 {a}, {b}"),))
        if kind in BITS:
            return Value(INT, (self.let(f"{BITS[kind]} i64 {a}, {b}"),))
        if kind is ast.LShift and right.known and right.const > 63 and not self.unit.checked:
            return self.constant(0)
        if kind is ast.LShift:
            return self.shifted_left(left, right, node)
        if kind is ast.RShift:
            if not (right.known and 0 <= right.const < 64):
                if self.bounded:
                    self.check(self.let(f"icmp slt i64 {b}, 0"), ValueError, "negative shift count", node)
                b = self.let(f"call i64 @llvm.umin.i64(i64 {b}, i64 63)")
            return Value(INT, (self.let(f"ashr i64 {a}, {b}"),))
        if kind in (ast.FloorDiv, ast.Mod):
            return self.divided(kind is ast.Mod, left, right, node)
        if kind is ast.Pow:
            return self.power(left, right, node)
        return self.fail(node, "this operator does not compile")

    def checked_whole(self, name: str, a: str, b: str, node: Any) -> Value:
        pair = self.let(f"call {{ i64, i1 }} @llvm.s{name}.with.overflow.i64(i64 {a}, i64 {b})")
        over = self.let(f"extractvalue {{ i64, i1 }} {pair}, 1")
        self.check(over, OverflowError, "a number is beyond the 64 bits of an int", node)
        return Value(INT, (self.let(f"extractvalue {{ i64, i1 }} {pair}, 0"),))

    def shifted_left(self, left: Value, right: Value, node: Any) -> Value:
        a, b = left.op, right.op
        if not (right.known and 0 <= right.const < 64):
            if self.bounded:
                self.check(self.let(f"icmp slt i64 {b}, 0"), ValueError, "negative shift count", node)
            b = self.let(f"and i64 {b}, 63")
        made = self.let(f"shl i64 {a}, {b}")
        if self.unit.checked:
            back = self.let(f"ashr i64 {made}, {b}")
            lost = self.let(f"icmp ne i64 {back}, {a}")
            if not right.known:
                far = self.let(f"icmp ugt i64 {right.op}, 63")
                some = self.let(f"icmp ne i64 {a}, 0")
                lost = self.let(f"or i1 {lost}, {self.let(f'and i1 {far}, {some}')}")
            self.check(lost, OverflowError, "a number is beyond the 64 bits of an int", node)
        return Value(INT, (made,))

    def divided(self, rest: bool, left: Value, right: Value, node: Any) -> Value:
        """Quotient or rest, rounded down as Python does."""
        a, b = left.op, right.op
        if right.known and right.const > 0:
            if right.const & (right.const - 1) == 0:
                shift = right.const.bit_length() - 1
                return Value(
                    INT, (self.let(f"and i64 {a}, {right.const - 1}" if rest else f"ashr i64 {a}, {shift}"),)
                )
        elif not right.known or right.const == 0:
            text = BY_ZERO[ast.Mod if rest else ast.FloorDiv, int]
            self.check(self.let(f"icmp eq i64 {b}, 0"), ZeroDivisionError, text, node)
        one = self.let(f"icmp eq i64 {b}, -1")  # by which the least number cannot be divided
        safe = self.let(f"select i1 {one}, i64 1, i64 {b}")
        remainder = self.let(f"srem i64 {a}, {safe}")
        uneven = self.let(f"icmp ne i64 {remainder}, 0")
        differ = self.let(f"icmp slt i64 {self.let(f'xor i64 {remainder}, {safe}')}, 0")
        down = self.let(f"and i1 {uneven}, {differ}")
        if rest:
            up = self.let(f"add i64 {remainder}, {safe}")
            return Value(INT, (self.let(f"select i1 {down}, i64 {up}, i64 {remainder}"),))
        quotient = self.let(f"sdiv i64 {a}, {safe}")
        lower = self.let(f"sub i64 {quotient}, {self.let(f'zext i1 {down} to i64')}")
        negated = self.let(f"sub i64 0, {a}")
        if self.unit.checked:
            least = self.let(f"icmp eq i64 {a}, {-(2**63)}")
            over = self.let(f"and i1 {least}, {one}")
            self.check(over, OverflowError, "a number is beyond the 64 bits of an int", node)
        return Value(INT, (self.let(f"select i1 {one}, i64 {negated}, i64 {lower}"),))

    def power(self, left: Value, right: Value, node: Any) -> Value:
        if not right.known or not 0 <= right.const <= 64:
            self.fail(node, "an int to a power compiles where the power is a constant from 0 to 64")
        made, square, n = self.constant(1), left, right.const
        while n:
            if n & 1:
                made = self.binary(ast.Mult(), made, square, node)
            n >>= 1
            if n:
                square = self.binary(ast.Mult(), square, square, node)
        return made

    def fractions(self, op: ast.operator, left: Value, right: Value, node: Any, given: Any) -> Value:
        kind, a, b = type(op), left.op, right.op
        if kind in FRACTIONS:
            return Value(FLOAT, (self.let(f"{FRACTIONS[kind]} double {a}, {b}"),))
        if kind in (ast.Div, ast.FloorDiv, ast.Mod):
            if not right.known or right.const == 0:
                text = BY_ZERO[kind, float if FLOAT in given else int]
                self.check(self.let(f"fcmp oeq double {b}, {ZERO}"), ZeroDivisionError, text, node)
            if kind is ast.Div:
                return Value(FLOAT, (self.let(f"fdiv double {a}, {b}"),))
            name = "mod" if kind is ast.Mod else "floordiv"
            self.unit.need_helper(name)
            return Value(FLOAT, (self.let(f"call double @arena.{name}(double {a}, double {b})"),))
        if kind is ast.Pow:
            return self.float_power(left, right, node)
        return self.fail(node, "bits of floats cannot be had")

    def on_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            value = self.truth(self.expression(node.operand), node)
            if value.known:
                return self.constant(not value.const)
            return Value(BOOL, (self.let(f"xor i1 {value.op}, true"),))
        if (
            isinstance(node.op, ast.USub)
            and isinstance(node.operand, ast.Constant)
            and node.operand.value == 1 << 63
        ):
            return self.constant(-(1 << 63))
        value = self.expression(node.operand)
        if value.type is UNKNOWN:
            return value
        if value.known and (value.type in NUMBERS or isinstance(value.const, int)):
            return self.constant(SIGNED[type(node.op)](value.const), node)
        if value.type not in NUMBERS or (isinstance(node.op, ast.Invert) and value.type is FLOAT):
            self.fail(node, f"{value.type} does not go with this operator in compiled code")
        if value.type is FLOAT:
            return (
                Value(FLOAT, (self.let(f"fneg double {value.op}"),))
                if isinstance(node.op, ast.USub)
                else value
            )
        value = self.convert(value, INT, node)
        if isinstance(node.op, ast.USub):
            return self.whole(ast.Sub(), self.constant(0), value, node)
        if isinstance(node.op, ast.Invert):
            return Value(INT, (self.let(f"xor i64 {value.op}, -1"),))
        return value

    # --- comparisons ------------------------------------------------------------------------------------

    def on_Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) == 1:
            return self.compared(
                node.ops[0], self.expression(node.left), self.expression(node.comparators[0]), node
            )
        return self.by_condition(node)

    def compared(self, op: ast.cmpop, left: Value, right: Value, node: Any) -> Value:
        kind = type(op)
        if kind in (ast.In, ast.NotIn):
            found = self.contains(right, left, node)
            return found if kind is ast.In else self.negated(found)
        if kind in (ast.Is, ast.IsNot):
            if UNKNOWN in (left.type, right.type):
                return Value(UNKNOWN)
            if NONE not in (left.type, right.type) and not (left.known and right.known):
                self.fail(node, "`is` compiles with None only")
            same = left.type is right.type if NONE in (left.type, right.type) else left.const is right.const
            return self.constant(same == (kind is ast.Is))
        if UNKNOWN in (left.type, right.type):
            return Value(UNKNOWN)
        if left.known and right.known:
            try:
                return self.constant(bool(PYTHON[kind](left.const, right.const)))
            except TypeError as error:
                self.fail(node, str(error))
        left, right = self.spelled(left), self.spelled(right)
        if left.type in NUMBERS and right.type in NUMBERS:
            return self.compared_numbers(kind, left, right, node)
        if isinstance(left.type, Tuple) and isinstance(right.type, Tuple):
            return self.compared_tuples(kind, left, right, node)
        if kind in (ast.Eq, ast.NotEq) and NONE in (left.type, right.type):
            return self.constant((left.type == right.type) == (kind is ast.Eq))
        return self.fail(node, f"{left.type} and {right.type} cannot be compared in compiled code")

    def compared_numbers(self, kind: Any, left: Value, right: Value, node: Any) -> Value:
        if FLOAT in (left.type, right.type):
            a, b = self.convert(left, FLOAT, node).op, self.convert(right, FLOAT, node).op
            return Value(BOOL, (self.let(f"fcmp {COMPARED[kind][1]} double {a}, {b}"),))
        if left.type is BOOL and right.type is BOOL and kind in (ast.Eq, ast.NotEq):
            return Value(BOOL, (self.let(f"icmp {COMPARED[kind][0]} i1 {left.op}, {right.op}"),))
        a, b = self.convert(left, INT, node).op, self.convert(right, INT, node).op
        return Value(BOOL, (self.let(f"icmp {COMPARED[kind][0]} i64 {a}, {b}"),))

    def compared_tuples(self, kind: Any, left: Value, right: Value, node: Any) -> Value:
        ones, others = self.items_of(left), self.items_of(right)
        if kind in (ast.Eq, ast.NotEq):
            if len(ones) != len(others):
                return self.constant(kind is ast.NotEq)
            same = self.constant(True)
            for one, other in zip(ones, others, strict=True):
                same = self.both(same, self.compared(ast.Eq(), one, other, node))
            return same if kind is ast.Eq else self.negated(same)
        if len(ones) != len(others):
            self.fail(node, "tuples of different lengths cannot be ordered in compiled code")
        strict = ast.Lt() if kind in (ast.Lt, ast.LtE) else ast.Gt()
        result = self.constant(kind in (ast.LtE, ast.GtE))
        for one, other in reversed(list(zip(ones, others, strict=True))):
            equal = self.both(self.compared(ast.Eq(), one, other, node), result)
            before = self.compared(strict, one, other, node)
            result = Value(BOOL, (self.let(f"or i1 {before.op}, {equal.op}"),))
        return result

    def both(self, one: Value, other: Value) -> Value:
        if one.known:
            return other if one.const else one
        if other.known:
            return one if other.const else other
        return Value(BOOL, (self.let(f"and i1 {one.op}, {other.op}"),))

    def negated(self, value: Value) -> Value:
        if value.known:
            return self.constant(not value.const)
        return Value(BOOL, (self.let(f"xor i1 {value.op}, true"),)) if value.type is BOOL else value

    # --- conditions -------------------------------------------------------------------------------------

    def truth(self, value: Value, node: Any) -> Value:
        """Whether a value is true, as a bool."""
        kind = value.type
        if value.known and kind is not UNKNOWN:
            return self.constant(bool(value.const))
        if kind in (BOOL, UNKNOWN):
            return value
        if kind is INT:
            return Value(BOOL, (self.let(f"icmp ne i64 {value.op}, 0"),))
        if kind is FLOAT:
            return Value(BOOL, (self.let(f"fcmp une double {value.op}, {ZERO}"),))
        if isinstance(kind, ListOf):
            return Value(BOOL, (self.let(f"icmp ne i64 {value.ops[1]}, 0"),))
        if isinstance(kind, Tuple):
            return self.constant(bool(kind.items))
        if isinstance(kind, ObjectOf) and not hasattr(kind.layout.cls, "__len__"):
            return self.constant(True)
        return self.fail(node, f"{kind} is neither true nor false in compiled code")

    def static(self, node: ast.expr) -> bool | None:
        """Whether a condition is true where that is known when compiling, without writing anything."""
        if isinstance(node, ast.BoolOp):
            stops, found = isinstance(node.op, ast.Or), []
            for part in node.values:  # up to one that decides, unless something has to be done before it
                found.append(self.static(part))
                if found[-1] is stops:
                    return stops if all(map(self.is_harmless, node.values[: len(found) - 1])) else None
            return None if None in found else not stops
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.static(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            if not self.is_harmless(node):
                return None
            sides = [node.left, *node.comparators]
            pairs = zip(sides, node.ops, sides[1:], strict=False)
            found = [self.static(ast.copy_location(ast.Compare(a, [op], [b]), node)) for a, op, b in pairs]
            return False if False in found else None if None in found else True
        if not is_simple(node):
            return None
        lines, count, dead, entry = len(self.lines), self.made, self.dead, len(self.entry)
        value = self.expression(node)
        known = bool(value.const) if value.known and len(self.lines) == lines else None
        if isinstance(value.type, ObjectOf) and not hasattr(value.type.layout.cls, "__len__"):
            known = True
        del self.lines[lines:], self.entry[entry:]
        self.made, self.dead = count, dead
        self.slots = {
            key: slots for key, slots in self.slots.items() if all(number(s) <= count for s in slots)
        }
        return known

    def is_harmless(self, node: ast.expr) -> bool:
        """Whether it does nothing and raises nothing, so that it may be left out."""
        risky, parts = ast.Div | ast.FloorDiv | ast.Mod | ast.Pow, list(ast.walk(node))
        read = [self.key_of(part.id) for part in parts if isinstance(part, ast.Name)]
        unset = any(key is not None and key not in self.assigned for key in read)
        return is_simple(node) and not unset and not any(isinstance(part, risky) for part in parts)

    def condition(self, node: ast.expr, yes: str, no: str) -> None:
        """Go to one label or the other."""
        known = self.static(node)
        if known is not None:
            self.goto(yes if known else no)
        elif isinstance(node, ast.BoolOp):
            either, surely = isinstance(node.op, ast.Or), None
            for part in node.values[:-1]:
                further = self.label("and")
                self.condition(part, yes if either else further, further if either else no)
                surely = set(self.assigned) if surely is None else surely
                self.dead = True
                self.start(further)
            self.condition(node.values[-1], yes, no)
            self.assigned = self.assigned if surely is None else surely
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.condition(node.operand, no, yes)
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            self.chain(node, yes, no)
        else:
            if self.goes_on_any(node, yes):
                self.goto(no)
                return
            value = self.truth(self.expression(node), node)
            if value.known:
                self.goto(yes if value.const else no)
            else:
                self.branch(value.op, yes, no)

    def goes_on_any(self, node: ast.expr, yes: str) -> bool:
        """Of a call of the game's `moves`, say: go to a label at the first there is. Whether it is one."""
        found = self.callee(node) if isinstance(node, ast.Call) else None
        if not found or found[1] is None or found[1].type is not GAME or not self.is_lazy(*found):
            return False
        before = set(self.assigned)
        assert isinstance(node, ast.Call)
        self.lay_in(node, lambda _: self.goto(yes))
        self.assigned = before
        return True

    def chain(self, node: ast.Compare, yes: str, no: str) -> None:
        """a < b < c"""
        left, surely = self.expression(node.left), None
        for i, (op, part) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.expression(part)
            surely = set(self.assigned) if surely is None else surely
            value = self.truth(self.compared(op, left, right, node), node)
            further = yes if i == len(node.ops) - 1 else self.label("and")
            if value.known:
                self.goto(further if value.const else no)
            else:
                self.branch(value.op if value.ops else "undef", further, no)
            if further != yes:
                self.dead = True
                self.start(further)
            left = right
        self.assigned = self.assigned if surely is None else surely

    def by_condition(self, node: ast.expr) -> Value:
        """A condition as a bool."""
        yes, no, end = self.label("yes"), self.label("no"), self.label("either")
        place = self.room("i1")
        self.condition(node, yes, no)
        for label, op in ((yes, "true"), (no, "false")):
            self.dead = True
            self.start(label)
            self.emit(f"store i1 {op}, ptr {place}")
            self.goto(end)
        self.start(end)
        return Value(BOOL, (self.let(f"load i1, ptr {place}"),))

    def on_BoolOp(self, node: ast.BoolOp) -> Value:
        stops = isinstance(node.op, ast.Or)
        key = (*self.frame.key, id(node))
        end = self.label("either")
        last = len(node.values) - 1
        surely: set[Any] | None = None  # what is set however many parts are reached
        fresh = True
        for i, part in enumerate(node.values):
            if i < last and self.static(part) is (not stops):
                continue
            value = self.expression(part)
            fresh = self.is_fresh(value, part) and fresh
            truth = self.truth(value, part) if i < last else self.constant(stops)
            if truth.known and truth.const != stops:
                continue
            if truth.known and surely is None:
                return value
            self.put(key, value, part, "this")
            if truth.known:
                break
            if surely is None:
                surely = set(self.assigned)
            further = self.label("next")
            yes, no = (end, further) if stops else (further, end)
            self.branch(truth.op if truth.ops else "undef", yes, no)
            self.dead = True
            self.start(further)
        self.goto(end)
        self.start(end)
        self.assigned = self.assigned if surely is None else surely
        return self.chosen(key, fresh)

    def is_fresh(self, value: Value, node: ast.expr) -> bool:
        """Whether what may be chosen is no list with a name; such a list stays as it is while gone over."""
        if isinstance(value.type, ListOf) and self.changes(node):
            self.fail(node, "a list cannot get a second name; write list(…) for a copy")
        return value.fresh or not isinstance(value.type, ListOf)

    def chosen(self, key: Any, fresh: bool) -> Value:
        """What was put for one expression. fresh: it has no other name."""
        value = self.get(key)
        return Value(value.type, value.ops, value.const, fresh)

    def on_IfExp(self, node: ast.IfExp) -> Value:
        known = self.static(node.test)
        if known is not None:
            return self.expression(node.body if known else node.orelse)
        yes, no, end = self.label("then"), self.label("else"), self.label("fi")
        self.condition(node.test, yes, no)
        key = (*self.frame.key, id(node))
        before, fresh = set(self.assigned), True
        for label, part in ((yes, node.body), (no, node.orelse)):
            self.dead = True
            self.start(label)
            self.assigned = set(before)
            value = self.expression(part)
            fresh = self.is_fresh(value, part) and fresh
            self.put(key, value, part, "this")
            self.goto(end)
        self.assigned = before
        self.start(end)
        return self.chosen(key, fresh)


ZERO = "0x0000000000000000"


def rank(kind: Any) -> int:
    return int(kind.rank)


def number(name: str) -> int:
    return int(name[2:]) if name[2:].isdigit() else 0


def too_large(op: ast.operator, left: Any, right: Any) -> bool:
    """Whether what two constants make is beyond what can be meant: more bits or items than this."""
    most = 1 << 16
    if isinstance(op, ast.Pow):
        return isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > most
    if isinstance(op, ast.LShift):
        return isinstance(right, int) and right > most
    lengths = [len(x) for x in (left, right) if isinstance(x, str | bytes | tuple)]
    counts = [x for x in (left, right) if isinstance(x, int)]
    return isinstance(op, ast.Mult) and any(x * n > most for x in lengths for n in counts)


def said(node: Any, name: str) -> str:
    """An attribute as its author writes it."""
    return ast.unparse(node) if isinstance(node, ast.Attribute) else f"self.{name}"


def unsettable(layout: Any, name: str, kind: Type | None) -> str:
    """Why an attribute that is no number cannot be set."""
    if name not in layout.names:
        return "is set here, and not in prepare; give it a value there"
    if isinstance(kind, ArrayOf):
        return f"is an array; set its items, self.{name}[:] = …, or have prepare make another"
    if kind is not None:
        return f"is {kind}, and another is for prepare to make"
    if name in layout.constants:
        const = layout.constants[name]
        what = "None" if const is None else f"a {type(const).__name__}"
        return f"is {what} after prepare, and compiled code sets numbers only"
    what = layout.odd[name].partition(";")[0]
    if what == "a list":
        return "is a list, which compiled code cannot keep; keep an array"
    return f"is {what}, and compiled code sets numbers only"


REFUSED = {
    "Lambda": "a lambda compiles as the key of min, max and sorted only",
    "Dict": "dictionaries do not compile",
    "DictComp": "dictionaries do not compile",
    "Set": "sets do not compile",
    "SetComp": "sets do not compile",
    "Await": "async does not compile",
    "Starred": "* does not compile",
    "Yield": "yield compiles as a statement only",
    "YieldFrom": "yield from compiles as a statement only",
}
