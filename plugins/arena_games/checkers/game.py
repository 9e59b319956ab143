"""English draughts, 8 x 8: options, notation, board."""

from __future__ import annotations

import re

from arena import ArenaError, FastGame, option
from arena.bits import popcount
from arena_games.checkers import rules
from arena_games.checkers.notation import OnPaper, State


class Checkers(OnPaper, FastGame):
    """English draughts: captures are mandatory, whoever cannot move loses.

    Positions are PDN's FEN, `B:W21,22,K30:B1,2,12`, black to move, squares 1 to 32. A move names its
    squares, `11-15`, or for captures all that it lands on, `1x10x19`. Black moves first.
    """

    rules = rules
    sides = ("black", "white")
    example = "B:W21,22,K30:B1,2,12"
    letters = "-bwBW"
    repetition: int = option(3, "a position's so-manieth time on the board draws; 0 = never", low=0)
    quiet_plies: int = option(100, "so many plies without a capture draw; 0 = never", low=0)
    capture_to_win: bool = option(False, "only capturing everything wins, and who cannot move ties")

    def move_text(self, move: int) -> str:
        path, captured, origin = move >> 42, (move >> 10) & rules.FULL, (move >> 5) & 31
        if not captured:
            return f"{origin + 1}-{(move & 31) + 1}"
        squares = [origin + 1]
        at = 1 << origin
        for jump in range(popcount(captured)):
            direction = (path >> (2 * jump)) & 3
            at = rules.step(rules.step(at, direction), direction)
            squares.append(at.bit_length())
        return "x".join(map(str, squares))

    def read_move(self, state: State, text: str) -> int:
        """The move with this text; a capture may leave out where it lands between, if that is clear."""
        if re.fullmatch(r"\d+x\d+", text):
            origin, target = (int(square) - 1 for square in text.split("x"))
            jumps = [
                move
                for move in self.moves(state)
                if ((move >> 5) & 31, move & 31) == (origin, target) and (move >> 10) & rules.FULL
            ]
            if len(jumps) > 1:
                ways = ", ".join(map(self.move_text, jumps))
                raise ArenaError(f"{text!r} can be played in {len(jumps)} ways: {ways}")
            if jumps:
                return int(jumps[0])
        return int(super().read_move(state, text))
