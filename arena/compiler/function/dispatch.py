"""Compilation of nodes and calls by registered lowerings."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from arena.compiler.function.emitter import Emitter
from arena.compiler.function.registry import MANY, Lowered, nodes
from arena.compiler.types import BOOL, FLOAT, INT, NUMBERS, UNKNOWN, Value


def expression(em: Emitter, node: ast.expr) -> Value:
    """Compile an expression and return its value."""
    value: Value = compile_node(em, node)
    if value.type is UNKNOWN and not em.instance.untold:
        em.instance.untold = ast.unparse(node)[:50], em.frame.file, node.lineno
    return value


def block(em: Emitter, body: Sequence[ast.stmt]) -> None:
    """Compile statements up to the first one after which control never continues."""
    for node in body:
        if em.dead:
            return
        compile_node(em, node)


def compile_node(em: Emitter, node: ast.AST) -> Any:
    """Compile a node with its lowering, or raise CannotCompile."""
    lowering = nodes.get(type(node))
    if lowering is None:
        name = type(node).__name__
        em.fail(node, REFUSED.get(name, f"{name.lower()} does not compile"))
    return lowering(em, node)


REFUSED = {
    "Await": "async does not compile",
    "AsyncFor": "async does not compile",
    "AsyncWith": "async does not compile",
    "ClassDef": "classes within functions do not compile",
    "GeneratorExp": "a generator expression compiles only within sum, min, max, any, all, list and sorted",
    "Global": "global does not compile; use an attribute",
    "Import": "imports within functions do not compile",
    "ImportFrom": "imports within functions do not compile",
    "Lambda": "a lambda compiles only as the key of min, max and sorted",
    "Starred": "* does not compile",
    "TryStar": "except* does not compile",
    "With": "with does not compile",
    "Yield": "yield compiles only as a statement",
    "YieldFrom": "yield from compiles only as a statement",
}


def lower_with(em: Emitter, lowered: Lowered, node: ast.Call, *owner: Value) -> Value:
    """Compile a call with its lowering, after checking the number of arguments.

    Args:
        em: The emitter.
        lowered: The lowering.
        node: The call.
        owner: For a method, the object.
    """
    args, named = call_arguments(em, node)
    if not lowered.least <= len(args) <= lowered.most:
        em.fail(node, f"{ast.unparse(node.func)} takes {number_of_arguments(lowered)} in compiled code")
    if named and not lowered.keywords:
        em.fail(node, f"{ast.unparse(node.func)} takes no keyword arguments in compiled code")
    value: Value = lowered.write(em, *owner, node)
    return value


def number_of_arguments(lowered: Lowered) -> str:
    """Return the number of arguments that a lowering takes, in words."""
    least, most = lowered.least, lowered.most
    if least == most:
        return f"{least} argument{'s' * (least != 1)}"
    return f"{least} to {most} arguments" if most < MANY else f"at least {least} arguments"


def call_arguments(em: Emitter, node: ast.Call) -> tuple[list[ast.expr], dict[str, ast.expr]]:
    """Return the nodes of a call's positional arguments, and of keyword arguments by name."""
    if any(isinstance(part, ast.Starred) for part in node.args) or any(k.arg is None for k in node.keywords):
        em.fail(node, "* does not compile")
    return list(node.args), {str(k.arg): k.value for k in node.keywords}


def int_argument(em: Emitter, node: ast.expr) -> Value:
    """Compile an expression, which must be an int, and return its value."""
    value = em.required(expression(em, node), node)
    if value.type not in (INT, BOOL, UNKNOWN):
        em.fail(node, f"an int is required here, not {value.type}")
    return em.convert(value, INT, node)


def int_arguments(em: Emitter, node: ast.Call) -> list[Value]:
    """Compile the arguments of a call, which must be ints, and return their values."""
    return [int_argument(em, part) for part in node.args]


def float_arguments(em: Emitter, node: ast.Call) -> list[Value]:
    """Compile the arguments of a call, which must be numbers, and return their values as floats."""
    values = [em.required(expression(em, part), part) for part in node.args]
    for value in values:
        if value.type not in (*NUMBERS, UNKNOWN):
            em.fail(node, f"{value.type} is not a number")
    return [em.convert(value, FLOAT, node) for value in values]
