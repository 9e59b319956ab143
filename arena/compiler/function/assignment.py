"""Assignments."""

from __future__ import annotations

import ast
from dataclasses import replace

from arena.compiler.function.arithmetic import binary
from arena.compiler.function.arrays import fill_array
from arena.compiler.function.attributes import attribute_of, set_attribute
from arena.compiler.function.dictionaries import iterate_table, put
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.items import item_of, set_item, subscript
from arena.compiler.function.lists import check_room, copy_of, gather, item_place, load_item
from arena.compiler.function.names import hold, set_name
from arena.compiler.function.registry import lowers_node
from arena.compiler.function.vectors import as_list
from arena.compiler.source import only_read
from arena.compiler.types import (
    ANNOTATED,
    NUMBERS,
    UNKNOWN,
    ArrayOf,
    ListOf,
    SetOf,
    Text,
    TextOf,
    Tuple,
    Value,
    unsettled,
)

USAGE = (
    "move_usage is a dictionary with str keys, which does not compile; set it in an uncompiled choose "
    "that calls the search, and decorate the search with @compiled"
)


def assign(em: Emitter, target: ast.expr, value: Value) -> None:
    if isinstance(target, ast.Name):
        if isinstance(value.type, TextOf) and (value.type.row or not value.fresh):
            value = copy_of(em, value)
        set_name(em, target.id, value, target)
    elif isinstance(target, ast.Attribute):
        set_attribute(em, expression(em, target.value), target.attr, value, target)
    elif isinstance(target, ast.Subscript):
        set_item(em, expression(em, target.value), subscript(em, target.slice), value, target)
    elif isinstance(target, ast.Tuple | ast.List):
        unpack(em, target, value)
    else:
        em.fail(target, "assignment to this target does not compile")


