"""arena: tournaments among game-playing programs. All that a plugin's author imports is here."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, without its import
if TYPE_CHECKING:
    from arena.api.agent import Agent
    from arena.api.component import Component, compiled
    from arena.api.evaluation import Evaluation
    from arena.api.explanation import Reason, View
    from arena.api.game import Game
    from arena.api.hooks import hookimpl
    from arena.api.learner import Learner
    from arena.api.options import option
    from arena.api.packing import pack_states, unpack_states
    from arena.api.protocol import Protocol
    from arena.api.rating import Rating, RatingSystem, Results
    from arena.api.spec import Spec
    from arena.api.states import States
    from arena.api.table import Table
    from arena.errors import ArenaError
    from arena.rng import Rng

__version__ = "0.2.0"
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
    "Agent": "arena.api.agent",
    "ArenaError": "arena.errors",
    "Component": "arena.api.component",
    "compiled": "arena.api.component",
    "States": "arena.api.states",
    "Table": "arena.api.table",
    "Evaluation": "arena.api.evaluation",
    "Reason": "arena.api.explanation",
    "View": "arena.api.explanation",
    "Learner": "arena.api.learner",
    "Game": "arena.api.game",
    "hookimpl": "arena.api.hooks",
    "option": "arena.api.options",
    "pack_states": "arena.api.packing",
    "unpack_states": "arena.api.packing",
    "Protocol": "arena.api.protocol",
    "Rng": "arena.rng",
    "Spec": "arena.api.spec",
    "Rating": "arena.api.rating",
    "RatingSystem": "arena.api.rating",
    "Results": "arena.api.rating",
}


def __getattr__(name: str) -> object:
    """Each name is imported when it is used, so that commands begin at once."""
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module 'arena' has no attribute {name!r}")
