"""Methods with `functools.lru_cache`; their results are stored in a dictionary of the component."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from arena.compiler.function.dictionaries import clear, find, is_key, length, put, value_at
from arena.compiler.function.emitter import Emitter
from arena.compiler.types import UNKNOWN, ObjectOf, OptionalOf, Value


def cache_of(em: Emitter, function: FunctionType, owner: Value | None) -> tuple[Value, int | None] | None:
    """Return the cache of a component's method, and its maximum size; None if it has none."""
    if owner is None or not isinstance(owner.type, ObjectOf):
        return None
    for name, wrapper in owner.layout.cached.items():
        if wrapper.__wrapped__ is function:
            kind, at = owner.layout.fields[f"{name}()"]
            place = em.let(f"getelementptr inbounds i64, ptr {owner.op}, i64 {at}")
            cache = Value(kind, (em.let(f"load ptr, ptr {place}, !invariant.load !9"),))
            most: int | None = wrapper.cache_parameters()["maxsize"]
            return cache, most
    return None


def cached_call(
    em: Emitter,
    cache: Value,
    most: int | None,
    args: list[Value],
    call: Callable[[], Value],
    node: Any,
) -> Value:
    """Return a result from the cache, or the result of a call, which is then cached.

    A full cache is cleared.
    """
    args = [em.as_texts(value) for value in args]
    if not all(is_key(value.type) for value in args):
        em.fail(node, "arguments of a method with lru_cache must be ints, texts or tuples of these")
    key, made = em.tuple_of(args), (*em.frame.key, id(node), "cached")
    entry = find(em, cache, key, node)
    if entry is None:
        value = call()
        keep(em, cache, key, value, node)
        return value
    has, none, end = em.label("has"), em.label("none"), em.label("cached")
    em.branch(em.let(f"icmp eq ptr {entry}, null"), none, has)
    em.start(has)
    em.set_variable(made, value_at(em, cache, entry), node, "this")
    em.goto(end)
    em.start(none)
    value = call()
    if most is not None:
        empty_if_full(em, cache, most, node)
    keep(em, cache, key, value, node)
    if value.type is not UNKNOWN:
        em.set_variable(made, value, node, "this")
    em.start(end)
    return em.get_variable(made)


def keep(em: Emitter, cache: Value, key: Value, value: Value, node: Any) -> None:
    if isinstance(value.type, OptionalOf) or value.type.irs or value.type is UNKNOWN:
        put(em, cache, key, value, node)
    else:
        em.fail(node, f"a method with lru_cache cannot return {value.type} in compiled code")


def empty_if_full(em: Emitter, cache: Value, most: int, node: Any) -> None:
    full, fits = em.label("full"), em.label("fits")
    em.branch(em.let(f"icmp sge i64 {length(em, cache).op}, {most}"), full, fits)
    em.start(full)
    clear(em, cache, node)
    em.start(fits)
