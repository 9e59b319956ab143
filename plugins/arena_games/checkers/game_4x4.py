"""Checkers on 4 x 4: two men a side, captures at will.

A state is (own, other, kings, side), BLUE being player 0 and RED player 1; see `Draughts`. Squares are:

    1 . 2 .    RED starts at the top and moves down
    . 3 . 4
    5 . 6 .    directions: 0 up left, 1 up right,
    . 7 . 8                2 down left, 3 down right

BLUE starts at the bottom, moves up and moves first. A move is direction << 14 | captured << 6 | from << 3
| to, `captured` being a bit. Whoever has jumped would have to jump on, but never can: what is jumped
stands on 3 or 6, and from where a jump over the one ends there is none over the other.

No symmetries: a mirror takes the squares to the light ones, half a turn swaps the players.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena import lowest, option, popcount
from arena_games.checkers.draughts import Draughts, State, surplus

EDGES = 0x99  # the columns on the left and on the right
ORDER = (0, 4, 2, 6, 1, 5, 3, 7)  # squares column by column, from the left
CELLS = tuple((2 * (n % 2) + n // 2 % 2, n // 2) for n in range(8))
OUTSIDE = 8
STEP = tuple(  # from a square, 4 * n + direction
    CELLS.index((x + dx, y + dy)) if (x + dx, y + dy) in CELLS else OUTSIDE
    for x, y in CELLS
    for dx, dy in ((-1, -1), (1, -1), (-1, 1), (1, 1))
)


def origin(move: int) -> int:
    """Return the square that a move starts on."""
    return (move >> 3) & 7


def captured(move: int) -> int:
    """Return the piece that a move takes."""
    return (move >> 6) & 0xFF


def mean_row(pieces: int, player: int) -> int:
    """Return the mean row of a player's pieces, 0 to 3 from its home row, rounded down; 0 without pieces."""
    count = popcount(pieces)
    if count == 0:
        return 0
    rows = popcount(pieces & 0xCC) + 2 * popcount(pieces & 0xF0)  # from the top, where RED is at home
    return (rows if player == 1 else 3 * count - rows) // count


class Checkers4x4(Draughts):
    """Checkers on 4 x 4 with two men a side: captures are not mandatory, whoever cannot move loses.

    Positions are PDN's FEN, `B:W1,K4:B7,8`, B for BLUE and W for RED, squares 1 to 8 from the top left.
    A move names its squares, `7-6`, or `7x4` for a capture. BLUE moves first.
    """

    sides = ("BLUE", "RED")
    example = "B:W1,K4:B7,8"
    letters = "-brBR"
    max_moves = 9  # so many pairs of squares touch, and each is good for one move
    max_plies = 200
    reachable = 4302
    crowning = (0x03, 0xC0)
    cells = CELLS
    capture_to_win: bool = option(False, "only capturing all pieces wins; a player who cannot move draws")

    def initial(self) -> State:
        return (0xC0, 0x03, 0, 0)

    def moves(self, state: State) -> Iterator[int]:
        """Yield the legal moves: by column, then from the top, then by direction."""
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
        """Return the position as it would be if the player to move passed."""
        own, other, kings, side = state
        return (other, own, kings, 1 - side)

    # --- grid -----------------------------------------------------------------------------------------

    def anchor(self, state: State, move: int) -> int:
        return origin(move)

    def shape(self, state: State, move: int) -> int:
        """Return a move's direction, 0 to 3; for a capture with 4 times the piece captured, 1 to 4."""
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

    # --- features, and what else learning may go by ---------------------------------------------------

    feature_names = ("men", "kings", "men in the opponent's half", "men on the home row")

    def features(self, state: State) -> Iterator[float]:
        own, other, kings, side = state
        men, their_men = own & ~kings, other & ~kings
        yield surplus(men, their_men)
        yield surplus(own & kings, other & kings)
        yield surplus(men & self.enemy_half(side), their_men & self.enemy_half(1 - side))
        yield surplus(men & self.crowning[1 - side], their_men & self.crowning[side])

    def enemy_half(self, side: int) -> int:
        """Return the squares of the half that a side moves towards."""
        return 0x0F if side == 0 else 0xF0

    def abstract(self, state: State, player: int) -> int:
        """Return a player's features of "Checkers-Reinforcement-Learning", packed from the lowest bit up.

        Four bits each: own men, the other's, own kings, the other's, own pieces on the edges. Two bits each:
        mean row of the own pieces, of the other's, rounded down, each counted from the home row of its owner.
        """
        own, other, kings, side = state
        if side != player:
            own, other = other, own
        packed = popcount(own & ~kings) | popcount(other & ~kings) << 4
        packed |= popcount(own & kings) << 8 | popcount(other & kings) << 12 | popcount(own & EDGES) << 16
        return packed | mean_row(own, player) << 20 | mean_row(other, 1 - player) << 22

    def move_text(self, move: int) -> str:
        return f"{origin(move) + 1}{'x' if captured(move) else '-'}{(move & 7) + 1}"
