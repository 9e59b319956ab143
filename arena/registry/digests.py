"""Digests of the source code of games, agents and learners.

`code_of` identifies the code that produced a result by its syntax trees; `rules_digest` and `code_digest`
identify the version of a game's rules and of a learner by the source text.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from importlib.machinery import ModuleSpec
from importlib.util import resolve_name
from types import CodeType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.options import Configurable, hook
from arena.api.plugin_guard import Failed, foreign
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.file_io import open_given
from arena.module_files import home_of, home_of_file, is_written, parse, spec_of, text_of
from arena.registry.files import FileSpec
from arena.registry.imports import unit_of
from arena.registry.source_classes import codes_of, functions_of, same_code, source_of, text_of_class
from arena.registry.trees import Tree, tree_of
from arena.results.record import UNKNOWN_CODE


class NoSource(Exception):
    """A class has no readable source code: it is compiled, or was typed into an interpreter."""


def code_of(*specs: Spec) -> str:
    """Return a digest of the code of games and agents and all specs within them, as 16 hexadecimal digits.

    The digest covers the syntax trees of the modules of the classes and of their bases, of the modules of the
    same distributions that these import, directly or not, and the files that the options name. It does not
    depend on layout, comments and docstrings, nor on arena's own code, which its version identifies. The
    result is UNKNOWN_CODE if any of the source code is unavailable.
    """
    return digest_of(texts_of_spec(part) for spec in specs for part in spec.walk())


def texts_of_spec(spec: Spec) -> Iterator[str]:
    """Yield the texts that define a spec's class, and digests of the files that the spec names.

    Raises:
        NoSource: If any source code is not available.
    """
    if isinstance(spec, FileSpec):
        yield spec.target.partition(":")[2]
        yield from spec.file.trees()
    else:
        yield from texts_of(spec.cls)
        yield from file_texts(spec.cls, spec.values)


def code_of_classes(classes: Iterable[type]) -> str:
    """Return a digest of the code of classes; see `code_of`."""
    return digest_of(texts_of(cls) for cls in classes)


def digest_of(parts: Iterable[Iterable[str]]) -> str:
    """Return a digest of a set of texts, in any order; UNKNOWN_CODE if one is not available."""
    try:
        texts = sorted({text for part in parts for text in part})
    except NoSource:
        return UNKNOWN_CODE
    digest = sha256()
    for text in texts:
        digest.update(f"{len(text)} {text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def texts_of(cls: type) -> Iterator[str]:
    """Yield the texts that define a class: its name, the names of its bases, and their syntax trees.

    Raises:
        NoSource: If any source code is not available.
    """
    bases = [base for base in cls.__mro__ if not comes_with_version(base)]
    yield " ".join(base.__qualname__ for base in bases)
    for base in bases:
        if is_written(base):
            yield from written_texts(base)
        else:
            yield from reached([base.__module__], home_of(base.__module__))


def file_texts(cls: type[Configurable], values: Mapping[str, object]) -> Iterator[str]:
    """Yield a digest of each file that an agent or game with these options uses, or raise NoSource."""
    try:
        with foreign():
            files = [(path, os.stat(path)) for path in hook(cls, "files")(values)]
            digests = [file_digest(path, about.st_size, about.st_mtime_ns) for path, about in files]
    except Failed as error:
        raise NoSource(str(error)) from error
    yield from digests


@lru_cache(maxsize=256)
def file_digest(path: str, size: int, written: int) -> str:
    """Return a digest of the bytes of a file.

    The arguments for the size and the modification time in nanoseconds make the cache reread a changed file.
    """
    digest = sha256()
    with open_given(path) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return f"file {digest.hexdigest()}"


def comes_with_version(cls: type) -> bool:
    """Return whether a class belongs to Python or to arena."""
    module = cls.__module__
    if module.partition(".")[0] == "arena":
        return True
    return not is_written(cls) and home_of(module) is None and spec_of(module) is not None


def written_texts(cls: type) -> Iterator[str]:
    """Yield the texts of a class in a script or notebook, and of the modules of its project that it imports.

    Raises:
        NoSource: If any source code is not available.
    """
    try:
        source = source_of(cls)
    except ArenaError as error:
        raise NoSource from error
    yield from (tree_of(piece.text).form for piece in source.pieces)
    yield from (f"{name} = {what}" for name, what in (*source.imports, *source.constants, *source.attributes))
    imported = {target.partition(":")[0] for _, target in source.imports}
    for home in sorted({home_of_file(piece.file) or "" for piece in source.pieces}):
        yield from reached([name for name in imported if home_of(name) == home], home)


def reached(modules: Iterable[str], home: str | None) -> Iterator[str]:
    """Yield the syntax trees of modules and of the modules of the same distribution that they import.

    Args:
        modules: Names of the modules to begin with.
        home: Distribution whose modules to follow, in addition to those of the same top-level packages.

    Raises:
        NoSource: If the source code of a module is not available.
    """
    left, seen = list(modules), set[str]()
    tops = {top_of(name) for name in left}

    def is_own(name: str) -> bool:
        return top_of(name) in tops or (top_of(name) != "arena" and home_of(name) == home)

    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        spec = spec_of(name)
        source = text_of(spec) if spec else None
        if spec is None or source is None:
            raise NoSource(name)
        tree = tree_of(source)
        yield tree.form
        for module, names in imports(name, spec, tree):
            if is_own(module):
                inner = [f"{module}.{one}" for one in names] or [module]
                left += [one for one in (one if spec_of(one) else module for one in inner) if spec_of(one)]


def imports(name: str, spec: ModuleSpec, tree: Tree) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the full name of each module that a module imports, with the names that it takes from it."""
    package = name if spec.submodule_search_locations is not None else name.rpartition(".")[0]
    for level, module, names in tree.imports:
        try:
            yield resolve_name("." * level + module, package), names
        except ImportError:  # a relative import beyond the top-level package
            continue


