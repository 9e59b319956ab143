"""Source code as syntax trees in a text form that does not depend on layout or on the version of Python."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from arena.module_files import parse

# fields of nodes that carry no information
UNSAID = {"ctx", "kind", "type_comment", "type_ignores"}


@dataclass(frozen=True)
class Tree:
    """A parsed source text.

    Attributes:
        form: Syntax tree as a text, without layout, comments, docstrings and other statements without effect.
        imports: Level, module and imported names of each import statement, anywhere in the source; level 0 is
            an absolute import.
        called: Names of modules passed to `import_module` and `__import__`, where they can be read from the
            source.
    """

    form: str
    imports: tuple[tuple[int, str, tuple[str, ...]], ...]
    called: tuple[str, ...] = ()

    @property
    def tops(self) -> set[str]:
        """The top-level modules that are imported by absolute names."""
        names = {module for level, module, _ in self.imports if not level} | {*self.called}
        return {name.partition(".")[0] for name in names if not name.startswith(".")}


@lru_cache(maxsize=512)
def tree_of(source: str) -> Tree:
    """Parse a source text; if that fails, `form` is the text itself."""
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two if nested too deeply
        return Tree(source, ())
    found: list[tuple[int, str, tuple[str, ...]]] = []
    called: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(0, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module or "", tuple(alias.name for alias in node.names)))
        elif isinstance(node, ast.Call) and node.args:
            called.append(name_called(node))
    return Tree(form(tree), tuple(dict.fromkeys(found)), tuple(dict.fromkeys(filter(None, called))))


def name_called(call: ast.Call) -> str:
    """Return the module that a call of `import_module` or `__import__` names, or "" if it is not a literal.

    For an f-string such as `f"strategies.{name}"`, it is the text before the first brace.
    """
    function, name = call.func, call.args[0]
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if called not in ("import_module", "__import__"):
        return ""
    if isinstance(name, ast.JoinedStr) and name.values:
        name = name.values[0]
    elif isinstance(name, ast.BinOp):
        name = name.left
    text = name.value if isinstance(name, ast.Constant) else ""
    return text if isinstance(text, str) and (name is call.args[0] or "." in text) else ""


def form(tree: ast.AST) -> str:
    """Return a syntax tree as a text that is the same in all versions of Python.

    Unlike in `ast.dump`, empty fields are left out, so that a field added in a new version of Python does not
    change the text.
    """
    out: list[str] = []
    stack: list[Any] = [tree]
    while stack:  # a loop, since recursion would fail for long sums
        item = stack.pop()
        if isinstance(item, str):
            out.append(item)
        else:
            stack += reversed([f"{type(item).__name__}(", *fields_of(item), ")"])
    return "".join(out)


def fields_of(node: ast.AST) -> Iterator[ast.AST | str]:
    """Yield the fields of a node in order, as texts and nodes."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            value = joined(value) if isinstance(node, ast.JoinedStr) else [v for v in value if not idle(v)]
        if name in UNSAID or (value is None and not isinstance(node, ast.Constant)) or value == []:
            continue
        yield f" {name}="
        if isinstance(value, list):
            yield "["
            for item in value:
                yield item if isinstance(item, ast.AST) else plain(item)
                yield ","
            yield "]"
        else:
            yield value if isinstance(value, ast.AST) else plain(value)


def plain(value: object) -> str:
    """Return a constant or an identifier as text; integers in hexadecimal, which has no length limit."""
    return hex(value) if type(value) is int else ascii(value)


def idle(node: object) -> bool:
    """Return whether a node is a statement without effect: `pass`, `...`, a docstring."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def joined(values: list[ast.expr]) -> list[ast.expr]:
    """Return the values of an f-string with adjacent plain texts joined."""
    found: list[ast.expr] = []
    for value in values:
        last = found[-1] if found else None
        if isinstance(value, ast.Constant) and isinstance(last, ast.Constant):
            found[-1] = ast.Constant(str(last.value) + str(value.value))
        elif not (isinstance(value, ast.Constant) and value.value == ""):
            found.append(value)
    return found
