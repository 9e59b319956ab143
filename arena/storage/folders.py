"""The folders in which things are kept that any process may read: models, endings and machine code."""

from __future__ import annotations

import os

from arena.compiler import cache
from arena.storage import endings, keys


def kept_folders() -> dict[str, str]:
    """Return the folders by the variables of the environment that name them."""
    return {
        "ARENA_MODELS": os.path.abspath(keys.folder()),
        "ARENA_ENDINGS": os.path.abspath(endings.default_folder()),
        "ARENA_CACHE": os.path.abspath(cache()),
    }
