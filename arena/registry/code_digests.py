"""Which code plays: digests of what games and agents are made of, by which results are told apart."""

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
from arena.module_files import home_of, home_of_file, spec_of, text_of
from arena.registry.files import FileSpec
from arena.registry.source_classes import is_written, source_of
from arena.registry.trees import Tree, tree_of
from arena.results.record import UNKNOWN_CODE
from arena.user_files import open_given


class NoSource(Exception):
    """Something has no source that can be read: it is compiled, or was typed in."""


def code_of(*specs: Spec) -> str:
    """The code of games and agents with all that is within them, 16 hexadecimal digits.

    It is a digest of the syntax trees of the classes' modules, of those of their bases, and of the modules of
    the same distributions that these import, directly or not, and of the files that they name. Layout,
    comments and docstrings are not in it, nor is arena, which has its version. UNKNOWN_CODE if a source
    cannot be had.
    """
    return digest_of(texts_of_spec(part) for spec in specs for part in spec.walk())


def texts_of_spec(spec: Spec) -> Iterator[str]:
    """What a spec's class is made of, as `texts_of`, and the files that it names, or NoSource."""
    if isinstance(spec, FileSpec):
        yield spec.target.partition(":")[2]
        yield from spec.file.trees()
    else:
        yield from texts_of(spec.cls)
        yield from file_texts(spec.cls, spec.values)


def code_of_classes(classes: Iterable[type]) -> str:
    """The same of classes."""
    return digest_of(texts_of(cls) for cls in classes)


def digest_of(parts: Iterable[Iterable[str]]) -> str:
    """The digest of all these texts in one order, whatever theirs; UNKNOWN_CODE if one cannot be had."""
    try:
        texts = sorted({text for part in parts for text in part})
    except NoSource:
        return UNKNOWN_CODE
    digest = sha256()
    for text in texts:
        digest.update(f"{len(text)} {text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def texts_of(cls: type) -> Iterator[str]:
    """What a class is made of: its name, those of its bases, and their syntax trees, or NoSource."""
    bases = [base for base in cls.__mro__ if not comes_with_version(base)]
    yield " ".join(base.__qualname__ for base in bases)
    for base in bases:
        if is_written(base):
            yield from written_texts(base)
        else:
            yield from reached([base.__module__], home_of(base.__module__))


def file_texts(cls: type[Configurable], values: Mapping[str, object]) -> Iterator[str]:
    """A digest of each file by which a thing with these options plays, or NoSource."""
    try:
        with foreign():
            files = [(path, os.stat(path)) for path in hook(cls, "files")(values)]
            digests = [file_digest(path, about.st_size, about.st_mtime_ns) for path, about in files]
    except Failed as error:
        raise NoSource(str(error)) from error
    yield from digests


@lru_cache(maxsize=256)
def file_digest(path: str, size: int, written: int) -> str:
    """Of a file's bytes; size, written: as it is now, so that another one is read again."""
    digest = sha256()
    with open_given(path) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return f"file {digest.hexdigest()}"


def comes_with_version(cls: type) -> bool:
    """Whether a class is Python's or the framework's."""
    module = cls.__module__
    if module.partition(".")[0] == "arena":
        return True
    return not is_written(cls) and home_of(module) is None and spec_of(module) is not None


def written_texts(cls: type) -> Iterator[str]:
    """The same of a class of a script or notebook, with the modules of its place that it imports."""
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
    """The syntax trees of modules, and of those of the same distribution that they import, or NoSource."""
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
    """What a module imports: the modules by their full names, and what it takes from each."""
    package = name if spec.submodule_search_locations is not None else name.rpartition(".")[0]
    for level, module, names in tree.imports:
        try:
            yield resolve_name("." * level + module, package), names
        except ImportError:  # from beyond the top
            continue


def top_of(name: str) -> str:
    return name.partition(".")[0]
