"""A growing table of positions, in which learners store values.

An index with open addressing finds the entries of a position. A search begins at the slot that the position's
hash selects and ends at the next free slot. Each slot in use contains the number of an entry and 31 bits of
its hash, so that other positions are rarely compared in full.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from mmap import mmap
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from arena.api.array import Array
from arena.api.component import Component, compiled, unchecked
from arena.api.game import Game, Move, State
from arena.api.words import is_words, same_shape, state_of, words_of
from arena.errors import ArenaError
from arena.rng import hash_state

FILLED = 0.8  # maximum load factor of the index
LEAST = 1 << 10  # initial capacity for entries
GROWTH = 1.25  # growth factor of the capacity for entries, as far as memory allows
MOST = 1 << 30  # maximum number of entries
PLAIN_WORDS = 20  # approximate size, in words, of a position of a game that is not flat

# layout of a slot in use: this bit is set; the bits below it are the entry; the bits above it are those bits
# of the position's hash that also select the slot. A slot is never negative, so that compiled code need not
# check indices read from it for negative values
TAKEN = 1 << 31
ENTRY = TAKEN - 1
NAMED = 0x7FFFFFFF

# the index of a table mapped from a file, shared by all tables that are unchanged since they were loaded
indexes: WeakKeyDictionary[mmap, Array] = WeakKeyDictionary()


class Table(Component):
    """Values of positions, `table[state]`, or of moves in positions, `table[state, move]`.

    Positions and moves that were not stored have the value `default`. In a keyed table, each entry belongs to
    a move in a position: `table[state]` is then an array of the values of all legal moves, in the order of
    `game.moves(state)`.

    Entries are numbered in the order in which they were added. If the table is an attribute of a learner, it
    grows between episodes.

    Args:
        game: The game.
        width: The number of values in each entry.
        keyed: Whether entries belong to moves instead of positions.
        spare: The number of entries that one episode may add. Default: the maximum number of plies of a
            match.
        memory: The maximum size in megabytes.
        default: The value of positions and moves that were not stored.

    Attributes:
        size: The number of entries.
        room: The number of entries for which memory is allocated.
        index: int64 [mask + 1]; the length is a power of two.
        states: The positions, with a capacity of `room`.
        moves: int64 [room], or a list for a game that is not flat; empty unless keyed.
        values: float64 [room, width].
        file: The file that the table is mapped from, as long as the table is unchanged.
    """

    def __init__(
        self,
        game: Game,
        width: int = 1,
        keyed: bool = False,
        spare: int = 0,
        memory: int = 4000,
        default: float = 0.0,
    ) -> None:
        self.game, self.width, self.keyed, self.default = game, width, keyed, float(default)
        self.spare, self.memory = spare or game.max_plies, memory
        self.states = States(game, 0)
        self.clear()

    def clear(self) -> None:
        """Remove all entries and release the memory."""
        self.size, self.room = 0, 0
        self.file: mmap | None = None
        self.index, self.mask = free_index(0), places(0) - 1
        self.states.words = rows(self.game, 0)
        self.moves: Any = np.zeros(0, np.int64) if self.game.flat else []
        self.values = np.zeros((0, self.width))
        self.met = np.zeros(0, np.int64)  # during a merge, the number of tables that contained each entry

    # --- brackets ---------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        """Return the value of a position; in a keyed table, the value of a move or of all legal moves."""
        if not self.keyed:
            return self.value_of(key)
        if is_state_and_move(self.game, key):
            state, move = key
            return self.value_of_move(state, move)
        return self.values_of_moves(key)

    def __setitem__(self, key: Any, value: float) -> None:
        """Set the value of a position, or of a move in a keyed table."""
        if not self.keyed:
            self.values[self.add(key), 0] = value
        elif is_state_and_move(self.game, key):
            state, move = key
            self.set_move(state, move, value)
        else:
            raise ValueError("a keyed table has a value for each move: write table[state, move] = value")

    # --- positions --------------------------------------------------------------------------------------

    @unchecked
    def value_of(self, state: State) -> float:
        """Return the first value of a position."""
        entry = self.find(state)
        return self.values[entry, 0] if entry >= 0 else self.default

    @unchecked
    def find(self, state: State) -> int:
        """Return the first entry of a position, or -1."""
        return max(self.seek(hash_state(state), state), -1)

    def add(self, state: State) -> int:
        """Return the first entry of a position; if there is none, add one with the default values."""
        hashed = hash_state(state)
        entry = self.seek(hashed, state)
        return entry if entry >= 0 else self.insert(~entry, hashed, state)

    @unchecked
    def seek(self, hashed: int, state: State) -> int:
        """Return the first entry of a position with this hash, or ~place, where `place` is its free slot."""
        index, mask = self.index, self.mask & NAMED
        place = hashed & mask
        while index[place] != 0:
            if index[place] >> 32 == hashed & NAMED:
                entry: int = index[place] & ENTRY
                if self.states.holds(entry, state):
                    return entry
            place = (place + 1) & mask
        return ~place

    @unchecked
    def insert(self, place: int, hashed: int, state: State) -> int:
        """Add an entry with the default values for a position, at a free slot of the index, and return it."""
        entry = self.append(place, hashed, state)
        for i in range(self.width):
            self.values[entry, i] = self.default
        return entry

    @unchecked
    def append(self, place: int, hashed: int, state: State) -> int:
        """Add an entry for a position at a free slot of the index, and return it; its values are not set."""
        entry = self.size
        if entry >= self.room:
            raise MemoryError("an episode adds more entries to a table than its `spare`")
        self.index[place] = (hashed & NAMED) << 32 | TAKEN | entry
        self.states[entry] = state
        self.size += 1
        return entry

    @unchecked
    def free_place(self, hashed: int) -> int:
        """Return the first free slot of the index for a position with this hash."""
        index, mask = self.index, self.mask & NAMED
        place = hashed & mask
        while index[place] != 0:
            place = (place + 1) & mask
        return place

    def empty(self) -> None:
        """Remove all entries, but do not release the memory."""
        if self.size > 0:
            self.index.fill(0)
            self.size = 0

    # --- moves, in a keyed table ------------------------------------------------------------------------

    @unchecked
    def entries_of(self, hashed: int, state: State) -> Iterator[int]:
        """Yield the entries of a position with this hash."""
        index, mask = self.index, self.mask & NAMED
        place = hashed & mask
        while index[place] != 0:
            if index[place] >> 32 == hashed & NAMED:
                entry = index[place] & ENTRY
                if self.states.holds(entry, state):
                    yield entry
            place = (place + 1) & mask

    def look_up(self, hashed: int, state: State, moves: list[Move], scores: Any) -> int:
        """Write the value of each move to `scores`, or the default; return how many moves have an entry."""
        for i in range(len(moves)):
            scores[i] = self.default
        known = 0
        for entry in self.entries_of(hashed, state):
            for i in range(len(moves)):
                if moves[i] == self.moves[entry]:
                    scores[i] = self.values[entry, 0]
                    known += 1
        return known

    def add_move(self, hashed: int, state: State, move: Move, value: float) -> None:
        """Add an entry for a move in a position with this hash."""
        entry = self.append(self.free_place(hashed), hashed, state)
        self.moves[entry] = move
        self.values[entry, 0] = value

    @unchecked
    def find_move(self, hashed: int, state: State, move: Move) -> int:
        """Return the entry of a move in a position with this hash, or -1."""
        for entry in self.entries_of(hashed, state):
            if self.moves[entry] == move:
                return entry
        return -1

    @unchecked
    def value_of_move(self, state: State, move: Move) -> float:
        """Return the value of a move in a position."""
        entry = self.find_move(hash_state(state), state, move)
        return self.values[entry, 0] if entry >= 0 else self.default

    @unchecked
    def set_move(self, state: State, move: Move, value: float) -> None:
        """Set the value of a move in a position."""
        hashed = hash_state(state)
        entry = self.find_move(hashed, state, move)
        if entry < 0:
            entry = self.append(self.free_place(hashed), hashed, state)
            self.moves[entry] = move
            for i in range(1, self.width):
                self.values[entry, i] = self.default
        self.values[entry, 0] = value

    def values_of_moves(self, state: State) -> Any:
        """Return the value of each legal move in a position: float64 [moves]."""
        moves = self.game.moves(state)
        found = np.zeros(len(moves))
        self.look_up(hash_state(state), state, moves, found)
        return found

    # --- room -------------------------------------------------------------------------------------------

    def full(self) -> bool:
        """Return whether there is not enough room for another episode."""
        return self.size + self.spare > self.room

    def grow(self) -> None:
        """Make more room.

        Raises:
            ArenaError: If the maximum size is reached.
        """
        wanted = int(max(self.size, LEAST) * GROWTH) + self.spare
        room = bisect_right(range(min(wanted, MOST) + 1), float(self.memory), key=self.megabytes) - 1
        if room < self.size + self.spare:
            raise ArenaError(
                f"its table of {self.size:,} entries reaches its memory limit; "
                f"set memory={math.ceil(self.megabytes(wanted))} (megabytes), or fewer episodes"
            )
        self.make_room(room)

    def make_room(self, room: int) -> None:
        """Make room for this many entries, at least the current number."""
        lengthen(self.states, "words", room)
        lengthen(self, "moves", room * self.keyed)
        lengthen(self, "values", room)
        shared, self.file, self.room = self.file is not None, None, room
        if shared or len(self.index) != places(room):
            self.index, self.mask = free_index(room), places(room) - 1
            self.enter(self.size)

    @compiled
    def enter(self, stop: int) -> None:
        """Insert all entries before `stop` into an empty index."""
        for entry in range(stop):
            hashed = hash_state(self.states[entry])
            self.index[self.free_place(hashed)] = (hashed & NAMED) << 32 | TAKEN | entry

    def megabytes(self, room: int) -> float:
        """Return the size in megabytes of a table with room for this many entries."""
        words = len(words_of(self.game.initial())) if self.game.flat else PLAIN_WORDS
        return 8 * (room * (words + self.keyed + self.width) + places(room)) / 1e6

    # --- its model --------------------------------------------------------------------------------------

    def model(self) -> dict[str, Any]:
        """Return the entries as arrays, for `Learner.model`.

        Returns:
            `states`: int64 [size, words], or texts for a game that is not flat, in the order of entries.
            `moves`, for a keyed table: int64 [size], or texts. `values`: float64 [size, width].
        """
        from arena.api.packing import pack_states

        size, flat = self.size, self.game.flat
        states, moves = self.states.words[:size], self.moves[:size]
        found: dict[str, object] = {"values": np.array(self.values[:size])}
        found["states"] = np.asarray(states) if flat else pack_states(self.game, list(states))
        if self.keyed:
            found["moves"] = np.asarray(moves) if flat else self.pack_moves(moves)
        return found

    def pack_moves(self, moves: list[Move]) -> NDArray[np.str_]:
        """Return moves as strings, or raise ArenaError if they cannot be parsed back into the same moves."""
        from arena.api.packing import unpack_states

        packed = np.array(list(map(repr, moves)), np.str_)
        with suppress(ValueError, SyntaxError):
            if unpack_states(packed) == moves:
                return packed
        raise ArenaError(
            f"moves of {self.game} cannot be stored: they do not consist of ints, texts and tuples"
        )

    def recall(self, model: Mapping[str, Any]) -> None:
        """Load a result of `model` without copying, or raise ArenaError if it does not fit this table."""
        states, moves, values = self.unpacked(model)
        self.clear()
        self.file = base if isinstance(base := model["states"].base, mmap) else None
        self.states.words, self.moves, self.values = states, moves, values
        self.size = self.room = len(values)
        known = indexes.get(self.file) if self.file else None
        self.index = free_index(self.size) if known is None else known
        self.mask = len(self.index) - 1
        if known is None:
            self.enter(self.size)
        if self.file:
            indexes[self.file] = self.index

    def merge(self, models: Sequence[Mapping[str, Any]]) -> None:
        """Load the models of several tables; each value is the mean over the tables that contain it."""
        tables = list(map(self.unpacked, models))
        room = sum(len(values) for _, _, values in tables) + 1
        if self.megabytes(room) > self.memory:
            raise ArenaError(
                f"the {room - 1:,} entries of its shards do not fit into its memory limit; "
                f"set memory={math.ceil(self.megabytes(room))} (megabytes)"
            )
        self.clear()
        self.make_room(room)
        self.met = np.zeros(room, np.int64)
        for states, moves, values in tables:
            others = slice(self.size, self.size + len(values))
            self.states.words[others], self.values[others] = states, values
            if self.keyed:
                self.moves[others] = moves
            self.absorb(others.stop)
        self.values[: self.size] /= self.met[: self.size, None]
        self.met = np.zeros(0, np.int64)

    @compiled
    def absorb(self, stop: int) -> None:
        """Add entries of another table, numbered `size` to `stop`, to those of the same positions."""
        for other in range(self.size, stop):
            state = self.states[other]
            hashed = hash_state(state)
            entry = -1
            for known in self.entries_of(hashed, state):
                if not self.keyed or self.moves[known] == self.moves[other]:
                    entry = known
            new = entry < 0
            if new:
                entry = self.append(self.free_place(hashed), hashed, state)  # at most at the entry `other`
                if self.keyed:
                    self.moves[entry] = self.moves[other]
            for i in range(self.width):
                self.values[entry, i] = (0.0 if new else self.values[entry, i]) + self.values[other, i]
            self.met[entry] += 1

    def unpacked(self, model: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """Return the states, moves and values of a model, or raise ArenaError if it does not fit."""
        from arena.api.packing import unpack_states

        states, values = model["states"], model["values"]
        moves = model["moves"] if self.keyed else np.zeros(0, np.int64)
        flat, size = self.game.flat, len(states)
        if flat and states.dtype.kind == "U":  # the model was learned when the game was not flat yet
            with suppress(ValueError, SyntaxError):
                rows_of: Any = unpack_states(states)
                if all(is_words(row) and same_shape(row, self.game.initial()) for row in rows_of):
                    states = np.array([*map(words_of, rows_of)], np.int64).reshape(size, -1)
                    moves = np.array(unpack_states(moves), np.int64)
        kind = "i" if flat else "U"
        shape = (size, len(words_of(self.game.initial()))) if flat else (size,)
        if states.shape != shape or states.dtype.kind != kind:
            raise ArenaError(f"its states are {states.dtype}{list(states.shape)}, not those of {self.game}")
        if values.shape != (size, self.width) or values.dtype != np.float64:
            raise ArenaError(f"its values are {values.dtype}{list(values.shape)}, not {self.width} per state")
        if self.keyed and (moves.shape != (size,) or moves.dtype.kind != kind):
            raise ArenaError(f"its moves are {moves.dtype}{list(moves.shape)}, not one per state")
        return (states, moves, values) if flat else (unpack_states(states), unpack_states(moves), values)


def is_state_and_move(game: Game, key: Any) -> bool:
    """Return whether the key of a table is a pair of a position and a move, rather than a position.

    The first item of such a pair has the nesting depth of positions. Compiled code decides by type.
    """
    return type(key) is tuple and len(key) == 2 and depth(key[0]) == depth(game.initial())


def depth(thing: Any) -> int:
    """Return the nesting depth of tuples at the first item; 0 if `thing` is not a tuple."""
    found = 0
    while isinstance(thing, tuple):
        found += 1
        if not thing:
            break
        thing = thing[0]
    return found


def places(entries: int) -> int:
    """Return the number of slots, a power of two, of an index for this many entries."""
    return max(2, 1 << math.ceil(math.log2(entries / FILLED + 1)))


def free_index(entries: int) -> Array:
    """Return an empty index with room for this many entries."""
    index = Array(places(entries), np.int64)  # not np.zeros, for which numpy does not request huge pages
    index.fill(0)
    return index


def lengthen(owner: Component, name: str, rows: int) -> None:
    """Extend an array or list of a component to this many rows; existing views of it do not change."""
    array: Any = vars(owner)[name]
    vars(owner)[name] = None  # so that there is only one reference, as required by `resize`
    if isinstance(array, list):
        array = array + [None] * (rows - len(array))
    else:
        try:
            array.resize((rows, *array.shape[1:]))  # in place, if there are no other references
        except ValueError:
            longer = Array((rows, *array.shape[1:]), array.dtype)  # filled as by `free_index`
            longer[: len(array)], longer[len(array) :] = array, 0
            array = longer
    setattr(owner, name, array)


Rows: TypeAlias = NDArray[np.int64] | list[State]


class States(Component):
    """An array of positions of a game: `states[i] = state` stores a position, `states[i]` returns it.

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
        """Return whether the position stored at `i` equals `state`."""
        return is_at(self.words, i, state)


def rows(game: Game, room: int) -> Rows:
    """Return an int64 array [room, words], or a list for a game that is not flat."""
    return np.zeros((room, len(words_of(game.initial()))), np.int64) if game.flat else [None] * room


# the following functions are for plain Python; compiled code has its own versions


def load(game: Game, words: Rows, i: int) -> State:
    """Return the position in row `i`."""
    if isinstance(words, list):
        return words[i]
    return state_of(game.initial(), words[i].tolist())


def store(words: Rows, i: int, state: State) -> None:
    """Store a position in row `i` of `States.words`. Compiled code does so without creating a tuple."""
    words[i] = state if isinstance(words, list) else words_of(state)


def is_at(words: Rows, i: int, state: State) -> bool:
    """Return whether the position in row `i` equals `state`."""
    return bool(words[i] == state if isinstance(words, list) else tuple(words[i].tolist()) == words_of(state))
