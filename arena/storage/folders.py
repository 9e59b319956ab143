"""The folders in which things are kept that sandboxed processes use: models, endings and machine code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from arena.compiler import cache
from arena.storage import endings, keys


def kept_folders() -> dict[str, str]:
    """Return the folders by the variables of the environment that name them."""
    return {
        "ARENA_MODELS": os.path.abspath(keys.folder()),
        "ARENA_ENDINGS": os.path.abspath(endings.default_folder()),
        "ARENA_CACHE": os.path.abspath(cache()),
    }


def sandboxed_with(files: Sequence[str] = ()) -> dict[str, Any]:
    """Return the arguments of `arena.sandbox.Sandboxed` for a process that uses what is kept.

    Models and machine code have digests in their names, by which a process finds its own and nobody else's.

    Args:
        files: What it may read besides.
    """
    folders = kept_folders()
    return {
        "files": [folders["ARENA_ENDINGS"], *files],
        "known": [folders["ARENA_MODELS"], os.path.join(folders["ARENA_CACHE"], "machine-code")],
        "environment": folders,
    }
