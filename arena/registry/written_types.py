"""Type names defined in a script or a notebook's cell, for example `State = tuple[int, int]`.

They are sent to other processes with the classes that use them, as the statement that defines them or as an
import.
"""

from __future__ import annotations

import ast
import importlib
import linecache
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from arena.module_files import parse

PLAIN = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BinOp, ast.BitOr,
    ast.Load,
)  # fmt: skip
MADE = (typing.TypeVar, typing.NewType)  # created by calls, which return a new object each time
NAMED = getattr(typing, "TypeAliasType", typing.TypeVar)  # type of a `type` statement, from Python 3.12 on


class Statement(NamedTuple):
    """The statement that defines a type name, with its file and line."""

    file: str
    line: int
    text: str


def is_type(thing: object) -> bool:
    """Return whether a value is a type, for example `tuple[int, int]`, `int | None` or a class."""
    kinds = type, types.GenericAlias, types.UnionType, *MADE, NAMED
    return isinstance(thing, kinds) or typing.get_origin(thing) is not None


def import_of(name: str, thing: object, files: Iterable[str]) -> str:
    """Return the `module:attribute` that one of the files imports under this name; "" if none does."""
    for _, node in nodes(files):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for one in node.names:
                if (one.asname or one.name) == name and imports(node.module, one.name, thing):
                    return f"{node.module}:{one.name}"
    return ""


def imports(module: str, attribute: str, thing: object) -> bool:
    """Return whether an attribute of a module equals a type; this imports the module."""
    try:
        return bool(getattr(importlib.import_module(module), attribute) == thing)
    except (ImportError, AttributeError):
        return False


def statement_of(
    name: str, thing: object, files: Iterable[str], space: Mapping[str, object]
) -> Statement | None:
    """Return the last statement in the files that defines a type name with its current value.

    Args:
        name: The name.
        thing: The current value of the name.
        files: Files or cells, the likeliest first.
        space: Values of the names in the module of the statement.
    """
    for file, node in nodes(files):
        if name_given(node) == name and says(node, thing, space):
            lines = linecache.getlines(file)[node.lineno - 1 : node.end_lineno]
            return Statement(file, node.lineno, "".join(lines).rstrip("\n") + "\n")
    return None


def nodes(files: Iterable[str]) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the top-level statements of files with the file names, the last of each file first."""
    for file in files:
        try:
            tree = parse("".join(linecache.getlines(file)))
        except SyntaxError:  # a cell with magics
            continue
        for node in reversed(tree.body):
            yield file, node


def name_given(node: Any) -> str:
    """Return the name that a statement defines; "" if it does not define exactly one."""
    target = None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign) and node.value:
        target = node.target
    elif type(node).__name__ == "TypeAlias":
        target = node.name
    return target.id if isinstance(target, ast.Name) else ""


def says(node: Any, thing: object, space: Mapping[str, object]) -> bool:
    """Return whether a statement defines a type that equals the one in memory."""
    value = node.value
    if isinstance(thing, NAMED) and not isinstance(thing, MADE):
        return type(node).__name__ == "TypeAlias"
    if isinstance(thing, MADE):
        return isinstance(value, ast.Call) and isinstance(value.func, ast.Name | ast.Attribute)
    if not all(isinstance(part, PLAIN) for part in ast.walk(value)):
        return False
    try:
        return bool(eval(compile(ast.Expression(value), "", "eval"), dict(space)) == thing)
    except Exception:  # raised by the author's code, as the values of names have changed
        return False
