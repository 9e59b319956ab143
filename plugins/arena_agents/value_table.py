"""What tabular learners share: a table of values that grows, and its model.

Entries are kept in the order they were met: a position or a move in one, with one value or more. An index
(`arena.index`) finds a position's entries.
"""

from __future__ import annotations

import math
import weakref
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from mmap import mmap
from typing import Any, ClassVar, NamedTuple

import numpy as np

from arena import ArenaError, FastGame, FastLearner, option, pack_states, unpack_states
from arena.agent import PlainPlayer
from arena.index import FILLED, cleared, place_for, places, put
from arena.kernel import Arrays, Int, IntPointer, Rules, State, hash_state, ints, state_at
from arena.learner import Arrays as Model

LEAST = 1 << 10  # entries that there is room for when learning begins
GROWTH = 1.25  # of the room for entries, as far as memory allows
MOST = 1 << 30  # entries
PLAIN_WORDS = 20  # what a position of a plain game takes, more or less

# the agent's arrays; what follows is the learner's own
SETTINGS, INDEX, STATES, MOVES, VALUES, OLD_INDEX = range(6)
OWN = 6

# settings: places of the index - 1 (they are a power of two), entries, entries that there is room for, plies
# that make a draw
MASK, TAKEN, ROOM, MAX_PLIES = range(4)
OWN_SETTINGS = 4


