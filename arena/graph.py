"""A game as a graph: all positions that play can reach and the moves between them, in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.compiled import engine, explore
from arena.errors import ArenaError
from arena.game import Game, Move, State
from arena.index import cleared, places
from arena.kernel import variant
from arena.rng import MASK

LIMIT = 1_000_000  # positions, unless somebody asks for more
ROOM = 1 << 13  # for positions, and for moves, at first

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Graph:
    """All positions that play can reach, numbered in the order in which they are found, breadth first.

    states: the positions: int64 [positions, words] if the rules are compiled, else a list.
    first: int64 [positions + 1]; the moves of position i are those from first[i] up to first[i + 1].
    movers: int64 [positions], the player to move. values: int64 [positions], of one without moves the outcome
        for that player, 1, 0 or -1; of others 0.
    moves: int64 [moves], or a list as that of states. after: int64 [moves], the position each leads to.
    """

    game: Game
    states: Any
    first: Ints
    movers: Ints
    values: Ints
    moves: Any
    after: Ints

    def __len__(self) -> int:
        return len(self.movers)

    @property
    def compiled(self) -> bool:
        """Whether positions and moves are numbers in arrays."""
        return not isinstance(self.states, list)

    @property
    def over(self) -> NDArray[np.bool_]:
        """[positions], whether a position has no moves."""
        over: NDArray[np.bool_] = self.first[1:] == self.first[:-1]
        return over

    @property
    def before(self) -> Ints:
        """int64 [moves], the position that each move is made in."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    @property
    def comes_back(self) -> bool:
        """Whether play can come back to a position."""
        before, left = self.before, np.ones(len(self), np.bool_)
        while left.any():  # those that all moves of lead to none of these are none of them either
            going_on = np.bincount(before, left[self.after], len(self)) > 0
            if np.array_equal(going_on, left):
                return True
            left = going_on
        return False

    def position(self, i: int) -> State:
        """Position i itself."""
        state = self.states[i]
        return tuple(state.tolist()) if self.compiled else state

    def moves_of(self, i: int) -> list[Move]:
        """The moves of position i."""
        moves = self.moves[self.first[i] : self.first[i + 1]]
        return moves.tolist() if self.compiled else list(moves)

    def open_positions(self, numbers: range) -> Iterator[tuple[int, State, list[Move]]]:
        """Of these positions each that has moves: its number, the position itself and they."""
        first = self.first[numbers.start : numbers.stop + 1].tolist()
        states, moves = self.states[numbers.start : numbers.stop], self.moves[first[0] : first[-1]]
        if self.compiled:
            states, moves = map(tuple, states.tolist()), moves.tolist()
        for i, state, start, stop in zip(numbers, states, first, first[1:], strict=False):
            if start < stop:
                yield i, state, moves[start - first[0] : stop - first[0]]


class TooManyPositions(ArenaError):
    """A game has more positions than are wanted."""


def graph_of(game: Game, limit: int = LIMIT, remedy: str = "") -> Graph:
    """All positions of a game, or TooManyPositions if there are more than `limit`.

    remedy: what to do then, for the error to say. A position of the usual size takes some 100 bytes, and a
    move 16.
    """
    compiled = engine(game)
    kernels: Any = compiled.kernels(explore) if compiled else Plain(game)
    words = len(game.initial()) if compiled else 1
    states: Any = np.zeros(0, np.int64) if compiled else []
    moves: Any = np.zeros(0, np.int64) if compiled else []
    work: Any = np.zeros(game.max_moves, np.int64) if compiled else [0] * game.max_moves
    index, reached = cleared(2), np.zeros(5, np.int64)
    first, movers, values, after = (np.zeros(0, np.int64) for _ in range(4))
    done = 0
    while not done:
        found, edges, ply = (int(reached[i]) for i in (explore.FOUND, explore.MOVES, explore.PLY))
        if found > limit:
            raise TooManyPositions(
                f"{game} has more than {limit:,} positions: {found:,} are reached within {ply + 1} plies"
                + (f"; {remedy}" if remedy else "")
            )
        room = max(ROOM, 2 * found) + game.max_moves
        room_for_moves = max(ROOM, 2 * edges) + game.max_moves
        states = longer(states, room * words)
        first = longer(first, room + 1)
        movers, values = longer(movers, room), longer(values, room)
        moves, after = (longer(array, room_for_moves) for array in (moves, after))
        if len(index) < places(room):
            index = cleared(places(room))
            kernels.enter(found, index, states)
        done = kernels.explore(limit, reached, index, states, first, movers, values, moves, after, work)
    found, edges = int(reached[explore.FOUND]), int(reached[explore.MOVES])
    return Graph(
        game,
        states[: found * words].reshape(found, words) if compiled else states[:found],
        first[: found + 1],
        movers[:found],
        values[:found],
        moves[:edges],
        after[:edges],
    )


class Plain:
    """The kernels as they stand, with the rules of a game in plain Python."""

    def __init__(self, game: Game) -> None:
        kernels: Any = variant(explore, {"hash_state": hash_in_python})
        self.enter = partial(kernels.enter, game.rules)
        self.explore = partial(kernels.explore, game.rules)


def hash_in_python(s: State) -> int:
    """A position's hash, the same for equal ones, however they are written, which may differ for sets."""
    return hash(s) & MASK >> 1


def longer(array: Any, size: int) -> Any:
    """An array, or list, with room for so many, at least as many as it has."""
    more = size - len(array)
    if isinstance(array, list):
        return array + [0] * more
    return np.concatenate([array, np.zeros(more, np.int64)])
