"""What tabular learners share: a table of values that grows, and its model.

The table is open-addressing: a position's entries are in the place that its hash names, or the next that was
free. It has one entry for a position or one for each of its moves, and one value or more for an entry.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from arena import ArenaError, FastGame, FastLearner, option, pack_states, unpack_states
from arena.agent import PlainPlayer
from arena.kernel import (
    Arrays,
    FloatPointer,
    Int,
    IntPointer,
    Rules,
    State,
    States,
    floats,
    hash_state,
    ints,
    is_state,
    put_state,
    state_at,
)
from arena.learner import Arrays as Model

LEAST = 1 << 10  # places of a table
FILLED = 0.75  # of them, at most
PLAIN_WORDS = 20  # what a position of a plain game takes, more or less

# the agent's arrays; a place is free where its first value is NaN
SETTINGS, STATES, MOVES, VALUES, OLD_STATES, OLD_MOVES, OLD_VALUES = range(7)
OWN = 7  # and from there on the learner's own

# settings: places - 1 (places are a power of two), places taken, how many may be, values an entry, whether
# entries are for moves, plies that make a draw
MASK, TAKEN, ROOM, WIDTH, KEYED, MAX_PLIES = range(6)
OWN_SETTINGS = 6


def place_from(place: Int, s: State, mask: Int, states: IntPointer, values: FloatPointer, width: Int) -> Int:
    """Where a position's values are, or are to go: in this place or the next that is its own or free."""
    while values[place * width] == values[place * width] and not is_state(states, place, s):
        place = (place + 1) & mask
    return place


def move_over(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """Enter what is in the first `n` places of the old table into the new; gives how many there are."""
    settings = ints(arrays, SETTINGS)
    states, moves, values = ints(arrays, STATES), ints(arrays, MOVES), floats(arrays, VALUES)
    old_states, old_moves = ints(arrays, OLD_STATES), ints(arrays, OLD_MOVES)
    old_values = floats(arrays, OLD_VALUES)
    width = settings[WIDTH]
    for i in range(n):
        if old_values[i * width] == old_values[i * width]:
            known = state_at(old_states, i, s)
            place = hash_state(known) & settings[MASK]
            while values[place * width] == values[place * width]:
                place = (place + 1) & settings[MASK]
            put_state(states, place, known)
            if settings[KEYED]:
                moves[place] = old_moves[i]
            for j in range(width):
                values[place * width + j] = old_values[i * width + j]
            settings[TAKEN] += 1
    return settings[TAKEN]


class ValueTable(FastLearner):
    """A learner with a table. Its kernel has `move_over` too, and its own arrays come after the table's."""

    memory: int = option(1000, "megabytes that its table may take", low=1)
    width: ClassVar[int] = 1  # values an entry
    keyed: ClassVar[bool] = False  # whether there is an entry for each move

    def prepare(self) -> None:
        self.learning = False  # what only that takes is made when it begins
        self.old: tuple[Any, Any, Any] = ((), (), ())  # states, moves and values to move over
        self.places = LEAST
        self.make_room(0)

    def own_settings(self) -> Sequence[int]:
        """What follows the table's settings."""
        return ()

    def own_arrays(self) -> Sequence[Any]:
        """What follows the table's arrays."""
        return ()

    def make_room(self, entries: int) -> None:
        """Set up an empty table that will hold so many and those of one more match."""
        while self.places * FILLED < entries + self.game.max_plies:
            self.places *= 2
        self.states: Any = States(self.places)
        self.moves: Any = np.zeros(self.places * self.keyed, np.int64)
        self.values: Any = np.full(self.places * self.width, np.nan)
        self.taken = 0

    def arrays(self) -> Sequence[Any]:
        room = int(self.places * FILLED)
        settings = [self.places - 1, self.taken, room, self.width, int(self.keyed), self.game.max_plies]
        table = self.states, self.moves, self.values
        return [*settings, *self.own_settings()], *table, *self.old, *self.own_arrays()

    def grow(self) -> None:
        words = len(self.game.initial()) if isinstance(self.game, FastGame) else PLAIN_WORDS
        megabytes = 2 * self.places * 8 * (words + self.keyed + self.width) / 1e6
        if megabytes > self.memory:
            raise ArenaError(
                f"{self.name or type(self).__name__}: its table of {self.player.arrays[SETTINGS][TAKEN]:,} "
                f"entries is full, and the next takes {megabytes:,.0f} MB; "
                f"set memory={math.ceil(megabytes)}, or fewer episodes"
            )
        arrays = self.player.arrays
        self.move_over(arrays[STATES], arrays[MOVES], arrays[VALUES], self.places)

    def move_over(self, states: Any, moves: Any, values: Any, places: int) -> None:
        """Enter what these places hold into a new table with room for as many more."""
        self.old = states, moves, values
        self.make_room(places)
        self.equip()
        self.taken = self.player.run("move_over", places)
        self.old = (), (), ()
        self.states, self.moves, self.values = (self.player.arrays[i] for i in (STATES, MOVES, VALUES))
        self.equip()

    def model(self) -> Model:
        """states: int64 [entries, words], or their texts for a plain game, in ascending order.

        moves, if entries are for moves: int64 [entries], or texts. values: float64 [entries, width].
        """
        values = np.array(self.player.arrays[VALUES], np.float64).reshape(-1, self.width)
        taken = np.flatnonzero(~np.isnan(values[:, 0]))
        states, moves = self.player.arrays[STATES], self.player.arrays[MOVES]
        if isinstance(states, np.ndarray):
            states, moves = states.reshape(len(values), -1)[taken], moves[taken] if self.keyed else moves
        else:
            states = pack_states(self.game, [states[i] for i in taken.tolist()])
            moves = self.pack_moves([moves[i] for i in taken.tolist()] if self.keyed else [])
        words = tuple(states.T[::-1]) if states.ndim == 2 else (states,)
        order = np.lexsort((moves, *words) if self.keyed else words)
        found = {"states": states[order], "values": values[taken][order]}
        return {**found, "moves": moves[order]} if self.keyed else found

    def pack_moves(self, moves: Sequence[Any]) -> Any:
        fast = isinstance(self.game, FastGame)
        return np.array(moves, np.int64) if fast else np.array(list(map(repr, moves)), np.str_)

    def recall(self, model: Model) -> None:
        states, values = model["states"], model["values"]
        moves = model["moves"] if self.keyed else np.zeros(0, np.int64)
        fast = isinstance(self.game, FastGame)
        kind = "i" if fast else "U"
        wanted = (len(states), len(self.game.initial())) if fast else (len(states),)
        if states.shape != wanted or states.dtype.kind != kind:
            raise ArenaError(f"its states are {states.dtype}{list(states.shape)}, not those of {self.game}")
        if values.shape != (len(states), self.width) or values.dtype != np.float64:
            raise ArenaError(f"its values are {values.dtype}{list(values.shape)}, not {self.width} a state")
        if self.keyed and (moves.shape != (len(states),) or moves.dtype.kind != kind):
            raise ArenaError(f"its moves are {moves.dtype}{list(moves.shape)}, not one a state")
        if isinstance(self.player, PlainPlayer):
            known = unpack_states(states), moves.tolist() if fast else unpack_states(moves)
        else:
            known = states.astype(np.int64).ravel(), moves.astype(np.int64)
        self.places = LEAST
        self.move_over(*known, values.ravel(), len(states))
