"""Games and kernels compiled by numba, for whoever asks; nothing here is imported before that.

`engine(game)` gives the compiled twin of a fast game's rules and of any module of kernels, or None
where it has to be plain Python: a plain game, `ARENA_COMPILED=0`, or rules that do not compile.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.compiled.engine import Engine
    from arena.game import Game


def engine(game: Game) -> Engine | None:
    """The compiled twin of a game's rules, or None."""
    from arena.game import FastGame

    if not isinstance(game, FastGame) or os.environ.get("ARENA_COMPILED") == "0":
        return None
    from arena.compiled.engine import engine_of

    return engine_of(game)
