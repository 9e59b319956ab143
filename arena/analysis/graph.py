"""A game as a graph: all reachable positions and the moves between them, in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.api.component import Component, compiled
from arena.api.game import Game, Move, State
from arena.api.rulings import GameFault, blaming
from arena.api.spec import runners_of
from arena.api.table import Table, load
from arena.api.words import state_of, words_of
from arena.errors import ArenaError, safe_text

LIMIT = 1_000_000  # default maximum number of positions
ROOM = 1 << 13  # initial capacity for positions and for moves
ALL = 1 << 62  # positions

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Outline:
    """The graph of all reachable positions, numbered in breadth-first order.

    Attributes:
        first: int64 [positions + 1]; the moves of position i are those from first[i] up to first[i + 1].
        movers: int64 [positions], the side to move.
        values: int64 [positions], the outcome for the side to move, 1, 0 or -1, if there are no moves;
            otherwise 0.
        after: int64 [moves], the position that each move leads to.
    """

    first: Ints
    movers: Ints
    values: Ints
    after: Ints

    def __len__(self) -> int:
        return len(self.movers)

    @property
    def over(self) -> NDArray[np.bool_]:
        """bool [positions], whether a position has no moves."""
        over: NDArray[np.bool_] = self.first[1:] == self.first[:-1]
        return over

    @property
    def before(self) -> Ints:
        """int64 [moves], the position in which each move is made."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    @property
    def comes_back(self) -> bool:
        """Return whether a position can repeat."""
        before, left = self.before, np.ones(len(self), np.bool_)
        while left.any():  # remove positions that have no moves to remaining positions
            going_on = np.bincount(before, left[self.after], len(self)) > 0
            if np.array_equal(going_on, left):
                return True
            left = going_on
        return False


@dataclass(frozen=True)
class Graph(Outline):
    """A graph with its positions and moves.

    Attributes:
        game: The game.
        states: The positions: int64 [positions, words] if the game is flat, else a list.
        moves: The moves: int64 [moves] if the game is flat, else a list.
    """

    game: Game
    states: Any
    moves: Any

    @property
    def outline(self) -> Outline:
        """The graph without game, positions and moves."""
        return Outline(self.first, self.movers, self.values, self.after)

    @property
    def flat(self) -> bool:
        """Return whether positions and moves are arrays of integers."""
        return not isinstance(self.states, list)

    def position(self, i: int) -> State:
        """Return position `i`."""
        return load(self.game, self.states, i)

    def number_of(self, state: State) -> int | None:
        """Return the index of a position; None if it is not in the graph."""
        if self.flat:
            found = np.flatnonzero((self.states == np.array(words_of(state), np.int64)).all(axis=1))
            return int(found[0]) if len(found) else None
        return self.states.index(state) if state in self.states else None

    def moves_of(self, i: int) -> list[Move]:
        """Return the moves of position `i`."""
        moves = self.moves[self.first[i] : self.first[i + 1]]
        return moves.tolist() if self.flat else list(moves)

    def open_positions(self, numbers: range) -> Iterator[tuple[int, State, list[Move]]]:
        """Yield index, position and moves of the positions in a range that have moves."""
        first = self.first[numbers.start : numbers.stop + 1].tolist()
        states, moves = self.states[numbers.start : numbers.stop], self.moves[first[0] : first[-1]]
        if self.flat:
            states = map(partial(state_of, self.game.initial()), states.tolist())
            moves = moves.tolist()
        for i, state, start, stop in zip(numbers, states, first, first[1:], strict=False):
            if start < stop:
                yield i, state, moves[start - first[0] : stop - first[0]]


class TooManyPositions(ArenaError):
    """A game has more positions than allowed."""


def graph_of(game: Game, limit: int = LIMIT, remedy: str = "") -> Graph:
    """Return the graph of a game.

    A typical position takes about 100 bytes, and a move 16.

    Args:
        game: The game to explore.
        limit: Maximum number of positions.
        remedy: Advice for the error if there are more.

    Raises: TooManyPositions: If there are more.
        GameFault: If the rules fail or break the API contract.
    """
    explorer = Explorer(game)
    while not explorer.done:
        explorer.go_on(ALL, limit, remedy)
    return explorer.graph()


def broken_promise(graph: Graph) -> tuple[int, str] | None:
    """Return a position in which the rules break the contract of `Game`, and how; None if there is none."""
    before, over, movers = graph.before, graph.over, graph.movers
    wrong = {
        "to_move is {mover}, not 0 or 1": ~np.isin(movers, (0, 1)),
        "value is {value}, not 1, 0 or -1": over & ~np.isin(graph.values, (-1, 0, 1)),
        "moves returns a move twice": numbers_among(len(graph), before[equal_moves(graph)]),
    }
    if graph.game.alternating:
        again = before[movers[before] == movers[graph.after]]
        wrong["alternating is True, but player {mover} moves twice in a row"] = numbers_among(
            len(graph), again
        )
    for text, places in wrong.items():
        if places.any():
            i = int(np.flatnonzero(places)[0])
            return i, text.format(mover=movers[i], value=graph.values[i])
    return None


def numbers_among(size: int, numbers: Ints) -> NDArray[np.bool_]:
    """Return whether each index is among `numbers`, bool [size]."""
    found = np.zeros(size, np.bool_)
    found[numbers] = True
    return found


