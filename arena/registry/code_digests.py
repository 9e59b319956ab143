"""Digests of the code of games and agents, which distinguish results of different versions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from importlib.machinery import ModuleSpec
from importlib.util import resolve_name

from arena.api.options import Configurable, hook
from arena.api.plugin_guard import Failed, foreign
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.file_io import open_given
from arena.module_files import home_of, home_of_file, spec_of, text_of
from arena.registry.files import FileSpec
from arena.registry.source_classes import is_written, source_of
from arena.registry.trees import Tree, tree_of
from arena.results.record import UNKNOWN_CODE


class NoSource(Exception):
    """A class has no readable source code: it is compiled, or was typed in."""


def code_of(*specs: Spec) -> str:
    """Return a digest of the code of games and agents and all specs within them, as 16 hexadecimal digits.

    The digest covers the syntax trees of the modules of the classes and of their bases, of the modules of the
    same distributions that these import, directly or not, and the files that the options name. It does not
    depend on layout, comments and docstrings, nor on arena itself, which has a version. The result is
    UNKNOWN_CODE if some source code is not available.
    """
    return digest_of(texts_of_spec(part) for spec in specs for part in spec.walk())


def texts_of_spec(spec: Spec) -> Iterator[str]:
    """Yield the texts that a spec's class is made of, and digests of the files it names.

    Raises:
        NoSource: If one is not available.
    """
    if isinstance(spec, FileSpec):
        yield spec.target.partition(":")[2]
        yield from spec.file.trees()
    else:
        yield from texts_of(spec.cls)
        yield from file_texts(spec.cls, spec.values)


def code_of_classes(classes: Iterable[type]) -> str:
    """Return a digest of the code of classes, as `code_of`."""
    return digest_of(texts_of(cls) for cls in classes)


def digest_of(parts: Iterable[Iterable[str]]) -> str:
    """Return a digest of a set of texts, whatever their order; UNKNOWN_CODE if one is not available."""
    try:
        texts = sorted({text for part in parts for text in part})
    except NoSource:
        return UNKNOWN_CODE
    digest = sha256()
    for text in texts:
        digest.update(f"{len(text)} {text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def texts_of(cls: type) -> Iterator[str]:
    """Yield the texts that a class is made of: its name, those of its bases, and their syntax trees.

    Raises:
        NoSource: If one is not available.
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

    The size and the time of the last change, in nanoseconds, are given so that a changed file is read again.
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
    """Yield the texts of a class of a script or notebook, and of modules of its project that it imports.

    Raises:
        NoSource: If one is not available.
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
    """Yield the syntax trees of modules and of those of the same distribution that they import.

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
        except ImportError:  # beyond the top-level package
            continue


def top_of(name: str) -> str:
    return name.partition(".")[0]
