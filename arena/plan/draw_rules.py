"""Draw rules: by repetition, without captures, by length."""

from __future__ import annotations

from arena.api.game import Game, Move, State
from arena.faults.time_limits import Limits


class Draws:
    """The draws that the match has to watch for: by repetition, without captures, by length.

    start: the text of the position that the match began in, which may state plies without a capture.
    """

    def __init__(self, game: Game, state: State, limits: Limits, start: str | None = None) -> None:
        self.game, self.plies = game, limits.plies
        self.watching = bool(game.repetition or game.quiet_plies)
        self.times = {state: 1}  # of positions since the last move that cannot be taken back
        self.quiet = 0 if start is None else game.quiet_in(start)  # plies since the last capture

    def add_move(self, before: State, move: Move, after: State) -> None:
        """A move was played."""
        if self.watching:
            irreversible = self.game.irreversible(before, move)
            if irreversible:
                self.times.clear()
            self.quiet = 0 if irreversible == 2 else self.quiet + 1
            self.times[after] = self.times.get(after, 0) + 1

    def reason(self, state: State, plies: int) -> str | None:
        """Why the match is drawn now, if it is."""
        if self.watching:
            if self.times[state] == self.game.repetition:
                return "repetition"
            if self.quiet >= self.game.quiet_plies > 0:
                return "no capture"
        return "max plies" if self.plies and plies >= self.plies else None
