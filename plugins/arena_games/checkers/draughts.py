"""The base class of checkers of any size: positions, their values and their notation.

A state is (own, other, kings, side): the pieces of the player to move, the opponent's pieces, the kings of
both, and the player to move. Bit n is cell n, which is square n + 1 in the notation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from arena import ArenaError, Game, bits, popcount, tagged_text

State = tuple[int, int, int, int]
SQUARES = r"K?\d{1,9}(?:-K?\d{1,9})?"  # `5`, `K5`, or a range such as `5-8`
# the player to move, the squares of both players, then the plies without a capture and the move number
FEN = re.compile(
    rf"([BW])((?::[BW](?:{SQUARES}(?:,{SQUARES})*)?){{0,2}})(?::H(\d{{1,9}}))?(?::F(\d{{1,9}}))?\.?"
)
SQUARE = r"0{0,9}[1-9]\d{0,9}"
MOVE = re.compile(rf"(?<!\d){SQUARE}(?:\s*[-:xX]\s*{SQUARE})+(?!\d)")


def surplus(own: int, other: int) -> float:
    """Return the difference between the numbers of own and of other pieces."""
    return float(popcount(own) - popcount(other))


def squares_of(text: str) -> Iterator[tuple[str, int]]:
    """Yield the pieces of a side in FEN, each with its square number; `K5-8` is four pieces."""
    for part in text.split(",") if text else ():
        first, _, last = part.partition("-")
        low, high = sorted(int(square.lstrip("K")) for square in (first, last or first))
        for number in range(low, min(high, low + 100) + 1):  # more squares than any board has
            yield part, number


def squares_in(move: str) -> list[int]:
    """Return the squares in the text of a move."""
    return [int(square) for square in re.findall(r"\d+", move)]


def is_short(named: list[int], squares: list[int]) -> bool:
    """Return whether squares in a text denote a move; for captures, intermediate squares may be left out."""
    between = iter(squares[1:-1])
    return (named[0], named[-1]) == (squares[0], squares[-1]) and all(n in between for n in named[1:-1])


def counts(text: str) -> tuple[int, int]:
    """Return the plies without a capture and the move number from a FEN; 0 and 1 if it has none."""
    found = FEN.fullmatch("".join(text.upper().split()))
    return (int(found[3] or 0), max(1, int(found[4] or 1))) if found else (0, 1)


class Draughts(Game):
    """The rules of checkers except for the moves of pieces. In PDN's FEN, B is player 0 and W player 1.

    crowning: for each player, the row where men are crowned. example: the text of a position. letters:
    letters for an empty square, the men of both players, and the kings of both players.
    """

    crowning: ClassVar[tuple[int, int]]
    example: ClassVar[str]
    letters: ClassVar[str]
    game_type: ClassVar[int] = 0  # the PDN tag GameType, 0 if there is none
    capture_to_win: bool
    alternating = True
    pieces = 4  # 1 and 2 are men of players 0 and 1; 3 and 4 are kings

    def to_move(self, state: State) -> int:
        return state[3]

    def value(self, state: State) -> int:
        return 0 if self.capture_to_win and state[0] != 0 else -1

    def evaluate(self, state: State) -> float:
        """Return own minus opponent's material; a man counts 1, a king 2."""
        own, other, kings, _ = state
        return surplus(own, other) + surplus(own & kings, other & kings)

    def piece(self, state: State, cell: int) -> int:
        own, other, kings, side = state
        if not ((own | other) >> cell) & 1:
            return 0
        return 1 + (side ^ ((other >> cell) & 1)) + 2 * ((kings >> cell) & 1)

    def match_text(self, tags: Mapping[str, str], moves: Sequence[str]) -> str:
        """Return a match as PDN. In English draughts 1-0 means that Black, who moves first, wins."""
        start = tags.get("start", "")
        return tagged_text(
            tags,
            moves,
            white=1,
            result=tags["result"],
            black_begins=start.startswith("W"),  # the second player begins, whose moves have no numbers
            first_number=counts(start)[1],
            repeat_numbers=False,
            extra={"GameType": str(self.game_type)} if self.game_type else {},
        )

    def position_text(self, state: State) -> str:
        """Return a text such as `B:W21,K30:B1,2`: the player to move, then all pieces, with K for kings."""
        own, other, kings, side = state
        black, white = (own, other) if side == 0 else (other, own)

        def squares(pieces: int) -> str:
            return ",".join("K" * ((kings >> n) & 1) + str(n + 1) for n in bits(pieces))

        return f"{'BW'[side]}:W{squares(white)}:B{squares(black)}"

    def read_position(self, text: str) -> State:
        found = FEN.fullmatch("".join(text.upper().split()))
        if not found:
            raise ArenaError(f"{text!r} is not a position such as {self.example!r}")
        squares = len(self.cells)
        pieces = {"B": 0, "W": 0}
        kings = 0
        for part in found[2].split(":")[1:]:
            if pieces[part[0]]:
                raise ArenaError(f"{text!r} names the pieces of {part[0]} twice")
            for square, number in squares_of(part[1:]):
                if not 1 <= number <= squares:
                    raise ArenaError(
                        f"{text!r} has a piece on square {number}; squares are numbered 1 to {squares}"
                    )
                bit = 1 << (number - 1)
                if (pieces["B"] | pieces["W"]) & bit:
                    raise ArenaError(f"{text!r} has two pieces on square {number}")
                pieces[part[0]] |= bit
                kings |= bit if square.startswith("K") else 0
        for color, row in zip("BW", self.crowning, strict=True):
            if stuck := pieces[color] & row & ~kings:
                number = stuck.bit_length()
                raise ArenaError(f"{text!r} has a man on square {number}, where it would be a king")
        if found[1] == "B":
            return (pieces["B"], pieces["W"], kings, 0)
        return (pieces["W"], pieces["B"], kings, 1)

    def split_moves(self, text: str) -> list[str]:
        """Return the moves in a text, such as `11-15` or `22x15x8`; anything else is left out."""
        return ["".join(found[0].split()) for found in MOVE.finditer(text)]

    def read_move(self, state: State, text: str) -> int:
        """Return the move through these squares, with any separators: `22-15`, `22:15`, `08x15`.

        The text of a capture may omit intermediate squares if the move is unambiguous.
        """
        if not MOVE.fullmatch(text):
            return int(super().read_move(state, text))
        named = squares_in(text)
        moves = {self.move_text(move): move for move in self.moves(state)}
        meant = [move for move in moves if squares_in(move) == named]
        meant = meant or [move for move in moves if is_short(named, squares_in(move))]
        if len(meant) > 1:
            raise ArenaError(f"{text!r} can be played in {len(meant)} ways: {', '.join(meant)}")
        return moves[meant[0]] if meant else int(super().read_move(state, text))

    def start_text(self, text: str) -> str:
        """Return the FEN, with the plies without a capture and the move number if the text contains them."""
        state, (quiet, number) = self.read_position(text), counts(text)
        stated = f"{f':H{quiet}' if quiet else ''}{f':F{number}' if number > 1 else ''}"
        return f"{self.position_text(state)}{stated}"

    def quiet_in(self, text: str) -> int:
        return counts(text)[0]

    def board_text(self, state: State) -> str:
        """Return the board with a letter on each dark square and blanks on light squares."""
        size = 1 + max(y for _, y in self.cells)
        rows = [[" "] * size for _ in range(size)]
        for cell, (x, y) in enumerate(self.cells):
            rows[y][x] = self.letters[self.piece(state, cell)]
        return "\n".join(" ".join(row).rstrip() for row in rows)
