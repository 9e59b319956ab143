"""Compile a node by the lowering that is registered for its kind."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from arena.compiler.function.emitter import Emitter
from arena.compiler.function.registry import nodes
from arena.compiler.types import UNKNOWN, Value


def expression(em: Emitter, node: ast.expr) -> Value:
    """Compile an expression and return its value."""
    value: Value = compile_node(em, node)
    if value.type is UNKNOWN and not em.instance.untold:
        em.instance.untold = ast.unparse(node)[:50], em.frame.file, node.lineno
    return value


def block(em: Emitter, body: Sequence[ast.stmt]) -> None:
    """Compile statements, up to one that jumps elsewhere."""
    for node in body:
        if em.dead:
            return
        compile_node(em, node)


def compile_node(em: Emitter, node: ast.AST) -> Any:
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
    "Delete": "del does not compile",
    "Dict": "dictionaries do not compile",
    "DictComp": "dictionaries do not compile",
    "FunctionDef": "functions within functions do not compile; make it a method",
    "GeneratorExp": "a generator expression compiles within sum, min, max, any, all, list and sorted",
    "Global": "global does not compile; make it an attribute",
    "Import": "imports within functions do not compile",
    "ImportFrom": "imports within functions do not compile",
    "JoinedStr": "texts made on the way do not compile",
    "Lambda": "a lambda compiles as the key of min, max and sorted only",
    "Match": "match does not compile",
    "Nonlocal": "nonlocal does not compile",
    "Set": "sets do not compile",
    "SetComp": "sets do not compile",
    "Starred": "* does not compile",
    "Try": "try and except do not compile",
    "TryStar": "try and except do not compile",
    "With": "with does not compile",
    "Yield": "yield compiles as a statement only",
    "YieldFrom": "yield from compiles as a statement only",
}
