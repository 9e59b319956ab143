"""Modules that are made in this process of a text: of a file, or of source that was sent here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import RLock
from types import ModuleType

making: dict[str, RLock] = {}  # by a module's name, held while it is made


def module_made(name: str, module: ModuleType, fill: Callable[[ModuleType], None]) -> ModuleType:
    """The module of a name, made here if it is not there; no other thread meets it half made.

    module: an empty one, kept under the name while it is filled, as its classes look for what they name
    there. What `fill` raises is raised, and the module is gone.
    """
    with making.setdefault(name, RLock()):
        if name not in sys.modules:
            sys.modules[name] = module
            try:
                fill(module)
            except BaseException:
                del sys.modules[name]
                raise
        return sys.modules[name]
