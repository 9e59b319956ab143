"""Memory of the region of a call: allocation and release."""

from __future__ import annotations

from arena.compiler.function.emitter import END_REGION, RETURN_ERROR, Emitter
from arena.compiler.instance import Instance
from arena.compiler.types import ArrayOf, ListOf, OptionalOf, Tuple, Type

BEGIN_REGION = [
    "  %next = getelementptr i64, ptr %heap, i64 1",
    "  %region = load ptr, ptr %heap",
    "  %after = load i64, ptr %next",
]


def allocate(em: Emitter, size: str, node: object) -> str:
    """Allocate `size` bytes, an i64, in the region of the call, and return their address.

    The memory is aligned for any type and not initialised. It is freed when the outermost call returns, or
    when the function returns if it `frees`. At run time, MemoryError is raised if no memory is available.
    """
    needs_region(em)
    place = em.let(f"call ptr @arena.alloc(ptr %heap, i64 {size})")
    em.check(em.let(f"icmp eq ptr {place}, null"), MemoryError, "", node)
    return place


def needs_region(em: Emitter) -> None:
    """Note that the function needs the region of the call as a parameter, `%heap`."""
    em.unit.need_helper("heap")
    em.instance.allocates = True


def refers_to_region(kind: Type) -> bool:
    """Return whether a value of a type may be, or refer to, mutable memory of a region."""
    if isinstance(kind, OptionalOf):
        return refers_to_region(kind.of)
    if isinstance(kind, Tuple):
        return any(map(refers_to_region, kind.items))
    if isinstance(kind, ListOf):
        return kind.row or refers_to_region(kind.item)
    return kind.in_region


def frees(instance: Instance) -> bool:
    """Return whether a function frees the memory that it has allocated when it returns.

    It does if neither its arguments nor its result can refer to that memory afterwards.
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
    """Note that the function stores memory of the region in a list or variable of a caller, as it may be."""
    em.instance.links = True


def holds_rows(kind: Type) -> bool:
    """Return whether a value of a type is or contains a list, or a tuple of any length, within another."""
    if isinstance(kind, OptionalOf):
        return holds_rows(kind.of)
    if isinstance(kind, Tuple):
        return any(map(holds_rows, kind.items))
    return isinstance(kind, ListOf) and (kind.row or holds_rows(kind.item))


def holds_arrays(kind: Type) -> bool:
    """Return whether a value of a type is an array, or a tuple that contains one."""
    return any(map(holds_arrays, kind.items)) if isinstance(kind, Tuple) else isinstance(kind, ArrayOf)


def end_region(em: Emitter) -> None:
    """Mark the place, before the function returns, where it frees what it has allocated if it `frees`."""
    em.emit(END_REGION)


def ended(em: Emitter) -> list[str]:
    """Return the function's LLVM assembly, with the lines that depend on what is known at its end.

    If the function `frees`, it saves the state of the region at its entry and restores it before it returns.
    """
    kind, region, found = em.instance.returned(), frees(em.instance), []
    for line in em.lines:
        if line.startswith("  " + END_REGION):
            if region:
                found.append("  call void @arena.release(ptr %heap, ptr %region, i64 %after)")
        elif line.startswith("  " + RETURN_ERROR):
            status, name = line.split()[1:]
            if kind == "i32":
                found.append(f"  ret i32 {status}")
            else:
                found.append(f"  {name} = insertvalue {kind} undef, i32 {status}, 0")
                found.append(f"  ret {kind} {name}")
        else:
            found.append(line)
    begin = BEGIN_REGION if region else []
    return [*em.entry, *begin, "  br label %begin", "begin:", *found]
