"""Values of positions under perfect play, by a game's solver or its endings."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import NamedTuple, Protocol

from arena.api.game import Game, State
from arena.api.solver import Solver
from arena.errors import ArenaError
from arena.texts import either

VISITS = 1 << 20  # number of positions between calls of `go_on`, which take some tenths of a second
SHORT = VISITS >> 2  # the same with several threads


class Worth(NamedTuple):
    """The value of a position.

    Attributes:
        value: For the side to move: 1 won, 0 drawn, -1 lost; None if unknown.
        plies: Plies left if the winner plays for the fastest and the loser for the slowest end; None if drawn
            or not requested.
    """

    value: int | None
    plies: int | None = None


def after_move(worth: Worth, turns: bool) -> Worth:
    """Return a position's value for the player who moved to it. turns: whether the other side is to move."""
    if worth.value is None:
        return worth
    plies = None if worth.plies is None else worth.plies + 1
    return Worth(-worth.value if turns else worth.value, plies)


class Known(Protocol):
    """Positions that are already solved."""

    def worth(self, state: State) -> Worth | None:
        """Return the value of a position; None if it is not solved."""
        ...


class Spent(Exception):
    """Raised when a search has reached its limit of visited positions."""


class Searched:
    """Evaluates positions with a solver.

    Args:
        solver: The solver.
        distance: Whether to find the plies left as well.
        go_on: Called at intervals with the number of positions visited; may raise an exception to stop.
        threads: Number of threads for positions that are not solved quickly; they share the solver's table.
        nodes: Maximum number of positions visited to evaluate a position; 0 for no limit. Several threads may
            exceed it slightly.
        known: Positions that are looked up instead of searched.
    """

    def __init__(
        self,
        solver: Solver,
        distance: bool,
        go_on: Callable[[int], object] = lambda visited: None,
        threads: int = 1,
        nodes: int = 0,
        known: Known | None = None,
    ) -> None:
        self.solver, self.distance, self.go_on, self.known = solver, distance, go_on, known
        self.nodes, self.until = nodes, 0
        made = [solver.helper() for _ in range(1, threads)]
        self.helpers = [helper for helper in made if helper is not None]

    @property
    def visited(self) -> int:
        """The number of positions visited."""
        return sum(solver.visited for solver in (self.solver, *self.helpers))

    def worth(self, state: State, least: int = -1) -> Worth:
        """Return the value of a position.

        Args:
            state: The position.
            least: A known lower bound of the value, for example from a move with known value.
        """
        game = self.solver.game
        if not game.moves(state):
            return Worth(game.value(state), 0 if self.distance and game.value(state) else None)
        if self.known and (found := self.known.worth(state)):
            return found
        self.until = self.visited + self.nodes
        try:
            return self.found(state, least)
        except Spent:
            return Worth(None)

    def found(self, state: State, least: int = -1) -> Worth:
        """Return the value of a position with moves; raise Spent if the limit is reached."""
        most = self.solver.most(state)
        low, high = least if least >= 0 else -most, most
        for bound in (1, 0):
            if low < bound <= high:
                low, high = self.narrowed(state, bound, low, high)
        while self.distance and low < high and low != 0:
            low, high = self.narrowed(state, (low + high + 1) // 2, low, high)
        value = (low > 0) - (high < 0)
        return Worth(value, self.solver.plies(state, low) if self.distance and value else None)

    def narrowed(self, state: State, least: int, low: int, high: int) -> tuple[int, int]:
        """Return narrower bounds on a value, by testing whether the value is `least` or more."""
        value = self.attempt(state, least)
        return (max(low, value), high) if value >= least else (low, min(high, value))

    def attempt(self, state: State, least: int) -> int:
        """Return a bound on the value that shows whether the value is `least` or more."""
        value = self.solver.attempt(state, least, self.allowed(VISITS))
        while self.solver.stopped:
            self.go_on(self.visited)
            if self.helpers:
                return self.together(state, least)
            value = self.solver.attempt(state, least, self.allowed(VISITS))
        return value

    def allowed(self, visits: int) -> int:
        """Return `visits`, or fewer if the limit is near; raise Spent if it is reached."""
        if not self.nodes:
            return visits
        left = self.until - self.visited
        if left <= 0:
            raise Spent
        return min(visits, left)

    def together(self, state: State, least: int) -> int:
        """Return the bound of `attempt` from whichever thread finds one first."""
        done = threading.Event()

        def search(solver: Solver, go_on: Callable[[], object]) -> int | None:
            try:
                while not done.is_set():
                    value = solver.attempt(state, least, self.allowed(SHORT))
                    if not solver.stopped:
                        return value
                    go_on()
            finally:
                done.set()
            return None

        with ThreadPoolExecutor(len(self.helpers)) as pool:
            asked = [pool.submit(copy_context().run, search, helper, lambda: None) for helper in self.helpers]
            own = search(self.solver, lambda: self.go_on(self.visited))
        found = [value for value in (own, *(one.result() for one in asked)) if value is not None]
        return found[0]


class LookedUp:
    """Evaluates positions with a game's endings.

    Args:
        game: The game.
        look: Returns the value of a position; None if it is missing.
    """

    def __init__(self, game: Game, look: Callable[[State], Worth | None]) -> None:
        self.game, self.look, self.visited = game, look, 0

    def worth(self, state: State) -> Worth:
        """Return the value of a position; raise ArenaError if it is missing."""
        self.visited += 1
        found = self.look(state)
        if found is None:
            raise ArenaError(
                f"the endings of {self.game} lack {self.game.position_text(state)}; "
                f"continue with '{either('arena endings', 'arena.endings')}'"
            )
        return found
