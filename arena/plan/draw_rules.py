"""Draws by repetition, by a lack of captures, and by length."""

from __future__ import annotations

from arena.api.game import Game, Move, State
from arena.faults.time_limits import Limits


class Draws:
    """Track the draws that the game's rules leave to the match: by repetition, without captures, by length.

    Args:
        game: The game.
        state: The position in which the match began.
        limits: Has the maximum number of plies, 0 = none.
        start: The text of that position, which may state plies without a capture. None for the game's own
            start.
    """

    def __init__(self, game: Game, state: State, limits: Limits, start: str | None = None) -> None:
        self.game, self.plies = game, limits.plies
        self.watching = bool(game.repetition or game.quiet_plies)
        self.times = {state: 1}  # how often each position occurred since the last irreversible move
        self.quiet = 0 if start is None else game.quiet_in(start)  # plies since the last capture

    def add_move(self, before: State, move: Move, after: State) -> None:
        """Note a move that was played."""
        if self.watching:
            irreversible = self.game.irreversible(before, move)
            if irreversible:
                self.times.clear()
            self.quiet = 0 if irreversible == 2 else self.quiet + 1
            self.times[after] = self.times.get(after, 0) + 1

    def reason(self, state: State, plies: int) -> str | None:
        """Return why the match is drawn now, or None if it is not."""
        if self.watching:
            if self.times[state] == self.game.repetition:
                return "repetition"
            if self.quiet >= self.game.quiet_plies > 0:
                return "no capture"
        return "max plies" if self.plies and plies >= self.plies else None
