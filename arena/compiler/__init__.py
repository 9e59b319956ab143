"""Compiles games, agents and what they have, ordinary Python classes, to machine code.

Nothing of LLVM is imported before. Whatever cannot be compiled runs as it stands, and `reason` tells why.
`docs/compiling.md` says what compiles.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from arena.compiler.switch import Host, cache, host, plainly, wanted

if TYPE_CHECKING:
    from arena.api.game import Game
    from arena.compiler.runtime import Runner

__all__ = [
    "Host",
    "cache",
    "host",
    "is_compiled",
    "methods",
    "plainly",
    "reason",
    "runners_of",
    "wanted",
    "with_compiled_rules",
]


def runners_of(thing: Any) -> dict[str, Runner]:
    """What runs a component's entries compiled, by name; made when one is called first."""
    if os.environ.get("ARENA_COMPILED") == "0" or not hasattr(getattr(thing, "game", None), "flat"):
        found: dict[str, Runner] = {}
        thing.__dict__["_runners"] = found
        return found
    from arena.compiler.runtime import runners

    return runners(thing)


def with_compiled_rules(game: Game) -> Game:
    """The game itself, its rules replaced by compiled ones where they can be."""
    if wanted():
        from arena.compiler.rules import rules_of

        if rules := rules_of(game):
            rules.bind(game)
    return game


def is_compiled(thing: object) -> bool:
    """Whether a game's rules, or an agent's or learner's methods, run compiled."""
    return reason(thing) is None


def reason(thing: object) -> str | None:
    """Why a game, an agent or a learner runs as plain Python, in its author's terms; None if it does not."""
    if not wanted():
        return unwanted()
    from arena.compiler.runtime import why_plain

    return why_plain(thing)


def methods(thing: object) -> dict[str, str | None]:
    """The same of each method that can be compiled, by name; {"": why} if all run as plain Python."""
    if not wanted():
        return {"": unwanted()}
    from arena.compiler.runtime import methods

    return methods(thing)


def unwanted() -> str:
    return "ARENA_COMPILED is 0" if os.environ.get("ARENA_COMPILED") == "0" else "it is told to"
