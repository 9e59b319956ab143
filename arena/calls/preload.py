"""Worker processes got ready as early as can be."""

from __future__ import annotations

from arena.compiler.switch import wanted
from arena.workers import processes

# what a worker process takes that plays compiled
COMPILED = ("arena.matches.compiled_block", "arena.compiler.runtime", "arena.compiler.machine")


def get_ready() -> None:
    """Have the process that workers are forked from begin to import what they take; does not wait."""
    processes.get_ready(*(COMPILED if wanted() else ()))