def top_of(name: str) -> str:
    return name.partition(".")[0]


def code_digest(cls: type[Learner], values: Mapping[str, object]) -> str:
    """Return a digest of the source code of a learner.

    It covers the modules that the learner imports from its own package, the same for its bases and for the
    agents among its option values, and the files named in these values.

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
    if stated := getattr(cls, "lineage", None):  # a stand-in for a class from a file
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
    """Return a digest of modules and of the modules that they import from the same top-level package.

    Imports are found in the source code, so the digest does not depend on the modules imported so far, and no
    module is imported.

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
            found[name] = module_source(name)
            for other in imported_modules(name, found[name]):
                visit(other)

    for name in modules:
        visit(name)
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(found[name].encode())
    return digest.hexdigest()


def module_source(name: str) -> str:
    """Return a module's source code, or its name if that is not available."""
    with suppress(OSError, TypeError, ImportError, AttributeError):
        if name in sys.modules:
            return inspect.getsource(sys.modules[name]).strip()
        loader: Any = getattr(spec_of(name), "loader", None)
        return (loader.get_source(name) or name).strip()
    return name


def imported_modules(name: str, source: str) -> Iterator[str]:
    """Yield the modules imported anywhere in a module's source; relative imports by their full names."""
    top = name.partition(".")[0]
    spec = spec_of(name)
    package = spec.parent if spec else name.rpartition(".")[0]
    with suppress(SyntaxError, ImportError):
        for node in ast.walk(parse(source)):
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


CODES: WeakKeyDictionary[type, str] = WeakKeyDictionary()  # digests of classes when they were first entered


def check_unedited(cls: type, code: str) -> None:
    """Raise ArenaError if the files of a class were edited since they were imported.

    Worker processes would import the new version. A class that was updated in place, as IPython's autoreload
    does, counts as new.

    Args:
        cls: The class.
        code: Digest of the current files.
    """
    if CODES.setdefault(cls, code) == code:
        return
    home = home_of(cls.__module__)
    alike = [name for name in list(sys.modules) if home is not None and home_of(name) == home]
    for name in {cls.__module__, *alike}:
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        if file.endswith(".py") and not all(is_of(file, own) for own in codes_there(sys.modules[name], cls)):
            raise ArenaError(
                f"{file} was edited since it was imported, but {cls.__name__} is unchanged; "
                "reload it with importlib.reload, or restart Python"
            )
    CODES[cls] = code


def codes_there(module: ModuleType, cls: type) -> Iterator[CodeType]:
    """Yield the code objects of the functions and methods of a module, and of a class."""
    things: list[object] = [cls, *vars(module).values()]
    for thing in things:
        if isinstance(thing, type) or hasattr(thing, "__code__"):
            yield from (function.__code__ for function in functions_of(thing))


def is_of(file: str, code: CodeType) -> bool:
    """Return whether the code of a function in memory agrees with its file, or comes from another file."""
    if code.co_filename != file:
        return True
    try:
        with open(file, encoding="utf-8") as lines:
            there = codes_of(lines.read())
    except (OSError, ValueError, SyntaxError):
        return False
    return any(same_code(code, other) for other in there if other.co_qualname == code.co_qualname)
