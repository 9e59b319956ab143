"""The framework's own commands, executors, rating systems and formats, registered like those of a plugin.

Each package lists its own in its `__init__.py`. Packages of higher layers are imported by name.
"""

from __future__ import annotations

from arena.api.hooks import Register, hookimpl
from arena.api.spec import load_target


@hookimpl
def register_commands(register: Register) -> None:
    for section, commands in load_target("arena.commands:COMMANDS").items():
        for name, (module, help) in commands.items():
            register(name, f"arena.commands.{module}:{name}", help, section)


@hookimpl
def register_executors(register: Register) -> None:
    register_all(register, "arena.workers:EXECUTORS")


@hookimpl
def register_ratings(register: Register) -> None:
    register_all(register, "arena.ratings:RATINGS")


@hookimpl
def register_formats(register: Register) -> None:
    register_all(register, "arena.plan:FORMATS")


def register_all(register: Register, table: str) -> None:
    """Register the entries of a table, each a name and a target; `table` is `module:attribute`."""
    for name, target in load_target(table).items():
        register(name, target)
