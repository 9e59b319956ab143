"""Attributes of components, of the game, and of objects known at compile time."""

from __future__ import annotations

import ast
from typing import Any

from arena.compiler.errors import meant
from arena.compiler.function.arrays import array_attribute
from arena.compiler.function.calls import call_function
from arena.compiler.function.dictionaries import clear, content_of, iterate_table, put
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import ATTRIBUTE, CONSTANT, Emitter
from arena.compiler.function.names import check_names, constant_from
from arena.compiler.function.records import method_of, record_field, set_record_field
from arena.compiler.function.registry import lowers_node
from arena.compiler.function.vectors import set_items
from arena.compiler.named import fields_of
from arena.compiler.source import NOT_THERE
from arena.compiler.types import (
    FLOAT,
    GAME,
    NONE,
    NUMBERS,
    UNKNOWN,
    ArrayOf,
    ContainerOf,
    Known,
    ListOf,
    ObjectOf,
    RecordOf,
    SetOf,
    Text,
    Tuple,
    Type,
    Value,
    VectorOf,
    text_class,
    value_of,
)


@lowers_node(ast.Attribute)
def lower_attribute(em: Emitter, node: ast.Attribute) -> Value:
    return attribute_of(em, expression(em, node.value), node.attr, node)


def attribute_of(em: Emitter, owner: Value, name: str, node: object) -> Value:
    """Return an attribute of a value."""
    owner = em.required(owner, node)
    kind = owner.type
    if isinstance(kind, ObjectOf):
        return field_of(em, owner, name, node)
    if isinstance(kind, RecordOf):
        return attribute_of_record(em, owner, name, node)
    if kind is GAME:
        return game_attribute(em, name, node)
    if isinstance(kind, Tuple) and kind.cls is not None:
        return attribute_of_named(em, owner, kind.cls, name, node)
    if isinstance(kind, Known):
        if isinstance(owner.const, tuple) and name not in getattr(owner.const, "_fields", ()):
            em.fail(node, f"a tuple has no {name}")
        thing = getattr(owner.const, name, NOT_THERE)
        if thing is NOT_THERE:
            em.fail(node, f"{getattr(owner.const, '__name__', owner.const)!r} has no {name}")
        em.unit.facts.member(owner.const, name, thing)
        return constant_from(em, thing, node, name)
    if isinstance(kind, ArrayOf):
        return array_attribute(em, owner, name, node)
    if kind is UNKNOWN or (
        kind is NONE and isinstance(node, ast.Attribute)
    ):  # the type may become known as that of an object later
        return Value(UNKNOWN)
    return em.fail(node, f"{kind} has no {name} in compiled code")


def attribute_of_named(em: Emitter, owner: Value, cls: Any, name: str, node: object) -> Value:
    """Return an attribute of an object of a named tuple or frozen dataclass, or of the class."""
    if name in fields_of(cls):
        return em.items_of(owner)[fields_of(cls).index(name)]
    found = getattr(cls, name, NOT_THERE)
    if found is NOT_THERE or (callable(found) and not isinstance(found, type)):
        em.fail(node, f"{cls.__name__} has no {name} in compiled code" + meant(name, fields_of(cls)))
    em.unit.facts.named_tuple(cls)
    if isinstance(found, property):
        return call_function(em, found.fget, [owner], {}, node)
    em.unit.facts.member(cls, name, found)
    return constant_from(em, found, node, name)


def attribute_of_record(em: Emitter, owner: Value, name: str, node: object) -> Value:
    """Return an attribute of an object of a user-defined class, or of the class."""
    value = record_field(em, owner, name, node)
    if value is not None:
        return value
    assert isinstance(owner.type, RecordOf)
    found = method_of(em, owner.type.cls, name)
    if isinstance(found, property):
        return call_function(em, found.fget, [owner], {}, node)
    if callable(found):
        em.fail(node, f"{name} is a method, which can only be called")
    return constant_from(em, found, node, name)


def field_of(em: Emitter, owner: Value, name: str, node: object) -> Value:
    """Return an attribute of a component."""
    layout = owner.layout
    if name in layout.constants:
        return constant_from(em, layout.constants[name], node, name)
    if cause := layout.causes.get(name):
        raise cause
    if name in layout.odd:
        em.fail(node, f"{said(node, name)} is {layout.odd[name]}")
    if name not in layout.fields:
        found = getattr(layout.cls, name, NOT_THERE)
        if isinstance(found, property):
            em.unit.facts.member(layout.cls, name, found)
            return call_function(em, found.fget, [owner], {}, node)
        if found is NOT_THERE:
            near = meant(name, [*layout.names, *dir(layout.cls)])
            em.fail(node, f"{layout.cls.__name__} has no {name}" + (near or " once prepare is done"))
        if callable(found) and not isinstance(found, type):
            em.fail(node, f"{name} is a method, which can only be called")
        em.unit.facts.member(layout.cls, name, found)
        return constant_from(em, found, node, name)
    kind, at = layout.fields[name]
    if kind is GAME:
        return Value(GAME)
    if isinstance(kind, ArrayOf):
        parts = [word(em, owner, at, "ptr")]
        parts += [word(em, owner, at + 1 + i, "i64") for i in range(kind.ndim)]
        return Value(kind, tuple(parts))
    if isinstance(kind, ContainerOf):
        kind.content.last().used = True
        em.unit.need_helper("tables")
    if isinstance(kind, ObjectOf | ContainerOf):
        return Value(kind, (word(em, owner, at, "ptr"),))
    em.unit.uses_numpy |= name in layout.numpy_floats
    return value_of(kind, tuple(operand(em, owner, at + i, ir, name) for i, ir in enumerate(kind.irs)))


