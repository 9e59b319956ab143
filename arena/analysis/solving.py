"""What a position is worth if both play perfectly, asked of a game's solver."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import NamedTuple, Protocol

from arena.api.game import Game, State
from arena.api.solver import Solver
from arena.errors import ArenaError
from arena.wording import either

VISITS = 1 << 20  # positions between looks at whether to go on, some tenths of a second
SHORT = VISITS >> 2  # the same where others search, too


class Worth(NamedTuple):
    """What a position is worth to the player to move: 1 won, 0 drawn, -1 lost, None not found out.

    plies: how many are left if the winner hurries and the loser delays; None where nobody wins, or where that
    was not asked.
    """

    value: int | None
    plies: int | None = None


def after_move(worth: Worth, turns: bool) -> Worth:
    """The same for who has just moved there, the other player if `turns`."""
    if worth.value is None:
        return worth
    plies = None if worth.plies is None else worth.plies + 1
    return Worth(-worth.value if turns else worth.value, plies)


class Known(Protocol):
    """Positions that are solved already."""

    def worth(self, state: State) -> Worth | None:
        """What a position is worth, None if it is none of them."""
        ...


class Spent(Exception):
    """A search has looked at as many positions as it may."""


class Searched:
    """By a solver. go_on: called now and then with how many positions were looked at; it may raise.

    threads: how many search what is not found soon, each finding in the solver's table what others have put
    there. nodes: how many positions may be looked at for one, 0 = any number; by several threads a few more.
    known: positions that need no search, if there are any.
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
        """How many positions were looked at."""
        return sum(solver.visited for solver in (self.solver, *self.helpers))

    def worth(self, state: State) -> Worth:
        """Of a position."""
        game = self.solver.game
        if not game.moves(state):
            return Worth(game.value(state), 0 if self.distance and game.value(state) else None)
        if self.known and (found := self.known.worth(state)):
            return found
        self.until = self.visited + self.nodes
        try:
            return self.found(state)
        except Spent:
            return Worth(None)

    def found(self, state: State) -> Worth:
        """Of one that has moves, or Spent."""
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
        value = self.attempt(state, least)
        return (max(low, value), high) if value >= least else (low, min(high, value))

    def attempt(self, state: State, least: int) -> int:
        """A bound of a value that tells whether it is `least` or more."""
        value = self.solver.attempt(state, least, self.allowed(VISITS))
        while self.solver.stopped:
            self.go_on(self.visited)
            if self.helpers:
                return self.together(state, least)
            value = self.solver.attempt(state, least, self.allowed(VISITS))
        return value

    def allowed(self, visits: int) -> int:
        """So many positions, or as many as are left of those that may be looked at; Spent if none are."""
        if not self.nodes:
            return visits
        left = self.until - self.visited
        if left <= 0:
            raise Spent
        return min(visits, left)

    def together(self, state: State, least: int) -> int:
        """The same by all threads: whoever has it first."""
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
    """In a game's endings.

    look: what a position is worth, None if that is not there.
    """

    def __init__(self, game: Game, look: Callable[[State], Worth | None]) -> None:
        self.game, self.look, self.visited = game, look, 0

    def worth(self, state: State) -> Worth:
        """Of a position, or ArenaError if it is not there."""
        self.visited += 1
        found = self.look(state)
        if found is None:
            raise ArenaError(
                f"the endings of {self.game} lack {self.game.position_text(state)}; "
                f"go on with '{either('arena endings', 'arena.endings')}'"
            )
        return found
