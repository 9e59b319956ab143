"""Checkers on 4 x 4: two men per side, captures are optional.

A state is (own, other, kings, side); BLUE is player 0 and RED is player 1; see `Draughts`. Squares are:

    1 . 2 .    RED starts at the top and moves down
    . 3 . 4
    5 . 6 .    directions: 0 up left, 1 up right,
    . 7 . 8                2 down left, 3 down right

BLUE starts at the bottom, moves up and moves first. A move is direction << 14 | captured << 6 | from << 3 |
to, where `captured` is a bit. Multiple jumps do not occur: the jumped piece is on square 3 or 6, and from the
square where a jump over one of them ends there is no jump over the other.

There are no symmetries: a reflection maps the dark squares to light ones, and a rotation swaps the players.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena import lowest, option, popcount
from arena_games.checkers.draughts import Draughts, State, surplus

EDGES = 0x99  # the columns on the left and on the right
ORDER = (0, 4, 2, 6, 1, 5, 3, 7)  # squares column by column, from the left
CELLS = tuple((2 * (n % 2) + n // 2 % 2, n // 2) for n in range(8))
OUTSIDE = 8
STEP = tuple(  # the square a step leads to, at index 4 * square + direction
    CELLS.index((x + dx, y + dy)) if (x + dx, y + dy) in CELLS else OUTSIDE
    for x, y in CELLS
    for dx, dy in ((-1, -1), (1, -1), (-1, 1), (1, 1))
)


def origin(move: int) -> int:
    """Return the square on which a move begins."""
    return (move >> 3) & 7


def captured(move: int) -> int:
    """Return the piece that a move captures, as a bit."""
    return (move >> 6) & 0xFF


def mean_row(pieces: int, player: int) -> int:
    """Return the mean row of a player's pieces, 0 to 3 from its home row, rounded down; 0 for no pieces."""
    count = popcount(pieces)
    if count == 0:
        return 0
    rows = popcount(pieces & 0xCC) + 2 * popcount(pieces & 0xF0)  # counted from the top, RED's home row
    return (rows if player == 1 else 3 * count - rows) // count


class Checkers4x4(Draughts):
    """Checkers on 4 x 4 with two men per side: captures are optional, a player who cannot move loses.

    Positions are written in PDN's FEN, `B:W1,K4:B7,8`, with B for BLUE and W for RED and squares 1 to 8 from
    the top left. A move is written as its two squares, `7-6`, or `7x4` for a capture. BLUE moves first.
    """

    sides = ("BLUE", "RED")
    example = "B:W1,K4:B7,8"
    letters = "-brBR"
    max_moves = 9  # the number of pairs of adjacent squares, each of which allows at most one move
    max_plies = 200
    reachable = 4302
    crowning = (0x03, 0xC0)
    cells = CELLS
    capture_to_win: bool = option(False, "only capturing all pieces wins; a player who cannot move draws")

    def initial(self) -> State:
        return (0xC0, 0x03, 0, 0)

    def moves(self, state: State) -> Iterator[int]:
        """Yield the legal moves, sorted by column, then from the top, then by direction."""
        own, other, kings, side = state
        closed = own | other | 1 << OUTSIDE
        for start in ORDER:
            if (own >> start) & 1:
                for d in range(4):
                    if d >> 1 == side or (kings >> start) & 1:
                        to = STEP[4 * start + d]
                        taken = other & (1 << to)
                        if taken:
                            to = STEP[4 * to + d]
                        if not (closed >> to) & 1:
                            yield d << 14 | taken << 6 | start << 3 | to

    def play(self, state: State, move: int) -> State:
        own, other, kings, side = state
        start, target, taken = 1 << origin(move), 1 << (move & 7), captured(move)
        king = kings & start
        kings &= ~(start | taken)
        if king or target & self.crowning[side]:
            kings |= target
        return (other & ~taken, (own & ~start) | target, kings, 1 - side)

    def null_move(self, state: State) -> State:
        """Return the position after a pass by the player to move."""
        own, other, kings, side = state
        return (other, own, kings, 1 - side)

    # --- grid -----------------------------------------------------------------------------------------

    def anchor(self, state: State, move: int) -> int:
        return origin(move)

    def shape(self, state: State, move: int) -> int:
        """Return a move's direction, 0 to 3; for a capture, plus 4 times the captured piece, 1 to 4."""
        if not captured(move):
            return move >> 14
        return 4 * self.piece(state, lowest(captured(move))) + (move >> 14)

    def shape_image(self, shape: int, i: int) -> int:
        direction, piece = shape & 3, shape >> 2
        if i & 4:
            direction = direction >> 1 | (direction & 1) << 1
        if i & 8 and piece:
            piece = ((piece - 1) ^ 1) + 1
        return 4 * piece + (direction ^ (i & 3))

    # --- features and abstract states for learning ----------------------------------------------------

    feature_names = ("men", "kings", "men in the opponent's half", "men on the home row")

    def features(self, state: State) -> Iterator[float]:
        own, other, kings, side = state
        men, their_men = own & ~kings, other & ~kings
        yield surplus(men, their_men)
        yield surplus(own & kings, other & kings)
        yield surplus(men & self.enemy_half(side), their_men & self.enemy_half(1 - side))
        yield surplus(men & self.crowning[1 - side], their_men & self.crowning[side])

    def enemy_half(self, side: int) -> int:
        """Return the squares in the half of the board towards which a side moves."""
        return 0x0F if side == 0 else 0xF0

    def abstract(self, state: State, player: int) -> int:
        """Return a player's features as in "Checkers-Reinforcement-Learning", packed from the lowest bit up.

        Four bits each for the numbers of own men, opponent's men, own kings, opponent's kings, and own pieces
        on the edges. Two bits each for the mean row of own and of opponent's pieces, rounded down and counted
        from the owner's home row.
        """
        own, other, kings, side = state
        if side != player:
            own, other = other, own
        packed = popcount(own & ~kings) | popcount(other & ~kings) << 4
        packed |= popcount(own & kings) << 8 | popcount(other & kings) << 12 | popcount(own & EDGES) << 16
        return packed | mean_row(own, player) << 20 | mean_row(other, 1 - player) << 22

    def move_text(self, move: int) -> str:
        return f"{origin(move) + 1}{'x' if captured(move) else '-'}{(move & 7) + 1}"
