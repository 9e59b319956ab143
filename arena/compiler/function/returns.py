"""Ways out of the function."""

from __future__ import annotations

from typing import Any

from arena.compiler.function.emitter import Emitter
from arena.compiler.function.generators import clamped_length
from arena.compiler.function.lists import copy_items
from arena.compiler.types import INT, NONE, NUMBERS, UNKNOWN, ListOf, NoJoin, Value, join


def return_at_end(em: Emitter, node: Any) -> None:
    if em.instance.generator:
        n = em.let(f"load i64, ptr {em.filled}")
        return_value(em, Value(INT, (clamped_length(em, n),)))
    elif em.instance.result in (NONE, UNKNOWN):
        return_from(em, em.constant(None), node)
    else:
        em.fail(node, f"{em.instance.function.__name__} gives {em.instance.result}, and nothing at its end")


def return_value(em: Emitter, value: Value) -> None:
    kind = em.instance.returned()
    ops = list(zip(value.type.irs, value.ops, strict=True))
    if kind == "void":
        em.emit("ret void")
    elif kind == "i32":
        em.emit("ret i32 0")
    elif not kind.startswith("{"):
        em.emit(f"ret {kind} {value.op}")
    else:
        made = "undef"
        if em.instance.may_raise:
            ops.insert(0, ("i32", "0"))
        for i, (ir, op) in enumerate(ops):
            made = em.let(f"insertvalue {kind} {made}, {ir} {op}, {i}")
        em.emit(f"ret {kind} {made}")
    em.dead = True


def return_from(em: Emitter, value: Value, node: Any) -> None:
    """`return` in the function itself."""
    instance, em.returned = em.instance, True
    if isinstance(value.const, tuple):
        value = em.materialize(value)
    if instance.annotated and value.type in NUMBERS:
        value = em.convert(value, join(value.type, instance.annotated), node)
    try:
        kind = join(instance.result, value.type)
    except NoJoin:
        em.fail(
            node, f"{instance.function.__name__} gives {value.type} here, and {instance.result} elsewhere"
        )
    if kind != instance.result:
        instance.result = kind
        em.unit.changed = True
    value = em.convert(value, kind, node)
    if isinstance(kind, ListOf):
        if not value.fresh:
            em.fail(node, "a list that was passed in cannot be returned; return list(…), a copy")
        copy_items(em, value, em.out)
        value = Value(INT, (value.ops[1],))
    if kind is not UNKNOWN:
        return_value(em, value)
    else:
        em.emit("unreachable")
        em.dead = True
