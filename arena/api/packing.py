"""Convert positions to arrays, in which models store them, and back."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena.api.game import Game, State
from arena.api.words import state_of, words_of
from arena.errors import ArenaError


def pack_states(game: Game, states: Sequence[State]) -> NDArray[np.int64] | NDArray[np.str_]:
    """Return positions as an array: int64 [positions, words] for a flat game, otherwise texts.

    The words of a position are its ints, and the code points of its texts, including those of tuples in it.

    Args:
        game: The game.
        states: The positions.

    Raises:
        ArenaError: If positions contain anything but ints, texts and tuples.
    """
    if game.flat:
        return np.array([*map(words_of, states)], np.int64).reshape(
            len(states), len(words_of(game.initial()))
        )
    texts = list(map(repr, states))
    for state, text in zip(states, texts, strict=True):
        try:
            same = ast.literal_eval(text) == state
        except (ValueError, SyntaxError):
            same = False
        if not same:
            raise ArenaError(
                f"positions of {game} cannot be stored: {text} does not consist of ints, texts and tuples"
            )
    return np.array(texts, np.str_)


def unpack_states(packed: NDArray[np.int64] | NDArray[np.str_], game: Game | None = None) -> list[object]:
    """Return the positions that `pack_states` packed.

    Args:
        packed: The array.
        game: The game. Default: one whose positions are tuples of ints without tuples in them.
    """
    if packed.ndim == 2 and game is not None:
        return [state_of(game.initial(), row) for row in packed.tolist()]
    if packed.ndim == 2:
        return list(map(tuple, packed.tolist()))
    return [ast.literal_eval(text) for text in packed.tolist()]
