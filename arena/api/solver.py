"""The base class of solvers, which find the values of a game's positions by a search of their own."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.api.component import Component
from arena.api.game import Game, State


class Solver(Component):
    """A search that finds the values of positions; subclass it and register it under the name of the game.

    A value is a whole number for the player to move: above 0 won, 0 drawn, below 0 lost; the sooner, the
    further from 0. Results of one call may be used by the next.

    Attributes:
        game: The game.
        table: int64, all 0 at first: all results that are kept, if there is such a table. It may be replaced
            by one of the same shape that lies in a file.
        visited: The number of positions visited, over all calls.
        stopped: Whether the last attempt visited too many.
        endless: Whether an attempt without a limit may never end.
        uses: Capabilities of the game that the solver uses if there.
        exact: Whether an attempt finds the value itself, instead of a bound, and at once.
    """

    game: Game
    table: NDArray[np.int64]
    visited: int = 0
    stopped: bool = False
    endless: bool = False  # whether an attempt without a limit may never end
    uses: ClassVar[tuple[str, ...]] = ()  # capabilities that it uses if the game offers them
    exact: bool = False  # whether an attempt finds the value itself, at once, and not just a bound

    @classmethod
    def of(cls, game: Game, memory: int) -> Solver:
        """Return a solver for a game.

        Args:
            game: The game.
            memory: About how many bytes it may use for results.

        Raises:
            ArenaError: If it cannot solve this game.
        """
        raise NotImplementedError  # subclasses implement it

    def attempt(self, state: State, least: int, visits: int) -> int:
        """Return a bound of the value of a position, which shows whether it is `least` or more.

        Args:
            state: The position, which has moves.
            least: The value to compare with.
            visits: After about so many visits it may give up. `stopped` is then True and the result
                meaningless; the next call continues.

        Returns:
            A bound: the value is at least this if it is `least` or more, otherwise at most this.
        """
        raise NotImplementedError  # subclasses implement it

    def forget(self) -> None:
        """Discard all results, so that attempts run as those of a new solver."""
        if not self.exact:
            self.table[:] = 0

    def helper(self) -> Solver | None:
        """Return another solver that shares the results, for another thread; None if that is impossible."""
        return None

    def most(self, state: State) -> int:
        """Return a number that no value of the position exceeds in size."""
        raise NotImplementedError  # subclasses implement it

    def plies(self, state: State, value: int) -> int:
        """Return the number of plies left in a position of this value, if the winner hurries."""
        raise NotImplementedError  # subclasses implement it
