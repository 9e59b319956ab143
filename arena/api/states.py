"""Room for positions, by number."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.api.component import Component
from arena.api.game import Game, State

Rows: TypeAlias = NDArray[np.int64] | list[State]


class States(Component):
    """Room for positions of a game, by number: `states[i] = state`, and `states[i]` returns it.

    Args:
        game: The game.
        room: The number of positions.

    Attributes:
        words: int64 [room, words] if the game is flat, otherwise a list of positions.
    """

    def __init__(self, game: Game, room: int) -> None:
        self.game = game
        self.words = rows(game, room)

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, i: int) -> State:
        return load(self.game, self.words, i)

    def __setitem__(self, i: int, state: State) -> None:
        store(self.words, i, state)

    def holds(self, i: int, state: State) -> bool:
        """Return whether this position was stored at `i` last."""
        return is_at(self.words, i, state)


def rows(game: Game, room: int) -> Rows:
    """Return int64 [room, words], or a list for a game that is not flat."""
    return np.zeros((room, len(game.initial())), np.int64) if game.flat else [None] * room


# what follows is plain Python's; compiled code has its own


def load(game: Game, words: Rows, i: int) -> State:
    """Return the position in row `i`."""
    if isinstance(words, list):
        return words[i]
    row = words[i].tolist()
    start = game.initial()
    return type(start)(*row) if hasattr(start, "_fields") else tuple(row)


def store(words: Rows, i: int, state: State) -> None:
    """Store a position in row `i` of `States.words`. Compiled code does so without making a tuple."""
    words[i] = state


def is_at(words: Rows, i: int, state: State) -> bool:
    """Return whether the position in row `i` is this one."""
    return bool(words[i] == state if isinstance(words, list) else tuple(words[i].tolist()) == state)
