"""English draughts, 8 x 8: options, notation, board."""

from __future__ import annotations

import re

from arena import ArenaError, FastGame, option
from arena.bits import popcount
from arena_games.checkers import rules

State = tuple[int, int, int, int]
FEN = re.compile(r"([BW])((?::[BW](?:K?\d+(?:,K?\d+)*)?){0,2})\.?")


class Checkers(FastGame):
    """English draughts: captures are mandatory, whoever cannot move loses.

    Positions are PDN's FEN, `B:W21,22,K30:B1,2,12`, black to move, squares 1 to 32. A move names its
    squares, `11-15`, or for captures all that it lands on, `1x10x19`. Black moves first.
    """

    rules = rules
    sides = ("black", "white")
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

    def position_text(self, state: State) -> str:
        own, other, kings, side = state
        black, white = (own, other) if side == 0 else (other, own)

        def squares(pieces: int) -> str:
            marked = (("K" if (kings >> n) & 1 else "") + str(n + 1) for n in range(32) if (pieces >> n) & 1)
            return ",".join(marked)

        return f"{'BW'[side]}:W{squares(white)}:B{squares(black)}"

    def read_position(self, text: str) -> State:
        found = FEN.fullmatch(text.strip().upper())
        if not found:
            raise ArenaError(f"{text!r} is not a position such as 'B:W21,22,K30:B1,2,12'")
        pieces = {"B": 0, "W": 0}
        kings = 0
        for part in found[2].split(":")[1:]:
            if pieces[part[0]]:
                raise ArenaError(f"{text!r} names the pieces of {part[0]} twice")
            for square in part[1:].split(",") if part[1:] else ():
                number = int(square.lstrip("K"))
                if not 1 <= number <= 32:
                    raise ArenaError(f"{text!r} has a piece on square {number}; there are 1 to 32")
                bit = 1 << (number - 1)
                if (pieces["B"] | pieces["W"]) & bit:
                    raise ArenaError(f"{text!r} has two pieces on square {number}")
                pieces[part[0]] |= bit
                kings |= bit if square.startswith("K") else 0
        for color, row in zip("BW", rules.CROWNING, strict=True):
            if stuck := pieces[color] & row & ~kings:
                raise ArenaError(
                    f"{text!r} has a man on square {stuck.bit_length()}, where it would be a king"
                )
        if found[1] == "B":
            return (pieces["B"], pieces["W"], kings, 0)
        return (pieces["W"], pieces["B"], kings, 1)

    def board_text(self, state: State) -> str:
        own, other, kings, side = state
        black = own if side == 0 else other
        cells = [" "] * 64  # the light ones
        for n in range(32):
            letter = "-"
            if ((own | other) >> n) & 1:
                letter = "b" if (black >> n) & 1 else "w"
            y = n // 4
            x = 2 * (3 - n % 4) + y % 2
            cells[8 * (7 - y) + x] = letter.upper() if (kings >> n) & 1 else letter
        return "\n".join(" ".join(cells[row : row + 8]).rstrip() for row in range(0, 64, 8))
