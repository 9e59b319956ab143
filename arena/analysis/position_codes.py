"""What positions are worth as small numbers, which are kept by the number of the position."""

from __future__ import annotations

import numpy as np

from arena.analysis.solving import Worth
from arena.api.component import Component, unchecked
from arena.api.endings import Endings
from arena.api.game import State

DRAWN = 0  # a code: nobody wins
UNKNOWN = 2  # in place of a value


class Codes(Component):
    """What positions are worth, as codes: 0 drawn, an even number won, an odd one lost, more for more plies.

    In endings that are paired the code of n plies is n + 1; else that of a win is 2 * n + 2, of a loss
    2 * n + 3.

    takes_back: whether moves can be taken back.
    values: uint8 or uint16, of all slices. starts: int64, the place of each slice's first position.
    """

    def __init__(self, endings: Endings, values: np.ndarray, starts: np.ndarray) -> None:
        self.game, self.endings = endings.game, endings
        self.values, self.starts = values, starts
        self.paired = endings.paired
        self.longest = endings.longest
        self.takes_back = type(endings).unmoves is not Endings.unmoves

    def code(self, won: bool, plies: int) -> int:
        """The code of a win or loss."""
        if plies > self.longest:
            raise ValueError("a win takes more plies than `longest` of its endings says")
        if self.paired:
            return plies + 1
        return 2 * plies + (2 if won else 3)

    def plies(self, code: int) -> int:
        """How many plies are left, of a code that is no draw."""
        return code - 1 if self.paired else (code >> 1) - 1

    def helper(self) -> Codes:
        """The same for another thread."""
        return Codes(type(self.endings).of(self.game, self.endings.pieces), self.values, self.starts)

    def worth(self, state: State) -> Worth | None:
        """What a position is worth, None if it is in no slice."""
        code = int(self.look(state))
        return None if code < 0 else self.meaning(code)

    def meaning(self, code: int) -> Worth:
        """What a position with a code is worth."""
        return Worth(0) if code == DRAWN else Worth(-1 if code & 1 else 1, self.plies(code))

    @unchecked
    def look(self, state: State) -> int:
        """The code of a position, -1 if it is in no slice."""
        slice = self.endings.slice(state)
        if slice < 0:
            return -1
        code: int = self.values[self.starts[slice] + self.endings.number(state)]
        return code

    @unchecked
    def value(self, state: State) -> int:
        """What a position is worth to the player to move, -1, 0 or 1; `UNKNOWN` if it is in no slice."""
        code = self.look(state)
        if code < 0:
            return UNKNOWN
        return 0 if code == DRAWN else -1 if code & 1 else 1

    def turns(self, before: State, after: State) -> bool:
        """Whether the players to move are two."""
        return bool(self.game.alternating or self.game.to_move(before) != self.game.to_move(after))
