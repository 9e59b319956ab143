"""Memory of the call's region: what is allocated there, and when it is free again."""

from __future__ import annotations

from arena.compiler.function.emitter import Emitter
from arena.compiler.instance import Instance
from arena.compiler.types import ArrayOf, ListOf, Tuple, Type


def allocate(em: Emitter, size: str, node: object) -> str:
    """Allocate so many bytes, an i64, in the region of the call, and return their address.

    They are aligned for any type, contain anything, and are free when the call from outside returns, or
    before if the function `frees`. Without memory it raises MemoryError.
    """
    needs_region(em)
    place = em.let(f"call ptr @arena.alloc(ptr %heap, i64 {size})")
    em.check(em.let(f"icmp eq ptr {place}, null"), MemoryError, "", node)
    return place


def needs_region(em: Emitter) -> None:
    """Have the function take the region of the call, as `%heap`."""
    em.unit.need_helper("heap")
    if not em.instance.allocates:
        em.instance.allocates = em.unit.changed = True


def refers_to_region(kind: Type) -> bool:
    """Return whether a value of a type may be, or lead to, memory of a region that can be changed."""
    if isinstance(kind, Tuple):
        return any(map(refers_to_region, kind.items))
    return refers_to_region(kind.item) if isinstance(kind, ListOf) else kind.in_region


def frees(instance: Instance) -> bool:
    """Return whether a function frees what it has allocated when it returns.

    It does if no argument could refer to it afterwards, nor the result.
    """
    if not instance.allocates:
        return False
    kinds = (*instance.types, *(capture.kind for capture in instance.captures), instance.result)
    return not any(map(refers_to_region, kinds)) and not isinstance(instance.result, ArrayOf)


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
