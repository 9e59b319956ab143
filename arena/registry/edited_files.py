"""A check for files that were edited after Python imported them, so that code in memory is out of date."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, ModuleType
from weakref import WeakKeyDictionary

from arena.errors import ArenaError
from arena.module_files import home_of
from arena.registry.source_classes import codes_of, functions_of, same_code

CODES: WeakKeyDictionary[type, str] = WeakKeyDictionary()  # digests of classes when they were first entered


def check_unedited(cls: type, code: str) -> None:
    """Raise ArenaError if the files of a class were edited since they were imported.

    Worker processes would import the new version. A class that was updated in place, as IPython's autoreload
    does, counts as new.

    Args:
        cls: The class.
        code: Digest of the files as they are now.
    """
    if CODES.setdefault(cls, code) == code:
        return
    home = home_of(cls.__module__)
    alike = [name for name in list(sys.modules) if home is not None and home_of(name) == home]
    for name in {cls.__module__, *alike}:
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        if file.endswith(".py") and not all(is_of(file, own) for own in codes_there(sys.modules[name], cls)):
            raise ArenaError(
                f"{file} was edited since it was imported, and {cls.__name__} is as it was before; "
                "reload it by importlib.reload, or start Python again"
            )
    CODES[cls] = code


def codes_there(module: ModuleType, cls: type) -> Iterator[CodeType]:
    """Yield the code objects of a module's functions and methods, and of a class."""
    things: list[object] = [cls, *vars(module).values()]
    for thing in things:
        if isinstance(thing, type) or hasattr(thing, "__code__"):
            yield from (function.__code__ for function in functions_of(thing))


def is_of(file: str, code: CodeType) -> bool:
    """Return whether a function is defined in a file as its code is in memory, or comes from another file."""
    if code.co_filename != file:
        return True
    try:
        with open(file, encoding="utf-8") as lines:
            there = codes_of(lines.read())
    except (OSError, ValueError, SyntaxError):
        return False
    return any(same_code(code, other) for other in there if other.co_qualname == code.co_qualname)
