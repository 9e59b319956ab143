"""arena: tournaments among game-playing programs. All that a plugin's author imports is here."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, without its import
if TYPE_CHECKING:
    from arena.agent import Agent, FastAgent
    from arena.errors import ArenaError
    from arena.evaluation import Evaluation
    from arena.explanation import Reason, View
    from arena.game import FastGame, Game
    from arena.hookspecs import hookimpl
    from arena.learner import FastLearner, Learner
    from arena.models import pack_states, unpack_states
    from arena.options import option
    from arena.protocol import Protocol
    from arena.ratings import Rating, RatingSystem, Results
    from arena.rng import Rng
    from arena.spec import Spec

__version__ = "0.1.0"
__all__ = [
    "Agent",
    "ArenaError",
    "Evaluation",
    "FastAgent",
    "FastGame",
    "FastLearner",
    "Game",
    "Learner",
    "Protocol",
    "Rating",
    "RatingSystem",
    "Reason",
    "Results",
    "Rng",
    "Spec",
    "View",
    "hookimpl",
    "option",
    "pack_states",
    "unpack_states",
]

HOMES = {
    "Agent": "arena.agent",
    "FastAgent": "arena.agent",
    "ArenaError": "arena.errors",
    "Evaluation": "arena.evaluation",
    "Reason": "arena.explanation",
    "View": "arena.explanation",
    "FastGame": "arena.game",
    "FastLearner": "arena.learner",
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
