"""A transposition table: what a search has found out about positions, each kept with the position itself.

Buckets of two places: the first keeps what was searched deepest, the second what came last. A value is
true of exactly the position, the remaining depth and the match it was stored with, so what a search
returns does not depend on what the table has forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import Game
from arena.kernel import (
    Float,
    FloatPointer,
    Int,
    IntPointer,
    State,
    States,
    hash_state,
    is_state,
    put_state,
)

SMALL = 100_000  # positions at each number of plies to go, in a game that is searched to the end
EXACT, LOWER, UPPER = 1, 2, 3  # what a value is a bound of; 0 = an empty place
DEPTHS = 1 << 16
NOWHERE = -1

# of a place's tag: age * DEPTHS * 4 + depth * 4 + bound


def arrays(places: int) -> Sequence[Any]:
    """Positions, tags, moves and values of so many places, a power of two from 2."""
    import numpy as np  # whose zeros cost nothing before they are used

    return States(places), np.zeros(places, np.int64), np.zeros(places, np.int64), np.zeros(places)


def plies_to_the_end(game: Game, otherwise: int) -> int:
    """As many plies as a match can have, in a game known to be small; `otherwise` in any other."""
    small = game.reachable is not None and game.reachable * game.max_plies <= SMALL
    return game.max_plies if small else otherwise


def find(s: State, age: Int, states: IntPointer, tags: IntPointer, places: Int) -> Int:
    """The place of a position stored at this age, or NOWHERE."""
    first = hash_state(s) & (places - 1) & ~1
    for place in range(first, first + 2):
        tag = tags[place]
        if tag // (4 * DEPTHS) == age and tag & 3 != 0 and is_state(states, place, s):
            return place
    return NOWHERE


def depth_at(tag: Int) -> Int:
    return tag // 4 % DEPTHS


def store(
    s: State,
    age: Int,
    depth: Int,
    bound: Int,
    move: Int,
    value: Float,
    states: IntPointer,
    tags: IntPointer,
    moves: IntPointer,
    values: FloatPointer,
    places: Int,
) -> Int:
    """Put a position down; where."""
    first = hash_state(s) & (places - 1) & ~1
    tag = tags[first]
    place = first
    if tag // (4 * DEPTHS) == age and depth_at(tag) > depth and not is_state(states, first, s):
        place = first + 1
    put_state(states, place, s)
    tags[place] = (age * DEPTHS + depth) * 4 + bound
    moves[place] = move
    values[place] = value
    return place
