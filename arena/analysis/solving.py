"""What a position is worth if both play perfectly: asked of a game's solver, or looked up in its graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from arena.analysis.graph import Graph
from arena.analysis.solution import Solution
from arena.api.game import Game, State
from arena.api.solver import Solver

VISITS = 1 << 20  # positions between looks at whether to go on, some tenths of a second


class Worth(NamedTuple):
    """What a position is worth to the player to move, 1 won, 0 drawn, -1 lost.

    plies: how many are left if the winner hurries and the loser delays; None where nobody wins, or where that
    was not asked.
    """

    value: int
    plies: int | None = None


def after_move(worth: Worth, turns: bool) -> Worth:
    """The same for who has just moved there, the other player if `turns`."""
    plies = None if worth.plies is None else worth.plies + 1
    return Worth(-worth.value if turns else worth.value, plies)


class Searched:
    """By a solver. go_on: called now and then with how many positions were looked at; it may raise."""

    def __init__(self, solver: Solver, distance: bool, go_on: Callable[[int], object]) -> None:
        self.solver, self.distance, self.go_on = solver, distance, go_on

    @property
    def visited(self) -> int:
        """How many positions were looked at."""
        return self.solver.visited

    def worth(self, state: State) -> Worth:
        """Of a position."""
        game = self.solver.game
        if not game.moves(state):
            return Worth(game.value(state), 0 if self.distance and game.value(state) else None)
        most = self.solver.most(state)
        low, high = -most, most
        for least in (1, 0):
            if low < least <= high:
                low, high = self.narrowed(state, least, low, high)
        while self.distance and low < high and low != 0:
            low, high = self.narrowed(state, (low + high + 1) // 2, low, high)
        value = (low > 0) - (high < 0)
        return Worth(value, self.solver.plies(state, low) if self.distance and value else None)

    def narrowed(self, state: State, least: int, low: int, high: int) -> tuple[int, int]:
        """Bounds of a value that was between these, one of them on the other side of `least`."""
        while True:
            value = self.solver.attempt(state, least, VISITS)
            if not self.solver.stopped:
                return (max(low, value), high) if value >= least else (low, min(high, value))
            self.go_on(self.solver.visited)


class Enumerated:
    """By all positions of a small game, which play can reach from its start."""

    def __init__(self, game: Game, graph: Graph, solution: Solution) -> None:
        self.game, self.solution = game, solution
        self.places: Mapping[State, int] = {graph.position(i): i for i in range(len(graph))}

    @property
    def visited(self) -> int:
        """How many positions there are."""
        return len(self.places)

    def knows(self, state: State) -> bool:
        """Whether play can reach a position."""
        return state in self.places

    def worth(self, state: State) -> Worth:
        """Of a position that play can reach."""
        i = self.places[state]
        value = int(self.solution.values[i])
        return Worth(value, int(self.solution.plies[i]) if value else None)
