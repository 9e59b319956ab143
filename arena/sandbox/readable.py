"""What a sandboxed process may read: Python, installed packages and shared libraries."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from arena.homes import INSTALLED, projects

# of the system, as far as they are there; of `/proc` and `/sys` what tells which processor this is
SYSTEM = (
    "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib",
    "/usr/share/zoneinfo", "/usr/share/locale", "/etc/ld.so.cache", "/etc/localtime",
    "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random",
    "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
)  # fmt: skip
# of the system, for programs
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
    """Return `sys.path` without the current folder, where strangers' files may lie, if it is no project."""
    here = Path.cwd()
    kept = is_installation(here) or any(here.is_relative_to(root) for root, _ in projects())
    return [path for path in dict.fromkeys(sys.path) if path and (kept or Path(path).absolute() != here)]


@cache
def installation(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files and folders of what is installed, given `sys.path`.

    Of a folder in which nothing is installed, such as the current one, only the packages count of projects
    that are installed for development.
    """
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    found = [*SYSTEM, *(sysconfig.get_path(kind) for kind in kinds), os.path.join(sys.base_prefix, "lib")]
    found += [path for path in paths if is_installation(Path(path))]
    for folder in map(Path, paths):
        if any(folder.is_relative_to(root) for root, _ in projects()):
            found += [str(package.parent) for package in sorted(folder.glob("*/__init__.py"))]
    found.append(str(Path(__file__).parents[1]))  # of arena itself, should it be in none of these
    return tuple(dict.fromkeys(filter(None, found)))


def is_installation(folder: Path) -> bool:
    """Return whether distributions are installed in a folder, or it is an archive of modules."""
    if folder.name in INSTALLED or folder.is_file():
        return True
    return folder.is_dir() and any(next(folder.glob(kind), None) for kind in ("*.dist-info", "*.egg-info"))


def modules(names: Iterable[str]) -> dict[str, tuple[str, bool]]:
    """Return the file of the top-level module of each of some modules, and whether it is a package.

    A folder on `sys.path` cannot be listed in the sandbox, so that modules in it are found by this alone.
    """
    found = {}
    for top in dict.fromkeys(name.partition(".")[0] for name in names):
        spec = PathFinder.find_spec(top)
        if spec and spec.has_location and spec.origin:
            found[top] = spec.origin, spec.submodule_search_locations is not None
    return found


def readable(places: Iterable[tuple[str, bool]]) -> Iterator[str]:
    """Return the file of each module, or the folder of each package."""
    for origin, is_package in places:
        yield os.path.dirname(origin) if is_package else origin
