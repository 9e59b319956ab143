"""The hooks: how a distribution offers games, agents, evaluations, commands and the like.

A plugin is a module named by an entry point of the group `arena`. It implements any of these with
`@hookimpl`, and in each calls `register(name, target, help, section)` for what it offers:

name    words of a-z and 0-9 joined by hyphens, what users type
target  `module:attribute`, imported only when the thing is used
help    a line for `arena help --all`; commands only, elsewhere the first line of the docstring serves
section Play, Look, Learn, Write, Analyse or Share: where `arena --help` lists it; commands only
"""

from __future__ import annotations

from typing import Protocol

import pluggy

hookspec = pluggy.HookspecMarker("arena")
hookimpl = pluggy.HookimplMarker("arena")


class Register(Protocol):
    def __call__(self, name: str, target: str, help: str = "", section: str = "") -> None: ...


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
    """Targets are functions of a number of workers that give a `concurrent.futures.Executor`.

    To end an agent that hangs, and to go on after one that takes its process down, is the art of
    arena's own `processes`.
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
