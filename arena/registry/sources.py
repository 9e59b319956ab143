"""Digests of the source code of rules and learners, which identify the version of a game or model."""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import resolve_name
from typing import Any

from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.options import Configurable
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.module_files import spec_of
from arena.registry.code_digests import NoSource, file_texts
from arena.registry.imports import unit_of
from arena.registry.source_classes import is_written, text_of_class


def code_digest(cls: type[Learner], values: Mapping[str, object]) -> str:
    """Return a digest of the source code of a learner.

    It covers the modules of the learner's own package that it imports, those of its bases and of the agents
    among its option values, and the files that these name.

    Raises:
        ArenaError: If one of the files cannot be read.
    """
    digest = hashlib.sha256()
    classes: set[type] = {cls}
    things: list[tuple[type, Mapping[str, object]]] = [(cls, values)]
    for value in values.values():
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Spec):
                classes |= {part.cls for part in item.walk()}
                things += [(part.cls, part.values) for part in item.walk()]
    try:
        files = {text for thing in things for text in file_texts(*thing)}
    except NoSource as error:
        raise ArenaError(f"a file that {cls.__name__} names cannot be read: {error}") from error
    for text in [*sorted({one for cls in classes for one in source_digests(cls)}), *sorted(files)]:
        digest.update(text.encode())
    return digest.hexdigest()[:16]


def source_digests(cls: type) -> Iterator[str]:
    """Yield a digest for a class and for each of its bases outside arena."""
    if stated := getattr(cls, "lineage", None):  # a stand-in for a file's class
        yield from (digest_of_modules(tuple(modules)) for modules in stated)
        return
    for base in cls.__mro__:
        if issubclass(base, Configurable) and base.__module__.partition(".")[0] != "arena":
            own: type = base
            yield source_digest(own)


@cache
def source_digest(cls: type) -> str:
    """Return a digest of the modules of a class's own top-level package that it imports."""
    if is_written(cls):
        return hashlib.sha256(text_of_class(cls).encode()).hexdigest()
    return digest_of_modules(tuple(base.__module__ for base in cls.__mro__))


def digest_of_modules(modules: Sequence[str]) -> str:
    """Return a digest of modules and of those of the same top-level package that they import.

    Imports are found in the source code, so the digest does not depend on the modules imported so far, and
    none is imported.

    Args:
        modules: The modules of a class and of its bases, in their order.
    """
    module, *_ = modules
    if unit := unit_of(module):
        return hashlib.sha256("".join(text.strip() for text in unit.texts()).encode()).hexdigest()
    top = module.partition(".")[0]
    found: dict[str, str] = {}

    def visit(name: str) -> None:
        if name.partition(".")[0] == top and name not in found:
            found[name] = source_of(name)
            for other in imports(name, found[name]):
                visit(other)

    for name in modules:
        visit(name)
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(found[name].encode())
    return digest.hexdigest()


def source_of(name: str) -> str:
    """Return a module's source code, or its name if that is not available."""
    with suppress(OSError, TypeError, ImportError, AttributeError):
        if name in sys.modules:
            return inspect.getsource(sys.modules[name]).strip()
        loader: Any = getattr(spec_of(name), "loader", None)
        return (loader.get_source(name) or name).strip()
    return name


def imports(name: str, source: str) -> Iterator[str]:
    """Yield the modules that a module imports, wherever in its source; relative ones by their full names."""
    top = name.partition(".")[0]
    spec = spec_of(name)
    package = spec.parent if spec else name.rpartition(".")[0]
    with suppress(SyntaxError, ImportError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                home = resolve_name("." * node.level + (node.module or ""), package)
                if home.partition(".")[0] == top:
                    inner = (f"{home}.{alias.name}" for alias in node.names)
                    yield from (module if is_module(module) else home for module in inner)


def is_module(name: str) -> bool:
    return name in sys.modules or spec_of(name) is not None


def rules_digest(game: Game) -> str:
    """Return a digest of the source code of a game's rules: the modules of its class and of its bases."""
    classes = [cls for cls in type(game).__mro__ if issubclass(cls, Game) and cls is not Game]
    digest = sha256()
    for text in sorted({text_of_class(cls) for cls in classes if is_written(cls)}):
        digest.update(text.encode())
    for name in sorted({cls.__module__ for cls in classes if not is_written(cls)}):
        if unit := unit_of(name):
            digest.update("".join(text.removesuffix("\n") + "\n" for text in unit.texts()).encode())
            continue
        try:
            digest.update(inspect.getsource(sys.modules[name]).encode())
        except (OSError, TypeError):  # no file
            digest.update(type(game).__qualname__.encode())
    return digest.hexdigest()[:16]
