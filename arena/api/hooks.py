"""The hooks by which a distribution offers games, agents, evaluations, commands and more.

A plugin is a module named by an entry point of the group `arena`. It implements any of these hooks with
`@hookimpl`. Each hook calls `register(name, target, help, section)` for each object that it offers:

name    what users type: words of a-z and 0-9 joined by hyphens
target  `module:attribute`, imported only when the object is used
help    a line for `arena help --all`; commands only, others use the first line of their docstring
section Play, Look, Learn, Write, Analyse or Share: where `arena --help` lists it; commands only
"""

from __future__ import annotations

from typing import Protocol

import pluggy

hookspec = pluggy.HookspecMarker("arena")
hookimpl = pluggy.HookimplMarker("arena")


class Register(Protocol):
    """The function that is passed to a hook, by which a plugin registers what it offers."""

    def __call__(self, name: str, target: str, help: str = "", section: str = "") -> None:
        """Register one object.

        Args:
            name: What users type: words of a-z and 0-9 joined by hyphens.
            target: `module:attribute`, imported when the object is first used.
            help: For commands, one line for `arena --help`. For other objects the first line of the docstring
                is used.
            section: For commands, the section of `arena --help`.
        """


@hookspec
def register_games(register: Register) -> None:
    """Targets are subclasses of `arena.Game`."""


@hookspec
def register_agents(register: Register) -> None:
    """Targets are subclasses of `arena.Agent`."""


@hookspec
def register_commands(register: Register) -> None:
    """Targets are click commands, which become `arena NAME`."""


@hookspec
def register_executors(register: Register) -> None:
    """Targets are functions that take the number of workers and return a `concurrent.futures.Executor`.

    Only arena's own executor `processes` can stop an agent that hangs, or continue after an agent has crashed
    its process.
    """


@hookspec
def register_ratings(register: Register) -> None:
    """Targets are subclasses of `arena.RatingSystem`."""


@hookspec
def register_formats(register: Register) -> None:
    """Targets are subclasses of `arena.Format`."""


@hookspec
def register_solvers(register: Register) -> None:
    """Targets are subclasses of `arena.Solver`; each is registered under the name of its game."""


@hookspec
def register_endings(register: Register) -> None:
    """Targets are subclasses of `arena.Endings`; each is registered under the name of its game."""


@hookspec
def register_evaluations(register: Register) -> None:
    """Targets are subclasses of `arena.Evaluation`."""
