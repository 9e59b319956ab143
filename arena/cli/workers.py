"""Worker processes got ready as early as can be."""

from __future__ import annotations

from arena import executors
from arena.compiler import wanted

# what a worker process takes that plays compiled
COMPILED = ("arena.stage", "arena.compiler.runtime", "arena.compiler.machine")


def get_ready() -> None:
    """Have the process that workers are forked from begin to import what they take; does not wait."""
    executors.get_ready(*(COMPILED if wanted() else ()))
