"""Arguments of calls: how many there are, and their values as numbers."""

from __future__ import annotations

import ast

from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.registry import MANY, Lowered
from arena.compiler.types import FLOAT, INT, NUMBERS, UNKNOWN, Value


def lower_with(em: Emitter, lowered: Lowered, node: ast.Call, *owner: Value) -> Value:
    """Compile a call by its lowering, if it has as many arguments as that knows to deal with.

    Args:
        em: The emitter.
        lowered: The lowering.
        node: The call.
        owner: Of a method, the object.
    """
    args, named = call_arguments(em, node)
    if not lowered.least <= len(args) <= lowered.most:
        em.fail(node, f"{ast.unparse(node.func)} takes {number_of_arguments(lowered)} in compiled code")
    if named and not lowered.keywords:
        em.fail(node, f"{ast.unparse(node.func)} takes nothing by name in compiled code")
    value: Value = lowered.write(em, *owner, node)
    return value


def number_of_arguments(lowered: Lowered) -> str:
    least, most = lowered.least, lowered.most
    if least == most:
        return f"{least} argument{'s' * (least != 1)}"
    return f"{least} to {most} arguments" if most < MANY else f"at least {least} arguments"


def call_arguments(em: Emitter, node: ast.Call) -> tuple[list[ast.expr], dict[str, ast.expr]]:
    """Return the nodes of a call's arguments, and of those by name."""
    if any(isinstance(part, ast.Starred) for part in node.args) or any(k.arg is None for k in node.keywords):
        em.fail(node, "* does not compile")
    return list(node.args), {str(k.arg): k.value for k in node.keywords}


def int_argument(em: Emitter, node: ast.expr) -> Value:
    """Compile an expression that has to be an int."""
    value = expression(em, node)
    if value.type is UNKNOWN:
        return Value(INT, ("undef",))
    if value.type not in NUMBERS or value.type is FLOAT:
        em.fail(node, f"an int is wanted here, and not {value.type}")
    return em.convert(value, INT, node)


def int_arguments(em: Emitter, node: ast.Call) -> list[Value]:
    """Compile the arguments of a call, which have to be ints."""
    return [int_argument(em, part) for part in node.args]


def float_arguments(em: Emitter, node: ast.Call) -> list[Value]:
    """Compile the arguments of a call, which have to be numbers, as floats."""
    values = [expression(em, part) for part in node.args]
    for value in values:
        if value.type is not UNKNOWN and value.type not in NUMBERS:
            em.fail(node, f"{value.type} is no number")
    return [em.convert(value, FLOAT, node) for value in values]
