"""What a solver is: it finds what positions of a game are worth, by a search of its own."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.api.component import Component
from arena.api.game import Game, State


class Solver(Component):
    """What a plugin's solver subclasses; it is registered under the name of its game.

    A value is a whole number for the player to move: above 0 won, 0 drawn, below 0 lost; the sooner, the
    further from 0. What is found out in one call may help the next.

    visited: positions looked at, over all calls. stopped: whether the last attempt took too many. table: of
    int64, all 0 at first, if there is one that has all that was found out: one of the same shape that is kept
    in a file may be put in its place.
    """

    game: Game
    table: NDArray[np.int64]
    visited: int = 0
    stopped: bool = False
    endless: bool = False  # whether an attempt that nothing stops may never end
    uses: ClassVar[tuple[str, ...]] = ()  # capabilities that it takes up where a game offers them
    exact: bool = False  # whether an attempt finds the value itself, not just a bound, and at once

    @classmethod
    def of(cls, game: Game, memory: int) -> Solver:
        """One for a game, with about so many bytes for what it keeps. ArenaError if it cannot solve that."""
        raise NotImplementedError  # the author's to write

    def attempt(self, state: State, least: int, visits: int) -> int:
        """Whether a position that has moves is worth `least` or more: a bound of its value that tells.

        So the value is what is given or more, if that is `least` or more, and else that or less. After about
        so many visits it may give up: then `stopped` is True and the answer worthless, and asked again it
        goes on where it was.
        """
        raise NotImplementedError  # the author's to write

    def forget(self) -> None:
        """Forget what was found out, so that attempts go as those of a new one."""
        if not self.exact:
            self.table[:] = 0

    def helper(self) -> Solver | None:
        """Another that shares what this one finds out, to search the same at the same time in its own thread.

        None if there is no such thing.
        """
        return None

    def most(self, state: State) -> int:
        """No value of the position is further from 0 than that."""
        raise NotImplementedError  # the author's to write

    def plies(self, state: State, value: int) -> int:
        """How many plies are left where a position is worth that, and the winner hurries."""
        raise NotImplementedError  # the author's to write
