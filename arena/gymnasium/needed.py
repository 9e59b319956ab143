"""Import the packages that environments need, which are optional dependencies."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from arena.errors import ArenaError


def needed(name: str) -> Any:
    """Import a module of Gymnasium or PettingZoo, or raise ArenaError that says how to install it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        raise ArenaError(
            f"arena.gymnasium needs {package}, which is not installed: "
            "pip install 'arena-tournament[gymnasium]'"
        ) from error
