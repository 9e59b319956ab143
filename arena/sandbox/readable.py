"""The files that a sandboxed process may read: Python, installed packages and shared libraries."""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from arena.module_files import INSTALLED, parse, projects

# system folders, if they exist; in `/proc` and `/sys` only what describes the processor
SYSTEM = (
    "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib",
    "/usr/share/zoneinfo", "/usr/share/locale", "/etc/ld.so.cache", "/etc/localtime",
    "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random",
    "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
)  # fmt: skip
# further folders, for programs
PROGRAMS = (
    "/usr",
    "/bin",
    "/sbin",
    "/opt",
    "/etc/alternatives",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    sys.prefix,
    sys.base_prefix,
)


def import_path() -> list[str]:
    """Return `sys.path` without the current folder, which is untrusted unless it belongs to a project."""
    here = Path.cwd()
    kept = is_installation(here) or any(here.is_relative_to(root) for root, _ in projects())
    return [path for path in dict.fromkeys(sys.path) if path and (kept or Path(path).absolute() != here)]


@cache
def installation(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files and folders of all installed packages, given `sys.path`.

    Of the folders of editable installs, only the project's packages are included; other folders are omitted.
    """
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    found = [*SYSTEM, *(sysconfig.get_path(kind) for kind in kinds), os.path.join(sys.base_prefix, "lib")]
    found += [path for path in paths if is_installation(Path(path))]
    for folder in map(Path, paths):
        if any(folder.is_relative_to(root) for root, _ in projects()):
            found += [str(package.parent) for package in sorted(folder.glob("*/__init__.py"))]
    found.append(str(Path(__file__).parents[1]))  # arena itself, in case no folder above contains it
    return without_nested(filter(None, found))


def without_nested(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths without those that are the same as, or within, another one; links are followed."""
    real = {path: os.path.realpath(path) for path in paths}
    first = {place: path for path, place in reversed(real.items())}
    return tuple(
        path
        for path, place in real.items()
        if first[place] == path and not any(map(first.__contains__, map(str, Path(place).parents)))
    )


def is_installation(folder: Path) -> bool:
    """Return whether a path is a folder with installed distributions, or an archive of modules."""
    if folder.name in INSTALLED or folder.is_file():
        return True
    return folder.is_dir() and any(next(folder.glob(kind), None) for kind in ("*.dist-info", "*.egg-info"))


def modules(names: Iterable[str]) -> dict[str, tuple[str, bool]]:
    """Return the files of the top-level modules with these names, and of the modules that they import.

    The sandbox cannot list folders on `sys.path`, so it finds modules there only through this function.
    Installed modules are omitted.

    Returns:
        The file of each module and whether it is a package, by name.
    """
    installed = real_folders(installation(tuple(import_path())))
    found: dict[str, tuple[str, bool]] = {}
    left, seen = [name.partition(".")[0] for name in names], set[str]()
    while left:
        top = left.pop()
        if top in seen:
            continue
        seen.add(top)
        spec = PathFinder.find_spec(top)
        if spec is None or not spec.has_location or not spec.origin:
            continue
        if not os.path.realpath(spec.origin).startswith(installed):
            found[top] = spec.origin, spec.submodule_search_locations is not None
            left += imports(*found[top])
    return found


@cache
def real_folders(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return paths without links, each followed by a separator."""
    return tuple(os.path.realpath(path) + os.sep for path in paths)


def imports(origin: str, is_package: bool) -> set[str]:
    """Return the top-level modules that a module, or all modules of a package, import."""
    files = sorted(Path(origin).parent.rglob("*.py")) if is_package else [Path(origin)]
    return set().union(*(imported(file, file.stat().st_mtime_ns) for file in files if file.suffix == ".py"))


@cache
def imported(file: Path, changed: int) -> frozenset[str]:
    """Return the top-level modules that a file imports; `changed` is its modification time, for the cache."""
    try:
        nodes = list(ast.walk(parse(file.read_bytes())))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return frozenset()
    named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named += [
        node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level
    ]
    return frozenset(name.partition(".")[0] for name in named)


def readable(places: Iterable[tuple[str, bool]]) -> Iterator[str]:
    """Yield the file of each module, or the folder of each package."""
    for origin, is_package in places:
        yield os.path.dirname(origin) if is_package else origin
