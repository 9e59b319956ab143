"""arena: tournaments among game-playing programs. All that a plugin's author imports is here."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, without its import
if TYPE_CHECKING:
    from arena.agent import Agent
    from arena.component import Component, compiled
    from arena.errors import ArenaError
    from arena.evaluation import Evaluation
    from arena.explanation import Reason, View
    from arena.game import Game
    from arena.hookspecs import hookimpl
    from arena.learner import Learner
    from arena.models import pack_states, unpack_states
    from arena.options import option
    from arena.protocol import Protocol
    from arena.ratings import Rating, RatingSystem, Results
    from arena.rng import Rng
    from arena.spec import Spec
    from arena.states import States
    from arena.table import Table

__version__ = "0.1.0"
__all__ = [
    "Agent",
    "ArenaError",
    "Component",
    "Evaluation",
    "Game",
    "Learner",
    "Protocol",
    "Rating",
    "RatingSystem",
    "Reason",
    "Results",
    "Rng",
    "Spec",
    "States",
    "Table",
    "View",
    "compiled",
    "hookimpl",
    "option",
    "pack_states",
    "unpack_states",
]

HOMES = {
    "Agent": "arena.agent",
    "ArenaError": "arena.errors",
    "Component": "arena.component",
    "compiled": "arena.component",
    "States": "arena.states",
    "Table": "arena.table",
    "Evaluation": "arena.evaluation",
    "Reason": "arena.explanation",
    "View": "arena.explanation",
    "Learner": "arena.learner",
    "Game": "arena.game",
    "hookimpl": "arena.hookspecs",
    "option": "arena.options",
    "pack_states": "arena.models",
    "unpack_states": "arena.models",
    "Protocol": "arena.protocol",
    "Rng": "arena.rng",
    "Spec": "arena.spec",
    "Rating": "arena.ratings",
    "RatingSystem": "arena.ratings",
    "Results": "arena.ratings",
}


def __getattr__(name: str) -> object:
    """Each name is imported when it is used, so that commands begin at once."""
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module 'arena' has no attribute {name!r}")
