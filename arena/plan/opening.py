"""An opening: the position in which a match begins, and the moves played before agents choose."""

from __future__ import annotations

from typing import NamedTuple

from arena.api.game import Move


class Opening(NamedTuple):
    """The moves with which a match begins.

    The entry in the first seat plays the game's first side (White in chess), even if the other side is to
    move at the start.

    Attributes:
        moves: The moves.
        start: The text of the position before these moves; None for the game's own start.
    """

    moves: tuple[Move, ...] = ()
    start: str | None = None


OWN_START = Opening()
