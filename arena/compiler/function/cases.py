"""`match` statements, which are compiled as a chain of `if` statements."""

from __future__ import annotations

import ast
import functools
from typing import Any

from arena.compiler.function.dispatch import block
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.registry import lowers_node
from arena.compiler.source import is_simple

HELP = "match compiles only for constants, | and _, and for tuples of these"


@lowers_node(ast.Match)
def lower_match(em: Emitter, node: ast.Match) -> None:
    if not is_simple(node.subject):
        em.fail(node, "match compiles only for a variable or attribute; assign the value to a variable first")
    statements = chain(node)
    if statements is None:
        em.fail(node, HELP)
    block(em, statements)


@functools.cache
def chain(node: ast.Match) -> list[ast.stmt] | None:
    """Return equivalent `if` statements, the same objects each time; None if a pattern does not compile."""
    statements: list[ast.stmt] = []
    for case in reversed(node.cases):
        test = test_of(node.subject, case.pattern)
        if test is None:
            return None
        if case.guard is not None:
            test = ast.BoolOp(ast.And(), [test, case.guard])
        made = ast.If(test, case.body, statements)
        statements = [ast.fix_missing_locations(ast.copy_location(made, case.pattern))]
    return statements


def test_of(subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
    """Return an expression that tests whether a pattern matches; None if the pattern does not compile."""
    match pattern:
        case ast.MatchValue(value=value):
            return ast.Compare(subject, [ast.Eq()], [value])
        case ast.MatchSingleton(value=None):
            return ast.Compare(subject, [ast.Is()], [ast.Constant(None)])
        case ast.MatchAs(pattern=None, name=None):
            return ast.Constant(True)
        case ast.MatchOr(patterns=parts):
            return joined(ast.Or(), [test_of(subject, part) for part in parts])
        case ast.MatchSequence(patterns=parts) if isinstance(subject, ast.Tuple):
            if len(parts) == len(subject.elts) and not any(isinstance(part, ast.MatchStar) for part in parts):
                pairs = zip(subject.elts, parts, strict=True)
                return joined(ast.And(), [test_of(item, part) for item, part in pairs])
    return None


def joined(op: Any, tests: list[ast.expr | None]) -> ast.expr | None:
    """Return tests combined by `and` or `or`; None if one of the tests is None."""
    found = [test for test in tests if test is not None]
    return ast.BoolOp(op, found) if found and len(found) == len(tests) else None
