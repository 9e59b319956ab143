"""Memory of the call's region: allocation and release."""

from __future__ import annotations

from arena.compiler.function.emitter import Emitter
from arena.compiler.instance import Instance
from arena.compiler.types import ArrayOf, ListOf, Tuple, Type


def allocate(em: Emitter, size: str, node: object) -> str:
    """Allocate a number of bytes, an i64, in the region of the call, and return their address.

    They are aligned for any type, are not initialised, and are freed when the outermost call returns, or
    before if the function `frees`. Without memory it raises MemoryError.
    """
    needs_region(em)
    place = em.let(f"call ptr @arena.alloc(ptr %heap, i64 {size})")
    em.check(em.let(f"icmp eq ptr {place}, null"), MemoryError, "", node)
    return place


def needs_region(em: Emitter) -> None:
    """Let the function take the region of the call as the parameter `%heap`."""
    em.unit.need_helper("heap")
    if not em.instance.allocates:
        em.instance.allocates = em.unit.changed = True


def refers_to_region(kind: Type) -> bool:
    """Return whether a value of a type may be, or lead to, memory of a region that can be changed."""
    if isinstance(kind, Tuple):
        return any(map(refers_to_region, kind.items))
    if isinstance(kind, ListOf):
        return kind.row or refers_to_region(kind.item)
    return kind.in_region


def frees(instance: Instance) -> bool:
    """Return whether a function frees what it has allocated when it returns.

    It does if neither an argument nor the result can refer to the memory afterwards.
    """
    if not instance.allocates:
        return False
    captured = [capture.kind for capture in instance.captures]
    given = [*instance.types, *captured]
    if any(map(holds_rows, given)) and instance.links:
        return False
    kinds = [kind for kind in given if not holds_rows(kind)]
    return not any(map(refers_to_region, (*kinds, instance.result))) and not any(
        map(holds_arrays, (*captured, instance.result))
    )


def needs_links(em: Emitter) -> None:
    """Note that the function puts memory of the region into a list, which it may have been given."""
    if not em.instance.links:
        em.instance.links = em.unit.changed = True


def holds_rows(kind: Type) -> bool:
    """Return whether a value of a type is a list of lists, or one of these."""
    return isinstance(kind, ListOf) and (kind.row or holds_rows(kind.item))


def holds_arrays(kind: Type) -> bool:
    """Return whether a value of a type is an array, or a tuple with one in it."""
    return any(map(holds_arrays, kind.items)) if isinstance(kind, Tuple) else isinstance(kind, ArrayOf)


def begin_region(em: Emitter) -> None:
    """At the beginning of a function that `frees`, note which memory of the region is in use."""
    if frees(em.instance):
        next_place = em.let("getelementptr i64, ptr %heap, i64 1")
        em.region = em.let("load ptr, ptr %heap"), em.let(f"load i64, ptr {next_place}")


def end_region(em: Emitter) -> None:
    """Before a function returns, free what it has allocated, if it `frees`."""
    if em.region:
        piece, after = em.region
        em.emit(f"call void @arena.release(ptr %heap, ptr {piece}, i64 {after})")
