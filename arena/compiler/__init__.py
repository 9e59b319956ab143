"""A compiler of games, agents and other components, which are ordinary Python classes, to machine code.

LLVM is imported only when needed. Code that cannot be compiled runs as plain Python, and `reason` returns
why. See `docs/compiling.md` for the language that compiles.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from arena.compiler.switch import Host, cache, host, plainly, wanted
from arena.texts import NOTE

if TYPE_CHECKING:
    from arena.api.game import Game
    from arena.compiler.runtime import Runner

LONG = 1.0  # seconds of plain Python after which its author is informed of the cost
PLACE = re.compile(r".*, line \d+: (?!compiled, )")  # the author's line; differences are warned of elsewhere

__all__ = [
    "Host",
    "advise",
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
    """Return a runner for each entry method of a component, by name; each compiles at its first call."""
    if os.environ.get("ARENA_COMPILED") == "0" or not hasattr(type(getattr(thing, "game", None)), "flat"):
        found: dict[str, Runner] = {}
        thing.__dict__["_runners"] = found
        return found
    from arena.compiler.runtime import runners

    return runners(thing)


def with_compiled_rules(game: Game) -> Game:
    """Replace a game's rules by compiled ones if possible, and return the game."""
    if wanted():
        from arena.compiler.rules import rules_of

        if rules := rules_of(game):
            rules.bind(game)
    return game


def is_compiled(thing: object) -> bool:
    """Return whether a game's rules, or an agent's or learner's methods, run compiled."""
    return reason(thing) is None


def reason(thing: object) -> str | None:
    """Return why a game, an agent or a learner runs as plain Python; None if it is compiled."""
    if not wanted():
        return unwanted()
    from arena.compiler.runtime import why_plain

    return why_plain(thing)


def methods(thing: object) -> dict[str, str | None]:
    """Return, by name of each compilable method, why it runs as plain Python; None if it runs compiled.

    If all run as plain Python for the same reason, the result is {"": reason}.
    """
    if not wanted():
        return {"": unwanted()}
    from arena.compiler.runtime import methods

    return methods(thing)


def advise(thing: object, name: str = "") -> None:
    """Tell the user, once, that a game, agent or learner runs as plain Python, with the reason and the cost.

    Nothing is printed for an agent or learner whose game does not compile.

    Args:
        thing: The game, agent or learner.
        name: Its name in the message; empty in a process that runs only this agent.
    """
    game = getattr(thing, "game", None)
    if not wanted() or not (game is None or is_compiled(game)):
        return
    slow = {method: why for method, why in methods(thing).items() if why and PLACE.match(why)}
    if slow:
        method, why = next(iter(slow.items()))
        what = "the rules run" if game is None else f"{method or 'it'} runs"
        cost = "" if "times as fast" in why else ", which is much slower than compiled code"
        text = f"{what} as plain Python{cost}: {why}; see docs/compiling.md"
        host.get().say(NOTE + (f"{name}: {text}" if name else text))


def unwanted() -> str:
    return "ARENA_COMPILED is 0" if os.environ.get("ARENA_COMPILED") == "0" else "compilation is turned off"
