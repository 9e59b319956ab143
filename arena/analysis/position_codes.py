"""Values of positions as small integers, stored by position number."""

from __future__ import annotations

import numpy as np

from arena.analysis.solving import Worth
from arena.api.component import Component, unchecked
from arena.api.endings import Endings
from arena.api.game import State

DRAWN = 0  # the code of a draw
UNKNOWN = 2  # returned instead of a value


class Codes(Component):
    """Values of the positions of endings, as codes.

    A code is 0 for a draw, any other even number for a win and an odd number for a loss. It increases with
    the number of plies left. In paired endings the code of n plies is n + 1; in others it is 2 * n + 2 for a
    win and 2 * n + 3 for a loss.

    Attributes:
        game: The game.
        endings: Its endings, which give each position its number.
        values: uint8 or uint16 [positions], codes of all slices.
        starts: int64, index of each slice's first position.
        paired: Whether the endings are paired, see `arena.Endings.paired`.
        longest: Maximum number of plies of a win in these endings.
        takes_back: Whether the endings define `unmoves`.
    """

    def __init__(self, endings: Endings, values: np.ndarray, starts: np.ndarray) -> None:
        self.game, self.endings = endings.game, endings
        self.values, self.starts = values, starts
        self.paired = endings.paired
        self.longest = endings.longest
        self.takes_back = type(endings).unmoves is not Endings.unmoves

    def code(self, won: bool, plies: int) -> int:
        """Return the code of a win or loss."""
        if plies > self.longest:
            raise ValueError("a win takes more plies than the `longest` of its endings")
        if self.paired:
            return plies + 1
        return 2 * plies + (2 if won else 3)

    def plies(self, code: int) -> int:
        """Return the number of plies left for the code of a win or loss."""
        return code - 1 if self.paired else (code >> 1) - 1

    def helper(self) -> Codes:
        """Return another object for use in another thread, which shares the values."""
        return Codes(type(self.endings).of(self.game, self.endings.pieces), self.values, self.starts)

    def worth(self, state: State) -> Worth | None:
        """Return the value of a position; None if it is in no slice."""
        code = int(self.look(state))
        return None if code < 0 else self.meaning(code)

    def meaning(self, code: int) -> Worth:
        """Return the value that a code represents."""
        return Worth(0) if code == DRAWN else Worth(-1 if code & 1 else 1, self.plies(code))

    @unchecked
    def look(self, state: State) -> int:
        """Return the code of a position; -1 if it is in no slice."""
        slice = self.endings.slice(state)
        if slice < 0:
            return -1
        code: int = self.values[self.starts[slice] + self.endings.number(state)]
        return code

    @unchecked
    def value(self, state: State) -> int:
        """Return the value of a position for the side to move, -1, 0 or 1; `UNKNOWN` if it is in no slice."""
        code = self.look(state)
        if code < 0:
            return UNKNOWN
        return 0 if code == DRAWN else -1 if code & 1 else 1

    def turns(self, before: State, after: State) -> bool:
        """Return whether the side to move differs between two positions."""
        return bool(self.game.alternating or self.game.to_move(before) != self.game.to_move(after))
