"""Writes a function for certain argument types as LLVM assembly."""

from __future__ import annotations

from functools import partial

from arena.compiler.function import (  # noqa: F401 # each registers lowerings
    arena_functions,
    array_creation,
    array_reductions,
    array_sorting,
    cases,
    chance,
    combinations,
    counters,
    deques,
    elementwise,
    exceptions,
    folds,
    list_lengths,
    mathematics,
    nested,
    numerals,
    reductions,
    sets,
    statements,
    text_methods,
)
from arena.compiler.function.closures import give_types, share_variables
from arena.compiler.function.dispatch import block
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.generators import yield_item
from arena.compiler.function.memory import ended
from arena.compiler.function.statements import return_at_end
from arena.compiler.instance import Instance
from arena.compiler.source import times_set
from arena.compiler.types import NONE, ArrayOf, Known, ListOf, ObjectOf, RecordOf, Type, value_of
from arena.compiler.unit import Unit

MOST_BYTES = 1 << 20  # maximum size of a frame, usually an eighth of a thread's stack


def write(unit: Unit, instance: Instance) -> str:
    """Return an instance of a function as a definition in LLVM assembly.

    This is repeated until the types of variables and results no longer change.
    """
    em, instance.untold = Emitter(unit, instance), None
    for key in instance.flagged:
        em.flag(key)
    parameters, at = [], 0
    args = instance.node.args
    if args.vararg or args.kwarg or args.kwonlyargs:
        em.fail(instance.node, "only ordinary parameters compile")
    for arg, kind in zip(instance.node.args.args, instance.types, strict=True):
        ops = tuple(f"%a{at + i}" for i in range(len(kind.irs)))
        parameters += [f"{ir} {attribute(kind, ir)}{op}" for ir, op in zip(kind.irs, ops, strict=True)]
        at += len(ops)
        value = value_of(kind, ops, fresh=True)
        em.set_variable((arg.arg,), value, arg, arg.arg)
        if arg is instance.node.args.args[0] and instance.owner:
            em.frame.owner = value
        if (isinstance(kind, ObjectOf | Known) or not kind.irs) and times_set(instance.node)[arg.arg] == 1:
            em.constants[(arg.arg,)] = value
    parameters += share_variables(em)
    if instance.fills:
        parameters += ["ptr noalias nocapture %out", "i64 %cap"]
        em.filled = em.room("i64")
        em.store("i64", "0", em.filled)
    if instance.limited:
        parameters.append("i64 %left")
    if instance.recursive:  # raise RecursionError if no recursive call is left
        none = em.let("icmp slt i64 %left, 0")
        em.check(none, RecursionError, "maximum recursion depth exceeded", instance.node)
        em.left = em.let("sub nsw i64 %left, 1")
    if instance.generator:
        em.frame.each = partial(yield_item, em)
    block(em, instance.node.body)
    if not em.dead:
        return_at_end(em, instance.node)
    give_types(em)
    instance.bytes = em.bytes
    if em.bytes > MOST_BYTES:
        em.fail(instance.node, f"lists of {em.unit.cap} items, the game's max_moves, take too much memory")
    if not em.returned and not instance.generator:
        instance.result = NONE  # it always raises
    if instance.allocates:
        parameters.append("ptr nonnull noundef %heap")
    text = "\n".join(ended(em))
    returned, takes = instance.returned(), ", ".join(parameters)
    head = f"define internal fastcc {returned} @{instance.symbol}({takes}) {instance.attributes}"
    return f"{head} {{\n{text}\n}}\n"


def attribute(kind: Type, ir: str) -> str:
    """Return the LLVM attributes of a parameter."""
    return (
        "nonnull noundef "
        if ir == "ptr" and not isinstance(kind, ListOf | ArrayOf | RecordOf)
        else "noundef "
    )
