"""Games and kernels compiled by numba, for whoever asks; nothing here is imported before that.

`engine(game)` gives the compiled twin of a fast game's rules and of any module of kernels, or None
where it has to be plain Python: a plain game, `ARENA_COMPILED=0`, or rules that do not compile.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from arena.game import FastGame

if TYPE_CHECKING:
    from arena.compiled.engines import Engine
    from arena.game import Game


def wanted(cls: type) -> bool:
    """Whether the rules of games of this class are to be compiled."""
    return issubclass(cls, FastGame) and os.environ.get("ARENA_COMPILED") != "0"


def engine(game: Game) -> Engine | None:
    """The compiled twin of a game's rules, or None."""
    if not isinstance(game, FastGame) or not wanted(type(game)):
        return None
    from arena.compiled.engines import engine_of

    return engine_of(game)


def swift(game: Game) -> Game:
    """The game, calling compiled rules where it has them: for agents in plain Python."""
    compiled = engine(game)
    return compiled.swift(game) if compiled else game
