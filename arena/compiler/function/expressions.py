"""Expressions: names, attributes, items."""

from __future__ import annotations

import ast
from typing import Any

from arena.compiler.errors import meant
from arena.compiler.function.calls import Calls
from arena.compiler.source import NOT_THERE, local_names, look_up
from arena.compiler.types import (
    BOOL,
    FLOAT,
    GAME,
    NONE,
    NUMBERS,
    UNKNOWN,
    ArrayOf,
    Known,
    ListOf,
    ObjectOf,
    Tuple,
    Type,
    Value,
    slot,
    unsettled,
)


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


def rank(kind: Any) -> int:
    return int(kind.rank)


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
