"""Annotations say what things are: `Any`, which turns the type checker off, is rare in arena."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from paths import ROOT

MOST = 0.1  # `Any` in annotations for each function


def annotations(tree: ast.AST) -> Iterator[ast.expr]:
    """Return the annotations of arguments, results and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            yield node.returns


@pytest.mark.slow
def test_any_is_rare_in_annotations():
    found = functions = 0
    for path in (ROOT / "arena").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions += sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.walk(tree))
        found += sum(
            isinstance(node, ast.Name) and node.id == "Any"
            for annotation in annotations(tree)
            for node in ast.walk(annotation)
        )
    assert found <= MOST * functions
