"""Subscripts; items of texts and nested tuples, `board[r][c]`, are read from where the variable lies."""

from __future__ import annotations

import ast
from typing import Any

from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.indexing import checked_index, count_loop, slice_bounds
from arena.compiler.function.items import item_of, listed, subscript
from arena.compiler.function.lists import gather, load_item
from arena.compiler.function.registry import lowers_node
from arena.compiler.function.texts import in_frame
from arena.compiler.function.vectors import as_list
from arena.compiler.types import INT, UNKNOWN, ListOf, Text, Tuple, Type, Value, is_nested, text_class


@lowers_node(ast.Subscript)
def lower_subscript(em: Emitter, node: ast.Subscript) -> Value:
    indices: list[ast.expr] = []
    base: ast.expr = node
    while isinstance(base, ast.Subscript):
        indices.insert(0, base.slice)
        base = base.value
    if isinstance(base, ast.Name) and (found := place_of(em, base.id, indices)):
        return item_at(em, *found, indices, node)
    if isinstance(node.slice, ast.Slice) and node.slice.step is not None:
        return stepped(em, expression(em, node.value), node.slice)
    return item_of(em, expression(em, node.value), subscript(em, node.slice), node)


def stepped(em: Emitter, owner: Value, part: ast.Slice) -> Value:
    """Return a slice with a step of a text, a tuple or a list."""
    low, high, step = (
        expression(em, bound) if bound else None for bound in (part.lower, part.upper, part.step)
    )
    bounds = [bound for bound in (low, high, step) if bound]
    owner = as_list(em, em.required(owner, part))
    if any(value.type is UNKNOWN for value in (owner, *bounds)) or owner.type == ListOf(UNKNOWN):
        return Value(UNKNOWN)
    fixed = isinstance(owner.const, str | bytes | tuple) or isinstance(owner.type, Text | Tuple)
    if not (fixed or isinstance(owner.type, ListOf)) or not step or step.type is not INT or not step.const:
        em.fail(part, "a slice with a step compiles only for texts, tuples and lists, with a constant step")
    if fixed and all(bound.known for bound in bounds):
        at = slice(*(bound.const if bound else None for bound in (low, high, step)))
        if owner.known:
            return em.constant(owner.const[at])
        if isinstance(owner.type, Text):
            return Value(Text(len(owner.ops[at]), owner.type.cls), owner.ops[at])
        return em.tuple_of(em.items_of(owner)[at])
    if not step.known or (step.const < 0 and (low or high)):
        em.fail(part, "a slice with a variable bound compiles only with a constant step above 0")
    items = in_frame(em, owner) if text_class(owner.type) else owner
    if not isinstance(items.type, ListOf):
        items = listed(em, items, part)
    start, n = slice_bounds(em, (low, high), items.ops[1], part)
    first, end = em.let_int(f"add i64 {start}, 0"), em.let_int(f"add i64 {start}, {n}")
    if step.const < 0:
        first, end = em.let_int(f"sub i64 {n}, 1"), em.constant(-1)

    def run(each: Each) -> None:
        count_loop(em, first, end, lambda i: each(load_item(em, items, i.op)), step.const)

    made = gather(em, part, run)
    kind: Any = type(items.type)
    return Value(kind(items.item), made.ops, fresh=True)


def place_of(em: Emitter, name: str, indices: list[ast.expr]) -> tuple[str, Type] | None:
    """Return address and type of a nested tuple or text in a variable; None for other variables."""
    key = em.key_of(name)
    kind = em.instance.variables.get(key)
    if kind is None or not is_nested(kind) or key not in em.assigned or key in em.constants:
        return None
    if any(isinstance(part, ast.Slice | ast.Tuple) for part in indices):
        return None
    parts = (part for index in indices for part in ast.walk(index))
    if any(isinstance(part, ast.Call | ast.NamedExpr) for part in parts):  # which may set the variable
        return None
    em.slots_of(key, kind)
    place = em.places.get((key, kind))
    return (place, kind) if place else None


def item_at(em: Emitter, place: str, kind: Type, indices: list[ast.expr], node: ast.expr) -> Value:
    """Return an item of the nested tuple at an address, by an index for each level.

    Where all items have one type, the address of an item follows from a variable index, too.
    """
    for level, part in enumerate(indices):
        at = expression(em, part)
        n = len(kind.items) if isinstance(kind, Tuple | Text) else 0
        fits = at.type is INT and (-n <= at.const < n if at.known else True)
        if not isinstance(kind, Tuple | Text) or not fits or not (at.known or len({*kind.items}) == 1):
            value = item_of(em, loaded(em, place, kind), [at], node)
            for other in indices[level + 1 :]:
                value = item_of(em, value, [expression(em, other)], node)
            return value
        i = at.const % n if at.known else 0
        offset = str(sum(len(item.irs) for item in kind.items[:i]))
        if not at.known:
            row = checked_index(em, at, str(n), node, "string" if isinstance(kind, Text) else "tuple")
            offset = em.let(f"mul nuw nsw i64 {row}, {len(kind.items[0].irs)}")
        kind = kind.items[i]
        place = em.let(f"getelementptr inbounds i64, ptr {place}, i64 {offset}")
    return loaded(em, place, kind)


def loaded(em: Emitter, place: str, kind: Type) -> Value:
    """Return the int, or the tuple of ints, at an address."""
    places = [em.let(f"getelementptr inbounds i64, ptr {place}, i64 {j}") for j in range(len(kind.irs))]
    return Value(kind, tuple(em.load("i64", one) for one in places))
