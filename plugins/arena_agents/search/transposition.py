"""A transposition table: the results of a search for positions."""

from __future__ import annotations

import numpy as np

from arena import Component, Game, Move, State, States, hash_state

EXACT, LOWER, UPPER = 1, 2, 3  # kinds of values; 0 = an empty place
DEPTHS = 1 << 16
NO_MOVE = -1


class TranspositionTable(Component):
    """Values of positions, stored with the position, the depth searched and the best move.

    Each bucket has two places: the first is for the deepest search, the second for the most recent one. A
    value is valid for exactly the position, remaining depth and age with which it was stored, so the result
    of a search does not depend on which values were overwritten. Increasing `age` invalidates all stored
    values.

    places: a power of two from 2, or 0. states, moves, values: [places]. tags: int64 [places],
    (age * DEPTHS + depth) * 4 + bound.
    """

    def __init__(self, game: Game, places: int) -> None:
        self.game, self.age = game, 0
        self.bucket = places - 2  # a mask
        self.states = States(game, places)
        self.tags = np.zeros(places, np.int64)
        self.moves = np.zeros(places, np.int64 if game.flat else object)
        self.values = np.zeros(places)

    def find(self, state: State) -> int:
        """Return the place of a position stored at the current age, or -1."""
        first = hash_state(state) & self.bucket
        for place in range(first, first + 2):
            tag = self.tags[place]
            if tag // (4 * DEPTHS) == self.age and tag & 3 != 0 and self.states.holds(place, state):
                return place
        return -1

    def store(self, state: State, depth: int, bound: int, move: Move, value: float) -> None:
        """Store a position."""
        place = hash_state(state) & self.bucket
        deeper = self.tags[place] // (4 * DEPTHS) == self.age and self.depth(place) > depth
        if deeper and not self.states.holds(place, state):
            place += 1
        self.states[place] = state
        self.tags[place] = (self.age * DEPTHS + depth) * 4 + bound
        self.moves[place] = move
        self.values[place] = value

    def depth(self, place: int) -> int:
        """Return the number of plies to which the position in a place was searched."""
        return self.tags[place] // 4 % DEPTHS

    def bound(self, place: int) -> int:
        """Return the kind of the value in a place: EXACT, LOWER or UPPER."""
        return self.tags[place] & 3
