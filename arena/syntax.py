"""Source text as a syntax tree."""

from __future__ import annotations

import ast
import threading

parsing = threading.Lock()


def parse(source: str | bytes) -> ast.Module:
    """Parse a module's source, one thread at a time.

    Python 3.11 and 3.12 count the depth of a tree once for all threads: two that parse at once may raise
    SystemError ("AST constructor recursion depth mismatch").

    Raises:
        SyntaxError: It is no Python.
        ValueError: It has null characters.
        RecursionError: It is nested too deeply; MemoryError likewise.
    """
    with parsing:
        return ast.parse(source)