def equal_moves(graph: Graph) -> Ints:
    """Return the index of a duplicated move for each position that has one."""
    if graph.flat:
        order = np.lexsort((graph.moves, graph.before))
        moves, before = graph.moves[order], graph.before[order]
        return np.asarray(order[1:][(moves[1:] == moves[:-1]) & (before[1:] == before[:-1])], np.int64)
    found = [
        first
        for first, stop in pairwise(graph.first.tolist())
        if len(set(graph.moves[first:stop])) < stop - first
    ]
    return np.array(found, np.int64)


class Explorer(Component):
    """Explores all reachable positions and the moves between them, breadth first.

    The arrays are those of `Graph`, with spare capacity.

    Attributes:
        found: The positions, by index.
        expanded: Number of positions whose moves are known.
        edges: Number of moves.
        ply: Plies from the start to the next position to expand.
        next_ply: Index of the first position that is one ply further from the start.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.found: Any = Table(game, width=0) if game.flat else Numbered()
        self.expanded, self.edges, self.ply, self.next_ply = 0, 0, 0, 1
        self.first, self.movers, self.values, self.after = (np.zeros(0, np.int64) for _ in range(4))
        self.moves: Any = np.zeros(0, np.int64) if game.flat else []

    @property
    def done(self) -> bool:
        """Return whether all positions were found."""
        return bool(0 < self.found.size == self.expanded)

    @property
    def few(self) -> int:
        """The number of positions that can be explored within seconds; fewer without compiled rules."""
        return LIMIT if "explore" in runners_of(self) else LIMIT // 20

    def go_on(self, positions: int, limit: int = LIMIT, remedy: str = "") -> None:
        """Expand more positions as long as there is room; raise the errors of `graph_of`."""
        expanded = self.expanded
        if not len(self.movers):
            self.grow()
        with blaming(self.game):
            self.explore(limit, min(expanded + positions, ALL))
        if self.expanded == expanded:  # there was no room
            self.grow()
        if self.found.size > limit:
            raise TooManyPositions(
                f"{self.game} has more than {limit:,} positions: {self.found.size:,} are reached within "
                f"{self.ply + 1} plies" + (f"; {remedy}" if remedy else "")
            )

    def grow(self) -> None:
        """Double the room, with at least enough for one more position."""
        positions = max(ROOM, 2 * self.found.size) + self.game.max_moves
        moves = max(ROOM, 2 * self.edges) + self.game.max_moves
        self.found.make_room(positions)
        self.first = longer(self.first, positions + 1)
        self.movers, self.values = longer(self.movers, positions), longer(self.values, positions)
        self.moves, self.after = longer(self.moves, moves), longer(self.after, moves)

    @compiled
    def explore(self, most: int, until: int) -> None:
        """Expand until all or over `most` positions are found, `until` are expanded, or room runs out."""
        if self.found.size == 0:
            self.found.add(self.game.initial())
        while self.expanded < self.found.size and self.expanded < until and self.found.size <= most:
            state = self.found.states[self.expanded]
            moves = self.game.moves(state)
            n = len(moves)
            if self.found.size + n > len(self.movers) or self.edges + n > len(self.after):
                break
            if self.expanded == self.next_ply:
                self.ply += 1
                self.next_ply = self.found.size
            self.first[self.expanded] = self.edges
            self.movers[self.expanded] = self.game.to_move(state)
            self.values[self.expanded] = 0 if n else self.game.value(state)
            for move in moves:
                self.moves[self.edges] = move
                self.after[self.edges] = self.found.add(self.game.play(state, move))
                self.edges += 1
            self.expanded += 1

    def graph(self) -> Graph:
        """Return the graph, after exploring; raise GameFault if the rules break the contract."""
        size, edges = self.found.size, self.edges
        self.first[size] = edges
        arrays = self.first[: size + 1], self.movers[:size], self.values[:size], self.after[:edges]
        first, movers, values, after = map(np.asarray, arrays)
        states, moves = self.found.states, self.moves[:edges]
        if self.game.flat:
            states, moves = np.asarray(states.words[:size]), np.asarray(moves)
        graph = Graph(first, movers, values, after, self.game, states, moves)
        if broken := broken_promise(graph):
            position, text = broken
            where = safe_text(self.game.position_text, graph.position(position))
            raise GameFault(f"game {self.game} failed: {text}, in {where}")
        return graph


class Numbered:
    """Numbers the positions of a game that is not flat, as `Table` does for flat ones.

    Python's hashes are used, since equal positions may have different representations, such as sets.
    """

    def __init__(self) -> None:
        self.states: list[State] = []
        self.numbers: dict[State, int] = {}

    @property
    def size(self) -> int:
        """The number of positions."""
        return len(self.states)

    def make_room(self, room: int) -> None:
        """Do nothing: memory is allocated as needed."""

    def find(self, state: State) -> int:
        """Return the number of a position, or -1."""
        return self.numbers.get(state, -1)

    def add(self, state: State) -> int:
        """Return the number of a position, after adding it if it is new."""
        number = self.numbers.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number


def longer(array: Any, size: int) -> Any:
    """Return an array or list extended with zeros to `size` items."""
    more = size - len(array)
    if isinstance(array, list):
        return array + [0] * more
    return np.concatenate([array, np.zeros(more, np.int64)])
