"""The decision whether the code of a file may run in this process.

The code may always run in a sandbox. Outside a sandbox, it may run only if the user trusts it: a game that
the user named, or an agent that the user runs without a sandbox. The user's own process decides, and sends
the decision to other processes with `arena.registry.files.FileSpec`.
"""

from __future__ import annotations

from arena.errors import ArenaError
from arena.sandbox import confined
from arena.texts import either

admitted = set[str]()  # private names of trusted modules: files and adjacent modules


class Unadmitted(ArenaError):
    """Code of a file that the user does not trust would have run outside a sandbox."""


def admit(module: str) -> None:
    """Allow a file's module to run in this process, since the user trusts it."""
    admitted.add(module)


def admit_beside(module: str, helper: str) -> None:
    """Allow a module adjacent to a file to run in this process if the file may.

    Args:
        module: Private name of the file's module.
        helper: Private name of the adjacent module.
    """
    if module in admitted:
        admitted.add(helper)


def check_may_run(module: str, name: str) -> None:
    """Raise Unadmitted unless a file's module may run in this process.

    Args:
        module: The private name of the module, or of a module in its package.
        name: The name of the file, for the error.
    """
    if not confined() and module.partition(".")[0] not in admitted:
        trusted = either("--no-isolate", "isolate=False")
        raise Unadmitted(f"{name} runs only in the sandbox; if you trust it: {trusted}")
