"""Subscripts; items of texts and nested tuples, `board[r][c]`, are read from where the variable lies."""

from __future__ import annotations

import ast

from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import checked_index
from arena.compiler.function.items import item_of, subscript
from arena.compiler.function.registry import lowers_node
from arena.compiler.types import INT, Text, Tuple, Type, Value, is_nested


@lowers_node(ast.Subscript)
def lower_subscript(em: Emitter, node: ast.Subscript) -> Value:
    indices: list[ast.expr] = []
    base: ast.expr = node
    while isinstance(base, ast.Subscript):
        indices.insert(0, base.slice)
        base = base.value
    if isinstance(base, ast.Name) and (found := place_of(em, base.id, indices)):
        return item_at(em, *found, indices, node)
    return item_of(em, expression(em, node.value), subscript(em, node.slice), node)


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
