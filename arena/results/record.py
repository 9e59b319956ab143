"""What is kept of a match."""

from __future__ import annotations

from typing import NamedTuple

FORFEITS = ("illegal move", "crash", "clock", "stall")


class Record(NamedTuple):
    """What is kept of a match.

    result: from the first player's side: 1 win, 0 draw, -1 loss.
    reason: 'rules', or a draw's 'repetition', 'no capture' or 'max plies'; or how the loser forfeited, one
        of `FORFEITS`, `detail` saying more.
    plies, opening: of the whole match, and how many of these it began with, played by no agent.
    moves: the whole match in the game's notation, parted by spaces.
    chance: 1 if an agent drew a random number, 0 if the match would always go this way.
    seconds: spent in each agent's `choose`.
    """

    number: int
    round: int
    first: int
    second: int
    result: int
    reason: str
    detail: str | None
    plies: int
    opening: int
    moves: str
    chance: int
    first_seconds: float
    second_seconds: float
