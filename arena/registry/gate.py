"""The gate: whether the code of a file may run in this process.

It may in a sandbox. Elsewhere it may only where the user trusts it: the rules of a game that the user has
named, or an agent that the user has said to play without a sandbox. That is decided in the user's own
process, and the decision travels with what is to be made, see `arena.registry.files.FileSpec`.
"""

from __future__ import annotations

from arena.errors import ArenaError
from arena.sandbox import confined
from arena.wording import either

admitted = set[str]()  # the names of the modules that the user trusts, of files and of what lies beside them


class Unadmitted(ArenaError):
    """A file's code was to run outside a sandbox, and the user does not trust it."""


def admit(module: str) -> None:
    """Allow a file's module to run in this process because the user trusts it."""
    admitted.add(module)


def admit_beside(module: str, helper: str) -> None:
    """Allow the modules that a trusted file imports from its folder to run in this process."""
    if module in admitted:
        admitted.add(helper)


def check_may_run(module: str, name: str) -> None:
    """Raise Unadmitted unless a file's module may run in this process.

    Args:
        module: The private name of the module, or of one within its package.
        name: The name of the file, for the error.
    """
    if not confined() and module.partition(".")[0] not in admitted:
        trusted = either("--no-isolate", "isolate=False")
        raise Unadmitted(f"{name} runs in a sandbox alone; if you trust it: {trusted}")
