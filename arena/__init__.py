"""arena: tournaments among game-playing programs. All that a plugin's author imports is here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena.agent import Agent, FastAgent
from arena.errors import ArenaError
from arena.evaluation import Evaluation
from arena.game import FastGame, Game
from arena.hookspecs import hookimpl
from arena.options import option
from arena.rng import Rng
from arena.spec import Spec

if TYPE_CHECKING:
    from arena.ratings import Rating, RatingSystem, Results

__version__ = "0.1.0"
__all__ = [
    "Agent",
    "ArenaError",
    "Evaluation",
    "FastAgent",
    "FastGame",
    "Game",
    "Rating",
    "RatingSystem",
    "Results",
    "Rng",
    "Spec",
    "hookimpl",
    "option",
]


def __getattr__(name: str) -> Any:
    if name in ("Rating", "RatingSystem", "Results"):  # these import numpy, .1 s that few need
        from arena import ratings

        return getattr(ratings, name)
    raise AttributeError(f"module 'arena' has no attribute {name!r}")
