"""Checkers on 4 x 4: two men a side, captures at will.

A state is (own, other, kings, side): the pieces of the player to move, those of the opponent, the kings
among both, and 0 if BLUE is to move, 1 if RED. Bit n is the square n + 1 of the notation:

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

import sys

from arena import FastGame, option
from arena.bits import lowest, popcount
from arena_games.checkers.notation import OnPaper, State

MAX_MOVES = 9  # so many pairs of squares touch, and each is good for one move
ALTERNATING = 1
CROWNING = (0x03, 0xC0)  # the last row of BLUE, of RED
EDGES = 0x99  # the columns on the left and on the right
ORDER = (0, 4, 2, 6, 1, 5, 3, 7)  # squares column by column, from the left

CAPTURE_TO_WIN = 0  # 1: who cannot move ties, and only capturing everything wins


# --- where squares are --------------------------------------------------------------------------------


def enemy_half(side: int) -> int:
    """The squares of the half that a side moves towards."""
    return 0x0F if side == 0 else 0xF0


def column(n: int) -> int:
    """Of a square, 0 to 3, from the left."""
    return 2 * (n % 2) + n // 2 % 2


def row(n: int) -> int:
    """Of a square, 0 to 3, from the top."""
    return n // 2


CELLS = tuple((column(n), row(n)) for n in range(8))
OUTSIDE = 8
STEP = tuple(  # from a square, 4 * n + direction
    CELLS.index((x + dx, y + dy)) if (x + dx, y + dy) in CELLS else OUTSIDE
    for x, y in CELLS
    for dx, dy in ((-1, -1), (1, -1), (-1, 1), (1, 1))
)


# --- how pieces move ----------------------------------------------------------------------------------


def initial() -> State:
    return (0xC0, 0x03, 0, 0)


def moves(s: State, buf: list[int], k: int) -> int:
    """By column, then from the top, then by direction."""
    own, other, kings, side = s
    closed = own | other | 1 << OUTSIDE
    n = 0
    for i in range(8):
        start = ORDER[i]
        if (own >> start) & 1:
            for d in range(4):
                if d >> 1 == side or (kings >> start) & 1:
                    to = STEP[4 * start + d]
                    captured = other & (1 << to)
                    if captured:
                        to = STEP[4 * to + d]
                    if not (closed >> to) & 1:
                        buf[k + n] = d << 14 | captured << 6 | start << 3 | to
                        n += 1
    return n


def play(s: State, m: int) -> State:
    own, other, kings, side = s
    origin = 1 << ((m >> 3) & 7)
    target = 1 << (m & 7)
    captured = (m >> 6) & 0xFF
    king = kings & origin
    kings &= ~(origin | captured)
    if king or target & CROWNING[side]:
        kings |= target
    return (other & ~captured, (own & ~origin) | target, kings, 1 - side)


def null_move(s: State) -> State:
    """The position as it would be if the player to move passed."""
    own, other, kings, side = s
    return (other, own, kings, 1 - side)


def to_move(s: State) -> int:
    return s[3]


def value(s: State) -> int:
    if CAPTURE_TO_WIN and s[0] != 0:
        return 0
    return -1


def evaluate(s: State) -> float:
    """Men count 1, kings 2; own minus other."""
    own, other, kings, _ = s
    return float(popcount(own) - popcount(other) + popcount(own & kings) - popcount(other & kings))


# --- what learning may go by ----------------------------------------------------------------------------


def abstract(s: State, player: int) -> int:
    """The features of "Checkers-Reinforcement-Learning" for a player, packed from the lowest bit up.

    Four bits each: own men, the other's, own kings, the other's, own pieces on the edges. Two bits each:
    mean row of the own pieces, of the other's, rounded down, each counted from the home row of its owner.
    """
    own, other, kings, side = s
    if side != player:
        own, other = other, own
    packed = popcount(own & ~kings) | popcount(other & ~kings) << 4
    packed |= popcount(own & kings) << 8 | popcount(other & kings) << 12 | popcount(own & EDGES) << 16
    return packed | mean_row(own, player) << 20 | mean_row(other, 1 - player) << 22


def mean_row(pieces: int, player: int) -> int:
    """Of a player's pieces, 0 to 3 from its home row, rounded down; 0 if there are none."""
    count = popcount(pieces)
    if count == 0:
        return 0
    rows = popcount(pieces & 0xCC) + 2 * popcount(pieces & 0xF0)  # from the top, where RED is at home
    return (rows if player == 1 else 3 * count - rows) // count


# --- grid: cells by their numbers; 1 and 2 are men of BLUE and RED, 3 and 4 their kings ---------------


def piece(s: State, cell: int) -> int:
    own, other, kings, side = s
    if not ((own | other) >> cell) & 1:
        return 0
    return 1 + (side ^ ((other >> cell) & 1)) + 2 * ((kings >> cell) & 1)


def anchor(s: State, m: int) -> int:
    return (m >> 3) & 7


def shape(s: State, m: int) -> int:
    """A move's direction, 0 to 3; for a capture with 4 times the piece captured, 1 to 4."""
    captured = (m >> 6) & 0xFF
    if not captured:
        return m >> 14
    return 4 * piece(s, lowest(captured)) + (m >> 14)


PIECES = 4


def shape_image(shape: int, i: int) -> int:
    direction, captured = shape & 3, shape >> 2
    if i & 4:
        direction = direction >> 1 | (direction & 1) << 1
    if i & 8 and captured:
        captured = ((captured - 1) ^ 1) + 1
    return 4 * captured + (direction ^ (i & 3))


# --- features: own minus other -----------------------------------------------------------------------

FEATURES = ("men", "kings", "men in the enemy's half", "men on the home row")


def features(s: State, buf: list[float], k: int) -> int:
    own, other, kings, side = s
    men, their_men = own & ~kings, other & ~kings
    buf[k] = float(popcount(men) - popcount(their_men))
    buf[k + 1] = float(popcount(own & kings) - popcount(other & kings))
    buf[k + 2] = float(popcount(men & enemy_half(side)) - popcount(their_men & enemy_half(1 - side)))
    buf[k + 3] = float(popcount(men & CROWNING[1 - side]) - popcount(their_men & CROWNING[side]))
    return 4


REACHABLE = 4302


class Checkers4x4(OnPaper, FastGame):
    """Checkers on 4 x 4 with two men a side: captures are not mandatory, whoever cannot move loses.

    Positions are PDN's FEN, `B:W1,K4:B7,8`, B for BLUE and W for RED, squares 1 to 8 from the top left.
    A move names its squares, `7-6`, or `7x4` for a capture. BLUE moves first.
    """

    rules = sys.modules[__name__]
    sides = ("BLUE", "RED")
    example = "B:W1,K4:B7,8"
    letters = "-brBR"
    max_plies = 200
    capture_to_win: bool = option(False, "only capturing everything wins, and who cannot move ties")

    def move_text(self, move: int) -> str:
        return f"{(move >> 3 & 7) + 1}{'x' if move >> 6 & 0xFF else '-'}{(move & 7) + 1}"
