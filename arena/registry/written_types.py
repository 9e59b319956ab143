"""Names of types that a script or a notebook's cell gives itself, such as `State = tuple[int, int]`.

They travel with the classes that name them, as the statement that made them or as an import.
"""

from __future__ import annotations

import ast
import importlib
import linecache
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

PLAIN = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BinOp, ast.BitOr,
    ast.Load,
)  # fmt: skip
MADE = (typing.TypeVar, typing.NewType)  # by calls, each time another
NAMED = getattr(typing, "TypeAliasType", typing.TypeVar)  # what a `type` statement makes, from Python 3.12 on


class Statement(NamedTuple):
    """The statement that gives a type its name, and where it stands."""

    file: str
    line: int
    text: str


def is_type(thing: Any) -> bool:
    """Return whether something is a type, such as `tuple[int, int]`, `int | None` or a class."""
    kinds = type, types.GenericAlias, types.UnionType, *MADE, NAMED
    return isinstance(thing, kinds) or typing.get_origin(thing) is not None


def import_of(name: str, thing: Any, files: Iterable[str]) -> str:
    """Return the `module:attribute` that one of the files imports under this name, "" if none does."""
    for _, node in nodes(files):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for one in node.names:
                if (one.asname or one.name) == name and imports(node.module, one.name, thing):
                    return f"{node.module}:{one.name}"
    return ""


def imports(module: str, attribute: str, thing: Any) -> bool:
    """Return whether a module that is imported already has a type under a name."""
    try:
        return bool(getattr(importlib.import_module(module), attribute) == thing)
    except (ImportError, AttributeError):
        return False


def statement_of(name: str, thing: Any, files: Iterable[str], space: Mapping[str, Any]) -> Statement | None:
    """Return the last statement of the files that gives a type its name, and still says what it is.

    Args:
        name: The name.
        thing: The type, as it is in memory.
        files: Files or cells, the likeliest first.
        space: The names of the module that the statement stands in.
    """
    for file, node in nodes(files):
        if name_given(node) == name and says(node, thing, space):
            lines = linecache.getlines(file)[node.lineno - 1 : node.end_lineno]
            return Statement(file, node.lineno, "".join(lines).rstrip("\n") + "\n")
    return None


def nodes(files: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield the statements at the top of files, the last of each first, with their files."""
    for file in files:
        try:
            tree = ast.parse("".join(linecache.getlines(file)))
        except SyntaxError:  # a cell with magics
            continue
        for node in reversed(tree.body):
            yield file, node


def name_given(node: Any) -> str:
    """Return the name that a statement gives to one thing, '' if it does not."""
    target = None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign) and node.value:
        target = node.target
    elif type(node).__name__ == "TypeAlias":
        target = node.name
    return target.id if isinstance(target, ast.Name) else ""


def says(node: Any, thing: Any, space: Mapping[str, Any]) -> bool:
    """Return whether a statement says what a type is now."""
    value = node.value
    if isinstance(thing, NAMED) and not isinstance(thing, MADE):
        return type(node).__name__ == "TypeAlias"
    if isinstance(thing, MADE):
        return isinstance(value, ast.Call) and isinstance(value.func, ast.Name | ast.Attribute)
    if not all(isinstance(part, PLAIN) for part in ast.walk(value)):
        return False
    try:
        return bool(eval(compile(ast.Expression(value), "", "eval"), dict(space)) == thing)
    except Exception:  # the author's, whose names mean something else by now
        return False
