"""Records: objects of user-defined classes, such as nodes of a tree, that exist only during a call."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from arena.api.component import Component
from arena.compiler.errors import meant
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.vectors import vector_of
from arena.compiler.function.words import load_words, store_words, zeroed
from arena.compiler.generated import is_generated
from arena.compiler.source import NOT_THERE, definition, walk
from arena.compiler.types import (
    GAME,
    RNG,
    UNKNOWN,
    ArrayOf,
    Content,
    ListOf,
    NoJoin,
    RecordOf,
    TextOf,
    Type,
    Value,
    clash,
    join_parts,
    unsettled,
)

HOOKS = ("__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__new__")


def is_record_class(cls: object) -> bool:
    """Return whether a class is user-defined and compiled code can create objects of it."""
    if type(cls) is not type or issubclass(cls, Component | BaseException):
        return False
    bases = cls.__mro__[:-1]
    made = all(isinstance(vars(base).get("__init__"), FunctionType) for base in bases)
    return made and not any(name in vars(base) for base in bases for name in HOOKS)


@functools.cache
def names_of(cls: type) -> frozenset[str]:
    """Return the names of the attributes that the `__init__` of a class sets unconditionally."""
    found: set[str] = set()
    for tree in map(definition, initializers(cls)):
        own = tree.args.args[0].arg
        for statement in tree.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                found |= {
                    part.attr
                    for part in walk(statement)
                    if isinstance(part, ast.Attribute)
                    and isinstance(part.ctx, ast.Store)
                    and isinstance(part.value, ast.Name)
                    and part.value.id == own
                }
    return frozenset(found)


def initializers(cls: type) -> Iterator[FunctionType]:
    """Yield the functions that set the attributes of a new object."""
    for base in cls.__mro__[:-1]:
        yield vars(base)["__init__"]
        after = getattr(base, "__post_init__", None)
        if isinstance(after, FunctionType) and is_generated(vars(base)["__init__"]):
            yield after


@functools.cache
def kept_parameters(cls: type) -> dict[str, str]:
    """Return the parameters that `__init__` assigns unchanged to attributes, with the attributes' names."""
    tree = definition(vars(cls)["__init__"])
    own, *others = (arg.arg for arg in tree.args.args)
    found = {}
    for part in walk(tree):
        pairs = assigned_pairs(part) if isinstance(part, ast.Assign | ast.AnnAssign) else []
        for target, given in pairs:
            value = given.orelse if isinstance(given, ast.IfExp) else given
            is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
            if is_own and target.value.id == own and isinstance(value, ast.Name) and value.id in others:
                found[value.id] = target.attr
    return found


def assigned_pairs(node: Any) -> list[tuple[Any, Any]]:
    """Return the pairs of target and value of an assignment."""
    (target, *more) = node.targets if isinstance(node, ast.Assign) else [node.target]
    if not more and isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
        return list(zip(target.elts, node.value.elts, strict=False))
    return [(one, node.value) for one in (target, *more)]


def new_record(em: Emitter, cls: type, node: object) -> Value:
    """Return a newly allocated object of a class, whose attributes are not set."""
    em.unit.facts.record(cls)
    words = sum(len(kind.irs) for kind in em.unit.records.setdefault(cls, {}).values())
    return Value(RecordOf(cls), (zeroed(em, max(1, words), node),))


def field_place(em: Emitter, cls: type, name: str) -> tuple[int, Type]:
    """Return the index of the first word of an attribute, and the attribute's type."""
    at = 0
    for other, kind in em.unit.records[cls].items():
        if other == name:
            return at, kind
        at += len(kind.irs)
    return at, UNKNOWN


def record_field(em: Emitter, owner: Value, name: str, node: object) -> Value | None:
    """Return an attribute of an object; None if it is an attribute of its class."""
    assert isinstance(owner.type, RecordOf)
    cls = owner.type.cls
    if name not in names_of(cls):
        if getattr(cls, name, NOT_THERE) is NOT_THERE:
            near = meant(name, [*names_of(cls), *dir(cls)])
            em.fail(node, f"{cls.__name__} has no {name} that __init__ sets unconditionally" + near)
        return None
    not_none(em, owner, name, node)
    at, kind = field_place(em, cls, name)
    return load_words(em, owner.op, at, kind)


def not_none(em: Emitter, owner: Value, name: str, node: object) -> None:
    text = f"'NoneType' object has no attribute {name!r}"
    em.check(em.let(f"icmp eq ptr {owner.op}, null"), AttributeError, text, node)


def set_record_field(em: Emitter, owner: Value, name: str, value: Value, node: object) -> None:
    """Set an attribute of an object."""
    assert isinstance(owner.type, RecordOf)
    cls, value = owner.type.cls, em.as_texts(value)
    if isinstance(value.type, TextOf):
        em.fail(node, f"{name} cannot be {value.type} in compiled code")
    if name not in names_of(cls):
        em.fail(node, f"{name} is set here, but not unconditionally in __init__; set it there, too")
    if isinstance(value.type, ListOf):
        value = kept_list(em, cls, name, value, node)
    if isinstance(value.type, ArrayOf) or value.type is RNG:
        em.fail(node, f"{name} cannot be {value.type} in compiled code")
    if unsettled(value.type):
        return
    fields = em.unit.records.setdefault(cls, {})
    before = fields.get(name, UNKNOWN)
    try:
        kind = join_parts(before, value.type)
    except NoJoin:
        em.fail(node, clash(name, before, value.type))
    if kind != before or name not in fields:
        fields[name] = kind
        Content.changes += 1
    not_none(em, owner, name, node)
    if kind is not GAME:
        store_words(em, owner.op, field_place(em, cls, name)[0], em.convert(value, kind, node, name))


def kept_list(em: Emitter, cls: type, name: str, value: Value, node: object) -> Value:
    """Convert a new list to one on the heap, which an attribute of an object can refer to."""
    if not value.fresh:
        em.fail(node, f"a list cannot have a second name; write {name} = list(…) for a copy")
    content = em.unit.list_contents.setdefault((cls, name), Content(name))
    return vector_of(em, value, content, node)


def method_of(em: Emitter, cls: Any, name: str) -> Any:
    """Return the method of a class with this name; None if there is none."""
    for base in cls.__mro__:
        if name in vars(base):
            em.unit.facts.member(cls, name, vars(base)[name])
            return vars(base)[name]
    return None
