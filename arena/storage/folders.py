"""The folders that sandboxed processes use: models, endings and machine code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from arena.compiler import cache
from arena.storage import endings, model_file


def kept_folders() -> dict[str, str]:
    """Return the folders, by the environment variables that name them."""
    return {
        "ARENA_MODELS": os.path.abspath(model_file.folder()),
        "ARENA_ENDINGS": os.path.abspath(endings.default_folder()),
        "ARENA_CACHE": os.path.abspath(cache()),
    }


def sandboxed_with(files: Sequence[str] = ()) -> dict[str, Any]:
    """Return the arguments of `arena.sandbox.Sandboxed` for a process that uses these folders.

    Models and machine code have digests in their file names, so a process can only find those whose digest it
    can compute.

    Args:
        files: Further files that the process may read.
    """
    folders = kept_folders()
    return {
        "files": [folders["ARENA_ENDINGS"], *files],
        "known": [folders["ARENA_MODELS"], os.path.join(folders["ARENA_CACHE"], "machine-code")],
        "environment": folders,
    }
