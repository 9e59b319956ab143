"""`try` and `except`, and the exceptions that they catch."""

from __future__ import annotations

import ast
from typing import Any

from arena.compiler.function.dispatch import block, expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Handler
from arena.compiler.function.registry import lowers_node

UNLIKE = RecursionError, MemoryError  # raised at other points than in plain Python


@lowers_node(ast.Try)
def lower_try(em: Emitter, node: ast.Try) -> None:
    if node.finalbody:
        em.fail(node.finalbody[0], "finally does not compile; write the statements after the try")
    if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node)):
        em.fail(node, "yield within try does not compile")
    handler = Handler(em.label("except"), em.room("i32"))
    before, end = set(em.assigned), em.label("tried")
    ways: list[set[object]] = []
    em.handlers.append(handler)
    block(em, node.body)
    em.handlers.pop()
    block(em, node.orelse)
    leave(em, end, ways)
    if handler.used:
        em.start(handler.label)
        write_handlers(em, node, handler, before, end, ways)
    em.assigned = set.intersection(*ways) if ways else before
    if ways:
        em.start(end)


def write_handlers(
    em: Emitter, node: ast.Try, handler: Handler, before: set[Any], end: str, ways: list[set[object]]
) -> None:
    """Write the `except` clauses; an exception that no clause catches is propagated."""
    status = em.load("i32", handler.place)
    for part in node.handlers:
        em.assigned = set(before)
        yes, no = em.label("caught"), em.label("other")
        matches = em.unit.need_catch(caught_by(em, part))
        em.branch(em.let(f"call i1 @{matches}(i32 {status})"), yes, no)
        em.start(yes)
        em.caught.append(status)
        block(em, part.body)
        em.caught.pop()
        leave(em, end, ways)
        em.start(no)
    em.return_error(status)


def leave(em: Emitter, end: str, ways: list[set[object]]) -> None:
    """Jump to the end of the statement, and record the variables that are set here."""
    if not em.dead:
        ways.append(set(em.assigned))
        em.goto(end)


def caught_by(em: Emitter, node: ast.ExceptHandler) -> tuple[type[BaseException], ...]:
    """Return the exception classes that a clause catches."""
    if node.name and any(isinstance(part, ast.Name) and part.id == node.name for part in ast.walk(node)):
        em.fail(node, f"{node.name} does not compile; write `except` without `as`")
    if node.type is None:
        return (BaseException,)
    parts = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    found = [expression(em, part).const for part in parts]
    for cls, part in zip(found, parts, strict=True):
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            em.fail(node, f"{ast.unparse(part)} is not an exception class")
        if issubclass(cls, UNLIKE):
            em.fail(node, f"{cls.__name__} cannot be caught, since compiled code raises it at other points")
    return tuple(found)
