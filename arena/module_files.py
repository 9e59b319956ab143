"""Find and parse the files of modules without importing them, and find their distributions."""

from __future__ import annotations

import ast
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

WRITTEN = "arena_written_"  # prefix of the names of modules made from source code
INSTALLED = {"site-packages", "dist-packages"}  # folders that contain several distributions


def spec_of(name: str) -> ModuleSpec | None:
    """Return the spec of a module without importing its packages; None if it is not found."""
    there = getattr(sys.modules.get(name), "__spec__", None)
    if there is not None:
        return there  # type: ignore[no-any-return] # as importlib set it
    package = name.rpartition(".")[0]
    with suppress(ImportError, ValueError, AttributeError):
        if not package:
            return find_spec(name)
        above = spec_of(package)
        if above and above.submodule_search_locations is not None:
            return PathFinder.find_spec(name, list(above.submodule_search_locations))
    return None


def text_of(spec: ModuleSpec) -> str | None:
    """Return a module's source; None if it cannot be read, empty for a folder without `__init__.py`."""
    if spec.origin is None and spec.submodule_search_locations is not None:
        return ""
    loader: Any = spec.loader
    try:
        found = loader.get_source(spec.name)
    except (OSError, ImportError, AttributeError, UnicodeError, SyntaxError):
        return None
    return found if isinstance(found, str) else None


def home_of(name: str) -> str | None:
    """Return the distribution of a module, "" if it has none; None for the standard library or if not found.

    All files in the folder of a project with an editable install belong to that project.
    """
    top = name.partition(".")[0]
    spec = spec_of(top)
    if spec is None:
        return None
    places = [spec.origin] if spec.has_location else list(spec.submodule_search_locations or ())
    return home_of_file(places[0], top) if places and places[0] else None


@cache
def home_of_file(file: str, top: str = "") -> str | None:
    """Return the `home_of` a file, given its top-level package."""
    path = Path(file).absolute()
    for folder in path.parents:
        if folder.name in INSTALLED:
            return owner(str(folder), top)
    if any(path.is_relative_to(get_path(kind)) for kind in ("stdlib", "platstdlib")):
        return None
    for root, name in projects():
        if path.is_relative_to(root):
            return name
    return ""


@cache
def owner(folder: str, top: str) -> str:
    """Return the distribution in `folder` that contains a top-level package, or the package's name."""
    for distribution in distributions(path=[folder]):
        listed = "\n" + (distribution.read_text("RECORD") or "")
        if f"\n{top}/" in listed or f"\n{top}." in listed:
            return distribution.name
    return top


@cache
def projects() -> list[tuple[Path, str]]:
    """Return the folders and names of projects with an editable install, the innermost first."""
    return sorted(found(), key=lambda project: -len(project[0].parts))


def found() -> Iterator[tuple[Path, str]]:
    for distribution in distributions():
        with suppress(ValueError, TypeError, AttributeError):
            about = json.loads(distribution.read_text("direct_url.json") or "{}")
            if about.get("dir_info", {}).get("editable"):
                yield Path(url2pathname(unquote(urlsplit(about["url"]).path))), distribution.name


parsing = threading.Lock()


def parse(source: str | bytes) -> ast.Module:
    """Parse a module's source, one thread at a time.

    Python 3.11 and 3.12 share the recursion depth of the parser among threads: parsing in two threads at once
    may raise SystemError ("AST constructor recursion depth mismatch").

    Raises:
        SyntaxError: If the source is not valid Python.
        ValueError: If it contains null characters.
        RecursionError: If it is nested too deeply; sometimes MemoryError instead.
    """
    with parsing:
        return ast.parse(source)


def is_written(cls: object) -> bool:
    """Return whether a class must be sent to other processes as source code."""
    module: str = cls.__module__
    return module == "__main__" or module.startswith(WRITTEN)
