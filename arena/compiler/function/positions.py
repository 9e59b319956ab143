"""Values that become positions of the game: their tuples and texts of any length get their fixed length."""

from __future__ import annotations

from collections.abc import Sequence

from arena.compiler.function.emitter import Emitter
from arena.compiler.function.lists import as_item, load_item
from arena.compiler.types import UNKNOWN, Text, TextOf, Tuple, TupleOf, Type, Value, text_class, unsettled


def holds_text(kind: Type) -> bool:
    """Return whether values of a type are or contain texts of fixed length."""
    return isinstance(kind, Text) or (isinstance(kind, Tuple) and any(map(holds_text, kind.items)))


def as_position(em: Emitter, value: Value, kind: Type, node: object) -> Value:
    """Convert tuples of any length, in a value that becomes a position, to their fixed length."""
    if unsettled(value.type):
        return Value(UNKNOWN)
    value = em.as_text(em.materialize(value))
    if isinstance(kind, Text) and isinstance(value.type, TextOf):
        return text_position(em, value, kind, node)
    if not isinstance(kind, Tuple):
        return value
    n = len(kind.items)
    if isinstance(value.type, TupleOf) and not isinstance(value.type, TextOf):
        other = em.let(f"icmp ne i64 {value.ops[1]}, {n}")
        what = "a position" if kind is em.unit.state else "a tuple in a position"
        em.check(other, ValueError, f"{what} must have {n} items, as initial returns", node)
        items, cls = [load_item(em, value, str(i)) for i in range(n)], kind.cls
    elif isinstance(value.type, Tuple) and len(value.type.items) == n:
        items, cls = em.items_of(value), value.type.cls
    else:
        return value
    pairs = zip(items, kind.items, strict=True)
    return em.tuple_of([as_position(em, item, of, node) for item, of in pairs], cls)


def text_position(em: Emitter, value: Value, kind: Text, node: object) -> Value:
    """Convert a text of any length, in a value that becomes a position, to its fixed length."""
    if text_class(value.type) is not kind.cls:
        return value
    other = em.let(f"icmp ne i64 {value.ops[1]}, {kind.length}")
    what = "a position" if kind is em.unit.state else "a text in a position"
    em.check(other, ValueError, f"{what} must have length {kind.length}, as initial returns", node)
    return Value(kind, tuple(load_item(em, value, str(i)).op for i in range(kind.length)))


def parts_of(em: Emitter, values: Sequence[Value], node: object) -> list[Value]:
    """Return values as the items of a tuple that a node creates.

    Texts of any length get their fixed length if the tuple is returned as a position; otherwise they are
    copied to the region of the call.
    """
    state = em.unit.state
    if node is em.position and isinstance(state, Tuple) and len(state.items) == len(values):
        pairs = zip(values, state.items, strict=True)
        values = [as_position(em, value, of, node) if text_class(of) else value for value, of in pairs]
    return [as_item(em, value, node) if isinstance(value.type, TextOf) else value for value in values]
