"""The base class of solvers, which find the values of a game's positions by a specialised search."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.api.component import Component
from arena.api.game import Game, State


class Solver(Component):
    """A search that finds the values of positions; subclass it and register it under the name of the game.

    A value is an integer from the point of view of the player to move: positive if won, 0 if drawn, negative
    if lost. The sooner the game ends, the farther from 0 it is. A call may use the results of earlier calls.

    Attributes:
        game: The game.
        table: int64, the stored results, initially all 0, if the solver has such a table. It may be replaced
            by an array of the same shape that is mapped to a file.
        visited: The number of positions visited, over all calls.
        stopped: Whether the last attempt gave up after too many visits.
        endless: Whether an attempt without a limit may never end.
        uses: Capabilities that the solver uses if the game offers them.
        exact: Whether a single attempt finds the exact value instead of a bound.
    """

    game: Game
    table: NDArray[np.int64]
    visited: int = 0
    stopped: bool = False
    endless: bool = False  # whether an attempt without a limit may never end
    uses: ClassVar[tuple[str, ...]] = ()  # capabilities that it uses if the game offers them
    exact: bool = False  # whether a single attempt finds the exact value instead of a bound

    @classmethod
    def of(cls, game: Game, memory: int) -> Solver:
        """Return a solver for a game.

        Args:
            game: The game.
            memory: The approximate number of bytes that the solver may use for results.

        Raises:
            ArenaError: If it cannot solve this game.
        """
        raise NotImplementedError  # subclasses implement it

    def attempt(self, state: State, least: int, visits: int) -> int:
        """Return a bound on the value of a position that shows whether the value is `least` or more.

        Args:
            state: The position, which must have legal moves.
            least: The value to compare with.
            visits: The solver may give up after about this many visits. `stopped` is then True and the result
                meaningless; the next call continues the search.

        Returns:
            A lower bound of the value if the result is `least` or more, otherwise an upper bound.
        """
        raise NotImplementedError  # subclasses implement it

    def forget(self) -> None:
        """Discard all results, so that further attempts run as in a new solver."""
        if not self.exact:
            self.table[:] = 0

    def helper(self) -> Solver | None:
        """Return another solver that shares the results, for another thread; None if that is impossible."""
        return None

    def most(self, state: State) -> int:
        """Return an upper bound on the absolute value of the position's value."""
        raise NotImplementedError  # subclasses implement it

    def plies(self, state: State, value: int) -> int:
        """Return the number of plies to the end in a position with this value if the winner plays fastest."""
        raise NotImplementedError  # subclasses implement it
