"""English draughts, 8 x 8: how pieces move.

A state is (own, other, kings, side): the pieces of the player to move, those of the opponent, the kings
among both, and 0 if black is to move, 1 if white. Bit n is cell n, the square n + 1 of the notation:

    y
    7    31  30  29  28       black starts at the bottom and moves up,
    6  27  26  25  24         white starts at the top and moves down
    5    23  22  21  20
    4  19  18  17  16
    3    15  14  13  12       directions: 0 up left, 1 up right,
    2  11  10   9   8                     2 down left, 3 down right
    1     7   6   5   4
    0   3   2   1   0

A move is path << 42 | captured << 10 | from << 5 | to: the cells it starts and ends on, the pieces it
takes as bits, and the direction of each step or jump, two bits each, the first lowest. Nobody can take
more than nine.
"""

from __future__ import annotations

from arena.bits import lowest, popcount

State = tuple[int, int, int, int]

MAX_MOVES = 128
ALTERNATING = 1
FULL = 0xFFFFFFFF
EVEN = 0x0F0F0F0F  # rows 0, 2, 4, 6
ODD = 0xF0F0F0F0
NOT_LEFT = 0x77777777  # all but n % 4 = 3
NOT_RIGHT = 0xEEEEEEEE  # all but n % 4 = 0
CROWNING = (0xF0000000, 0x0000000F)  # the last row of black, of white

CAPTURE_TO_WIN = 0  # 1: who cannot move ties, and only capturing everything wins


def initial() -> State:
    return (0x00000FFF, 0xFFF00000, 0, 0)


def step(pieces: int, direction: int) -> int:
    """All pieces moved one cell in a direction; those at the edge vanish."""
    if direction == 0:
        return (((pieces & EVEN & NOT_LEFT) << 5) | ((pieces & ODD) << 4)) & FULL
    if direction == 1:
        return (((pieces & EVEN) << 4) | ((pieces & ODD & NOT_RIGHT) << 3)) & FULL
    if direction == 2:
        return ((pieces & EVEN & NOT_LEFT) >> 3) | ((pieces & ODD) >> 4)
    return ((pieces & EVEN) >> 4) | ((pieces & ODD & NOT_RIGHT) >> 5)


def moves(s: State, buf: list[int], k: int) -> int:
    """By cell, then by direction; captures alone if there is one, each with its whole path."""
    own, other, kings, side = s
    empty = FULL & ~(own | other)
    jumpers = 0
    movers = 0
    for d in range(4):
        able = own if d >> 1 == side else own & kings
        beside = step(empty, 3 - d)
        movers |= able & beside
        jumpers |= able & step(beside & other, 3 - d)
    n = 0
    if jumpers:
        while jumpers:
            piece = jumpers & -jumpers
            jumpers ^= piece
            n += jumps(piece, kings & piece, side, other, empty | piece, buf, k + n)
        return n
    while movers:
        piece = movers & -movers
        movers ^= piece
        for d in range(4):
            if d >> 1 == side or kings & piece:
                to = step(piece, d) & empty
                if to:
                    buf[k + n] = (d << 42) | (lowest(piece) << 5) | lowest(to)
                    n += 1
    return n


def jumps(piece: int, king: int, side: int, other: int, empty: int, buf: list[int], k: int) -> int:
    """All captures of one piece to their ends, depth first. A piece taken stays until the end."""
    start = lowest(piece)
    at = piece
    path = 0
    captured = 0
    depth = 0
    longer = 0  # bit i: the path of i jumps goes on
    n = 0
    d = 0
    while True:
        while d < 4:
            if d >> 1 == side or king:
                over = step(at, d) & other & ~captured
                to = step(over, d) & empty
                if to:
                    longer |= 1 << depth
                    path |= d << (2 * depth)
                    depth += 1
                    captured |= over
                    at = to
                    d = -1
            d += 1
        if depth == 0:
            return n
        if not (longer >> depth) & 1:
            buf[k + n] = (path << 42) | (captured << 10) | (start << 5) | lowest(at)
            n += 1
        longer &= ~(1 << depth)
        depth -= 1
        d = (path >> (2 * depth)) & 3
        path ^= d << (2 * depth)
        over = step(at, 3 - d)
        at = step(over, 3 - d)
        captured ^= over
        d += 1


def play(s: State, m: int) -> State:
    own, other, kings, side = s
    origin = 1 << ((m >> 5) & 31)
    target = 1 << (m & 31)
    captured = (m >> 10) & FULL
    own = (own & ~origin) | target
    king = kings & origin
    kings &= ~(origin | captured)
    if king or target & CROWNING[side]:
        kings |= target
    return (other & ~captured, own, kings, 1 - side)


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


# --- where squares are, for evaluations -----------------------------------------------------------------


def enemy_half(side: int) -> int:
    """The cells of the half that a side moves towards."""
    return 0xFFFF0000 if side == 0 else 0x0000FFFF


def column(n: int) -> int:
    """Of a cell, 0 to 7, from the left."""
    return 2 * (3 - n % 4) + n // 4 % 2


def row(n: int) -> int:
    """Of a cell, 0 to 7, from black's home row up."""
    return n // 4


def progress(s: State, m: int) -> int:
    """2 for a capture; 1 for a man's move, which cannot be taken back either; 0 for a king's."""
    if (m >> 10) & FULL:
        return 2
    return 0 if (s[2] >> ((m >> 5) & 31)) & 1 else 1


# --- grid: cells by their numbers; 1 and 2 are men of black and white, 3 and 4 their kings -----------

CELLS = tuple((2 * (3 - n % 4) + n // 4 % 2, 7 - n // 4) for n in range(32))


def piece(s: State, cell: int) -> int:
    own, other, kings, side = s
    if not ((own | other) >> cell) & 1:
        return 0
    return 1 + (side ^ ((other >> cell) & 1)) + 2 * ((kings >> cell) & 1)


def anchor(s: State, m: int) -> int:
    return (m >> 5) & 31


def shape(s: State, m: int) -> int:
    """A step's direction, 0 to 3; for captures a 1, then four bits for each: the piece - 1, the direction."""
    path, captured = m >> 42, (m >> 10) & FULL
    if not captured:
        return path
    at = 1 << ((m >> 5) & 31)
    jumps = 1
    for i in range(popcount(captured)):
        direction = (path >> (2 * i)) & 3
        over = step(at, direction)
        at = step(over, direction)
        jumps = jumps << 4 | (piece(s, lowest(over)) - 1) << 2 | direction
    return jumps