def enter(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """Enter the first `n` entries into an empty index; gives n."""
    index, states, mask = ints(arrays, INDEX), ints(arrays, STATES), ints(arrays, SETTINGS)[MASK]
    for entry in range(n):
        put(place_for(hash_state(state_at(states, entry, s)), entry), index, mask)
    return n


def widen(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """Enter what an old index has in its first `n` places into an empty one; gives n."""
    index, old, mask = ints(arrays, INDEX), ints(arrays, OLD_INDEX), ints(arrays, SETTINGS)[MASK]
    for at in range(n):
        if old[at] != 0:
            put(old[at], index, mask)
    return n


# of positions that lie in a file, for all learners that have read it
indexes: weakref.WeakKeyDictionary[mmap, Any] = weakref.WeakKeyDictionary()


class Table(NamedTuple):
    """A table as an agent's arrays: see `arena.FastAgent.arrays`."""

    taken: int
    index: Any
    states: Any
    moves: Any
    values: Any


EMPTY = Table(0, [0, 0], (), (), ())


class ValueTable(FastLearner):
    """A learner with a table. Its kernel has `enter` and `widen` too, and own arrays after the table's."""

    memory: int = option(4000, "megabytes that its table may take", low=1)
    width: ClassVar[int] = 1  # values an entry
    keyed: ClassVar[bool] = False  # whether there is an entry for each move

    def prepare(self) -> None:
        self.learning = False  # what only that takes is made when it begins
        self.file: mmap | None = None  # where the table lies, as long as it is as it was read
        self.table = EMPTY
        self.old_index: Any = ()

    def own_settings(self) -> Sequence[int]:
        """What follows the table's settings."""
        return ()

    def own_arrays(self) -> Sequence[Any]:
        """What follows the table's arrays."""
        return ()

    def arrays(self) -> Sequence[Any]:
        taken, index, states, moves, values = self.table
        room = min(len(values) // self.width, int(FILLED * len(index)))
        settings = [len(index) - 1, taken, room, self.game.max_plies, *self.own_settings()]
        return settings, index, states, moves, values, self.old_index, *self.own_arrays()

    def equip(self) -> None:
        """Take `arrays` anew; what is known stays, compiled or plain."""
        before = getattr(self, "player", None)
        self.install(Table(self.entries(), *before.arrays[INDEX : VALUES + 1]) if before else EMPTY)
        if before and type(self.player) is not type(before):
            self.player, after = before, self.player
            known = self.model()
            self.player = after
            self.recall(known)

    def install(self, table: Table) -> None:
        """Take up a table as it is."""
        self.table = table
        super().equip()
        self.table = EMPTY  # its arrays are the player's alone

    def entries(self) -> int:
        return int(self.player.arrays[SETTINGS][TAKEN])

    def grow(self) -> None:
        taken = self.entries()
        wanted = int(max(taken, LEAST) * GROWTH) + self.game.max_plies
        room = bisect_right(range(min(wanted, MOST) + 1), float(self.memory), key=self.megabytes) - 1
        if room < taken + self.game.max_plies:
            raise ArenaError(
                f"{self.name or type(self).__name__}: its table of {taken:,} entries fills the memory it may "
                f"take; set memory={math.ceil(self.megabytes(wanted))} (megabytes), or fewer episodes"
            )
        self.make_room(room)

    def make_room(self, room: int) -> None:
        """For so many entries, no fewer than there are."""
        arrays: list[Any] = self.player.arrays
        shared, self.file = self.file, None
        enlarge(arrays, STATES, room * self.words(), np.int64)
        enlarge(arrays, MOVES, room * self.keyed, np.int64)
        enlarge(arrays, VALUES, room * self.width, np.float64)
        old, size = arrays[INDEX], places(room)
        if len(old) == size and not shared:
            self.equip()
            return
        self.old_index, arrays[INDEX] = old, cleared(size)
        self.equip()
        self.player.run("widen", len(old))
        self.old_index = ()
        self.equip()

    def words(self) -> int:
        """Numbers in the table for a position."""
        return 1 if isinstance(self.player, PlainPlayer) else len(self.game.initial())

    def megabytes(self, room: int) -> float:
        """What a table takes that has room for so many entries."""
        words = len(self.game.initial()) if isinstance(self.game, FastGame) else PLAIN_WORDS
        return 8 * (room * (words + self.keyed + self.width) + places(room)) / 1e6

    def model(self) -> Model:
        """states: int64 [entries, words], or their texts for a plain game, in the order they were met.

        moves, if entries are for moves: int64 [entries], or texts. values: float64 [entries, width].
        """
        taken = self.entries()
        _, _, states, moves, values = self.player.arrays[: VALUES + 1]
        found = {"values": np.array(values[: taken * self.width], np.float64).reshape(taken, self.width)}
        if isinstance(states, np.ndarray):
            states = states[: taken * self.words()].reshape(taken, self.words())
            found["states"] = states if taken else states.astype(np.int64)
        else:
            found["states"] = pack_states(self.game, states[:taken])
        if self.keyed:
            found["moves"] = self.pack_moves(moves[:taken])
        return found

    def pack_moves(self, moves: Any) -> Any:
        if isinstance(self.game, FastGame):
            return np.asarray(moves, np.int64)
        packed = np.array(list(map(repr, moves)), np.str_)
        with suppress(ValueError, SyntaxError):
            if unpack_states(packed) == moves:
                return packed
        raise ArenaError(f"moves of {self.game} cannot be kept: they are not made of ints, texts and tuples")

    def recall(self, model: Model) -> None:
        known = self.unpacked(model)
        states = model["states"]
        self.file = states.base if isinstance(states.base, mmap) else None
        index = indexes.get(self.file) if self.file else None
        if index is not None:
            self.install(known._replace(index=index))
            return
        self.install(known._replace(index=cleared(places(known.taken))))
        self.player.run("enter", known.taken)
        if self.file:
            indexes[self.file] = self.player.arrays[INDEX]

    def unpacked(self, model: Model) -> Table:
        """What a model holds, without an index, or ArenaError if it is none of this game's."""
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
            known = states.ravel(), moves
        return Table(len(states), [0, 0], *known, values.ravel())


def enlarge(arrays: list[Any], i: int, size: int, kind: type[Any]) -> None:
    """Give an array room for so many numbers, or positions; nobody else's view of it changes."""
    array, arrays[i] = arrays[i], ()  # so that this is the only reference, which `resize` asks for
    if isinstance(array, list):
        arrays[i] = array + [0] * (size - len(array))
        return
    if len(array):
        with suppress(ValueError):
            array.resize(size)  # where it lies, if it is nobody else's
    arrays[i] = array
    if len(array) < size:
        arrays[i] = np.empty(size, kind)  # not zeros, for which numpy asks for no large pages
        arrays[i][: len(array)] = array
