"""An opening: the position that a match begins in, and the moves that are played before the agents begin."""

from __future__ import annotations

from typing import NamedTuple

from arena.api.game import Move


class Opening(NamedTuple):
    """The moves that a match begins with.

    start: the text of the position that they begin in, None for the game's own start. The entry in the first
    seat plays the game's first side (White in chess) also where the other side is to move there.
    """

    moves: tuple[Move, ...] = ()
    start: str | None = None


OWN_START = Opening()
