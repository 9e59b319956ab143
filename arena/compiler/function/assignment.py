"""Assignments."""

from __future__ import annotations

import ast

from arena.compiler.function.attributes import set_attribute
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.items import set_item, subscript
from arena.compiler.function.lists import copy_of
from arena.compiler.function.names import set_name
from arena.compiler.function.registry import lowers_node
from arena.compiler.types import UNKNOWN, ListOf, Tuple, Value


def assign(em: Emitter, target: ast.expr, value: Value) -> None:
    if isinstance(target, ast.Name):
        set_name(em, target.id, value, target)
    elif isinstance(target, ast.Attribute):
        set_attribute(em, expression(em, target.value), target.attr, value, target)
    elif isinstance(target, ast.Subscript):
        set_item(em, expression(em, target.value), subscript(em, target.slice), value, target)
    elif isinstance(target, ast.Tuple | ast.List):
        unpack(em, target, value)
    else:
        em.fail(target, "this cannot be assigned to in compiled code")


def unpack(em: Emitter, target: ast.Tuple | ast.List, value: Value) -> None:
    value = em.materialize(value)
    if value.type is UNKNOWN:
        for part in target.elts:
            assign(em, part, value)
        return
    if not isinstance(value.type, Tuple):
        em.fail(target, f"{value.type} cannot be unpacked")
    items = em.items_of(value)
    if len(items) != len(target.elts):
        em.fail(target, f"{value.type} cannot be unpacked into {len(target.elts)}")
    for part, item in zip(target.elts, items, strict=True):
        assign(em, part, item)


def unshared(em: Emitter, target: ast.expr, value: Value, node: ast.expr) -> Value:
    """A list that was made of the one that its name had before, out of the way of the next one."""
    if not (isinstance(value.type, ListOf) and value.fresh and isinstance(target, ast.Name)):
        return value
    if not any(isinstance(part, ast.Name) and part.id == target.id for part in ast.walk(node)):
        return value
    return copy_of(em, value)


@lowers_node(ast.NamedExpr)
def lower_named_expr(em: Emitter, node: ast.NamedExpr) -> Value:
    value = unshared(em, node.target, expression(em, node.value), node.value)
    set_name(em, node.target.id, value, node)
    return expression(em, ast.copy_location(ast.Name(node.target.id, ast.Load()), node))