def unpack(em: Emitter, target: ast.Tuple | ast.List, value: Value) -> None:
    value = as_list(em, em.materialize(em.required(value, target)))
    stars = [i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
    if unsettled(value.type) and not isinstance(value.type, Tuple):
        for part in target.elts:
            assign(em, part.value if isinstance(part, ast.Starred) else part, Value(UNKNOWN))
        return
    value = em.as_text(value)
    if not isinstance(value.type, Tuple | Text | ListOf):
        em.fail(target, f"{value.type} cannot be unpacked")
    at, after = (stars[0], len(target.elts) - stars[0] - 1) if stars else (len(target.elts), 0)
    parts = items_of_list if isinstance(value.type, ListOf) else items_of_tuple
    for part, item in zip(target.elts, parts(em, value, at, after, bool(stars), target), strict=True):
        assign(em, part.value if isinstance(part, ast.Starred) else part, item)


def items_of_tuple(
    em: Emitter, value: Value, at: int, after: int, starred: bool, target: ast.Tuple | ast.List
) -> list[Value]:
    """Return items of a tuple: the first `at`, if `starred` a list of the middle ones, the last `after`."""
    items = em.items_of(value)
    if len(items) < at + after or (len(items) > at and not starred):
        em.fail(target, f"{value.type} cannot be unpacked into {at + after}")
    if not starred:
        return items
    end = len(items) - after

    def run(each: Each) -> None:
        for item in items[at:end]:
            each(item)

    return [*items[:at], gather(em, target, run), *items[end:]]


def items_of_list(
    em: Emitter, value: Value, at: int, after: int, starred: bool, target: ast.Tuple | ast.List
) -> list[Value]:
    """Return the items of a list, as `items_of_tuple` does; at run time, their number is checked."""
    n = value.ops[1]
    wrong = em.let(f"icmp {'slt' if starred else 'ne'} i64 {n}, {at + after}")
    em.check(wrong, ValueError, f"the number of values to unpack is not {at + after}", target)
    items = [load_item(em, value, str(i)) for i in range(at)]
    if not starred:
        return items
    middle = em.let(f"sub i64 {n}, {at + after}")
    check_room(em, middle, target)
    place = item_place(em, value.item, value.ops[0], str(at))
    items.append(copy_of(em, Value(ListOf(value.item), (place, middle))))
    for i in range(after):
        items.append(load_item(em, value, em.let(f"sub i64 {n}, {after - i}")))
    return items


def kept(em: Emitter, value: Value) -> Value:
    """Copy a text that a variable refers to, which another assignment of the statement may overwrite."""
    if not isinstance(value.type, TextOf) or value.fresh or value.type.row:
        return value
    return replace(copy_of(em, value), fresh=False)


def unshared(em: Emitter, target: ast.expr, value: Value, node: ast.expr) -> Value:
    """Copy a new list if the name to which it is assigned occurs in the expression that creates it.

    Other values are returned unchanged.
    """
    if not (isinstance(value.type, ListOf) and value.fresh and isinstance(target, ast.Name)):
        return value
    if not any(isinstance(part, ast.Name) and part.id == target.id for part in ast.walk(node)):
        return value
    return copy_of(em, value)


@lowers_node(ast.NamedExpr)
def lower_named_expr(em: Emitter, node: ast.NamedExpr) -> Value:
    value = unshared(em, node.target, expression(em, node.value), node.value)
    if isinstance(value.type, TextOf):
        em.fail(node, f"{value.type} cannot be assigned by := in compiled code; use a statement")
    set_name(em, node.target.id, value, node)
    return expression(em, ast.copy_location(ast.Name(node.target.id, ast.Load()), node))


@lowers_node(ast.Assign)
def lower_assign(em: Emitter, node: ast.Assign) -> None:
    pairs = [target for target in node.targets if isinstance(target, ast.Tuple)]
    if len(node.targets) == 1 and pairs and isinstance(node.value, ast.Tuple):
        targets, values = pairs[0].elts, node.value.elts
        stars = any(isinstance(part, ast.Starred) for part in (*targets, *values))
        if len(targets) == len(values) and not stars:
            given = [kept(em, expression(em, value)) for value in values]
            for target, value in zip(targets, given, strict=True):
                assign(em, target, unshared(em, target, value, node.value))
            return
    if any(isinstance(target, ast.Attribute) and target.attr == "move_usage" for target in node.targets):
        em.fail(node, USAGE)
    value = expression(em, node.value)
    many = len(node.targets) > 1 and not isinstance(value.type, TextOf)
    if isinstance(value.type, ListOf) and not value.type.row and many:
        em.fail(node, "a list cannot be assigned to two names; create a list for each")
    for target in node.targets:
        assign(em, target, second_list(em, target, unshared(em, target, value, node.value), node))


def second_list(em: Emitter, target: ast.expr, value: Value, node: ast.Assign) -> Value:
    """Copy a list that is assigned to a second name, if neither name is used to change the list.

    Other values are returned unchanged.
    """
    source, function = node.value, em.frame.node
    if not (isinstance(target, ast.Name) and isinstance(source, ast.Name) and isinstance(value.type, ListOf)):
        return value
    plain = value.type.item in (*NUMBERS, UNKNOWN) and not value.type.row
    if not (plain and isinstance(function, ast.FunctionDef)):
        return value
    if not only_read(function, frozenset({target.id, source.id})):
        return value
    return replace(value, fresh=True) if value.type.item is UNKNOWN else copy_of(em, value)


@lowers_node(ast.AnnAssign)
def lower_ann_assign(em: Emitter, node: ast.AnnAssign) -> None:
    if node.value is None:
        return
    value, kind = expression(em, node.value), ANNOTATED.get(ast.unparse(node.annotation))
    if kind and value.type in NUMBERS and value.type.rank < kind.rank:
        value = em.convert(value, kind, node)
    assign(em, node.target, unshared(em, node.target, value, node.value))


def change(em: Emitter, array: Value, node: ast.AugAssign) -> None:
    """Write an augmented assignment such as `a += b`, which changes the elements of an array or a set."""
    if isinstance(array.type, SetOf):
        add_keys(em, array, node)
        return
    value = binary(em, node.op, array, expression(em, node.value), node)
    if value.type is UNKNOWN:
        return
    if value.type != array.array.writable:
        em.fail(node, f"{array.type} cannot be changed to {value.type}")
    fill_array(em, array, value, node)


def add_keys(em: Emitter, owner: Value, node: ast.AugAssign) -> None:
    """Write `a |= b`, which adds the keys of a set to another."""
    value = em.materialize(expression(em, node.value))
    if value.type is UNKNOWN:
        return
    if not isinstance(node.op, ast.BitOr) or not isinstance(value.type, SetOf):
        em.fail(node, "to change a set, only |= with another set compiles; write a = a - b")
    iterate_table(em, value, "keys", lambda key: put(em, owner, key, em.constant(None), node), node)


@lowers_node(ast.AugAssign)
def lower_aug_assign(em: Emitter, node: ast.AugAssign) -> None:
    target = node.target
    if isinstance(target, ast.Name):
        before = expression(em, ast.copy_location(ast.Name(target.id, ast.Load()), target))
        if isinstance(before.type, ArrayOf | SetOf):
            change(em, before, node)
            return
        assign(em, target, binary(em, node.op, before, expression(em, node.value), node))
    elif isinstance(target, ast.Attribute):
        owner = expression(em, target.value)
        before = attribute_of(em, owner, target.attr, target)
        if isinstance(before.type, ArrayOf | SetOf):
            change(em, before, node)
            return
        made = binary(em, node.op, before, expression(em, node.value), node)
        set_attribute(em, owner, target.attr, made, target)
    elif isinstance(target, ast.Subscript):
        owner, at = expression(em, target.value), subscript(em, target.slice)
        hold(em, owner, [target.slice, node.value], node)
        before = item_of(em, owner, at, target)
        set_item(em, owner, at, binary(em, node.op, before, expression(em, node.value), node), target)