def operand(em: Emitter, owner: Value, at: int, ir: str, name: str) -> str:
    """Load an operand of an attribute from a component's block."""
    if ir == "i1":
        return em.let(f"icmp ne i64 {word(em, owner, at, 'i64', name)}, 0")
    return word(em, owner, at, ir, name)


def word(em: Emitter, owner: Value, at: int, ir: str, name: str = "") -> str:
    """Load a word of a component's block; `name` is that of an attribute that compiled code may set."""
    place = em.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 {at}")
    access = f"{ATTRIBUTE}{owner.layout.name}.{name}" if name else CONSTANT
    return em.let(f"load {ir}, ptr {place}, {access}")


def set_attribute(em: Emitter, owner: Value, name: str, value: Value, node: Any) -> None:
    """Set an attribute of a component."""
    if isinstance(owner.type, RecordOf):
        set_record_field(em, owner, name, value, node)
        return
    if owner.type is UNKNOWN:
        return
    if not isinstance(owner.type, ObjectOf):
        constant = "; it is a constant" if owner.type is GAME else ""
        em.fail(node, f"an attribute of {owner.type} cannot be set{constant}")
    layout = owner.type.layout
    kind, at = layout.fields.get(name, (None, 0))
    if isinstance(kind, ContainerOf):
        replace_content(em, field_of(em, owner, name, node), value, node)
        return
    if kind is None or not (kind in NUMBERS or isinstance(kind, Tuple | Text)):
        em.fail(node, f"{said(node, name)} {unsettable(layout, name, kind)}")
    value = em.required(value, node)
    if kind in NUMBERS and value.type is not UNKNOWN and not fits(value.type, kind):
        text = f"{said(node, name)} is {kind} after prepare and cannot become {value.type}"
        em.fail(node, text + "; start it at 0.0" * (value.type is FLOAT))
    em.unit.stored.add((layout.name, name))
    value = em.convert(value, kind, node, said(node, name))
    for i, (ir, op) in enumerate(zip(kind.irs, value.ops, strict=True)):
        if ir == "i1":
            ir, op = "i64", em.let(f"zext i1 {op} to i64")
        place = em.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 {at + i}")
        em.emit(f"store {ir} {op}, ptr {place}, !tbaa !11")


def fits(kind: Type, number: Type) -> bool:
    """Return whether a value of a type can be converted to a type of numbers without loss."""
    return kind in NUMBERS and number in NUMBERS and kind.rank <= number.rank


def replace_content(em: Emitter, owned: Value, value: Value, node: Any) -> None:
    """Replace the content of a component's list, dictionary or set by that of a newly created one."""
    if isinstance(owned.type, VectorOf) and isinstance(value.type, ListOf) and not text_class(value.type):
        if not value.fresh:
            em.fail(node, f"a list cannot have a second name; write {said(node, '')} = list(…) for a copy")
        set_items(em, owned, value, node)
        return
    if type(owned.type) is not type(value.type) or not value.fresh:
        em.fail(node, f"{said(node, '')} is {owned.type}; only a new one can be assigned to it, such as {{}}")
    em.unit.replaced.add(content_of(owned))
    check_names(em, owned, node)
    clear(em, owned, node)
    content = content_of(value)
    if UNKNOWN in (content.key, content.value):
        return

    def each(item: Value) -> None:
        key, one = (item, em.constant(None)) if isinstance(owned.type, SetOf) else em.items_of(item)
        put(em, owned, key, one, node)

    iterate_table(em, value, "keys" if isinstance(owned.type, SetOf) else "items", each, node)


def game_attribute(em: Emitter, name: str, node: Any) -> Value:
    """Return an attribute of the game, which is a constant."""
    game = em.unit.game
    thing = getattr(game, name, NOT_THERE)
    if thing is NOT_THERE:
        em.fail(node, f"{type(game).__name__} has no {name}" + meant(name, dir(game)))
    if callable(thing) and not isinstance(thing, type):
        em.fail(node, f"{name} is a method, which can only be called")
    em.unit.facts.member(game, name, thing)
    return constant_from(em, thing, node, name)


SETTABLE = "compiled code can set only numbers, texts and tuples"


def said(node: Any, name: str) -> str:
    """Return the source of an attribute, such as `self.total`."""
    return ast.unparse(node) if isinstance(node, ast.Attribute) else f"self.{name}"


def unsettable(layout: Any, name: str, kind: Type | None) -> str:
    """Return the reason why an attribute that is no number, text or tuple cannot be set."""
    if name not in layout.names:
        return "is set here but not in prepare; set it there, too"
    if isinstance(kind, ArrayOf):
        return f"is an array; set its items by self.{name}[:] = …, or create another array in prepare"
    if kind is not None:
        return f"is {kind}, which can be replaced only in prepare"
    if name in layout.constants:
        const = layout.constants[name]
        what = "None" if const is None else f"a {type(const).__name__}"
        return f"is {what} after prepare, and {SETTABLE}"
    what, _, remedy = layout.odd[name].partition(";")
    if what.startswith("None"):
        return f"is {what};{remedy}"
    if what.startswith("a list"):
        return "is a list; only a new list can be assigned to it, such as list(…)"
    return f"is {what}, and {SETTABLE}"
