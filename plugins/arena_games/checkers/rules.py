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
from arena_games.checkers.notation import State

MAX_MOVES = 128
ALTERNATING = 1
FULL = 0xFFFFFFFF
EVEN = 0x0F0F0F0F  # rows 0, 2, 4, 6
ODD = 0xF0F0F0F0
NOT_LEFT = 0x77777777  # all but n % 4 = 3
NOT_RIGHT = 0xEEEEEEEE  # all but n % 4 = 0
CROWNING = (0xF0000000, 0x0000000F)  # the last row of black, of white
EDGES = 0x18181818  # the columns on the left and on the right

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
    kinged = own & kings
    up = own if side == 0 else kinged
    down = kinged if side == 0 else own
    to0 = step(empty, 3)
    to1 = step(empty, 2)
    to2 = step(empty, 1)
    to3 = step(empty, 0)
    over0 = up & step(to0 & other, 3)
    over1 = up & step(to1 & other, 2)
    over2 = down & step(to2 & other, 1)
    over3 = down & step(to3 & other, 0)
    jumpers = over0 | over1 | over2 | over3
    n = 0
    if jumpers:
        while jumpers:
            cell = lowest(jumpers)
            jumpers &= jumpers - 1
            directions = 15 if (kings >> cell) & 1 else 3 << (2 * side)
            first = ((over0 >> cell) & 1) | (((over1 >> cell) & 1) << 1)
            first |= (((over2 >> cell) & 1) << 2) | (((over3 >> cell) & 1) << 3)
            n += jumps(cell, first, directions, other, empty | (1 << cell), buf, k + n)
        return n
    to0 &= up
    to1 &= up
    to2 &= down
    to3 &= down
    movers = to0 | to1 | to2 | to3
    while movers:
        cell = lowest(movers)
        movers &= movers - 1
        move = (cell << 5) | (cell - ((cell >> 2) & 1))
        king = (kings >> cell) & 1
        if side == 0 or king:
            buf[k + n] = move + 5
            n += (to0 >> cell) & 1
            buf[k + n] = (1 << 42) + move + 4
            n += (to1 >> cell) & 1
        if side == 1 or king:
            buf[k + n] = (2 << 42) + move - 3
            n += (to2 >> cell) & 1
            buf[k + n] = (3 << 42) + move - 4
            n += (to3 >> cell) & 1
    return n


def ways(at: int, other: int, empty: int) -> int:
    """In which directions a piece can capture, as bits."""
    found = 1 if step(step(at, 0) & other, 0) & empty else 0
    found |= 2 if step(step(at, 1) & other, 1) & empty else 0
    found |= 4 if step(step(at, 2) & other, 2) & empty else 0
    found |= 8 if step(step(at, 3) & other, 3) & empty else 0
    return found


def jumps(start: int, first: int, directions: int, other: int, empty: int, buf: list[int], k: int) -> int:
    """All captures of one piece to their ends, depth first. A piece taken stays until the end."""
    at = start
    path = 0
    captured = 0
    depth = 0
    untried = first  # directions, four bits for each jump of the path
    n = 0
    while True:
        here = (untried >> (4 * depth)) & 15
        if here:
            d = lowest(here)
            untried ^= 1 << (4 * depth + d)
            captured |= 1 << (at + 5 - d - 6 * (d >> 1) - ((at >> 2) & 1))
            at += 9 - 2 * d - 12 * (d >> 1)
            path |= d << (2 * depth)
            depth += 1
            further = directions & ways(1 << at, other & ~captured, empty)
            if further:
                untried |= further << (4 * depth)
                continue
            buf[k + n] = (path << 42) | (captured << 10) | (start << 5) | at
            n += 1
        elif depth == 0:
            return n
        depth -= 1
        d = (path >> (2 * depth)) & 3
        path ^= d << (2 * depth)
        at -= 9 - 2 * d - 12 * (d >> 1)
        captured ^= 1 << (at + 5 - d - 6 * (d >> 1) - ((at >> 2) & 1))


def play(s: State, m: int) -> State:
    own, other, kings, side = s
    origin = 1 << ((m >> 5) & 31)
    target = 1 << (m & 31)
    captured = (m >> 10) & FULL
    own = (own & ~origin) | target
    king = kings & origin
    kings &= ~(origin | captured)
    last = 0xF0000000 if side == 0 else 0x0000000F
    kings |= target & (FULL if king else last)
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


# --- what learning may go by ------------------------------------------------------------------------------


def abstract(s: State, player: int) -> int:
    """The features of "Checkers-Reinforcement-Learning" for a player, packed from the lowest bit up.

    Six bits each: own men, the other's, own kings, the other's, own pieces on the edges. Three bits each:
    mean row of the own pieces, of the other's, rounded down, each counted from the home row of its owner.
    """
    own, other, kings, side = s
    if side != player:
        own, other = other, own
    packed = popcount(own & ~kings) | popcount(other & ~kings) << 6
    packed |= popcount(own & kings) << 12 | popcount(other & kings) << 18 | popcount(own & EDGES) << 24
    return packed | mean_row(own, player) << 30 | mean_row(other, 1 - player) << 33


def mean_row(pieces: int, player: int) -> int:
    """Of a player's pieces, 0 to 7 from its home row, rounded down; 0 if there are none."""
    count = popcount(pieces)
    if count == 0:
        return 0
    rows = popcount(pieces & ODD) + 2 * popcount(pieces & 0xFF00FF00) + 4 * popcount(pieces & 0xFFFF0000)
    return (rows if player == 0 else 7 * count - rows) // count


# --- grid: cells by their numbers; 1 and 2 are men of black and white, 3 and 4 their kings -----------

CELLS = tuple((column(n), 7 - row(n)) for n in range(32))


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


PIECES = 4


def shape_image(shape: int, i: int) -> int:
    if shape < 4:
        return turned(shape, i)
    image = 1
    jumps = 0
    while shape >> (4 * jumps) != 1:
        jumps += 1
    for jump in range(jumps - 1, -1, -1):
        taken = (shape >> (4 * jump + 2)) & 3
        image = image << 4 | (taken ^ (i >> 3)) << 2 | turned((shape >> (4 * jump)) & 3, i)
    return image


def turned(direction: int, i: int) -> int:
    """A direction on the board turned, for `Game.shape_image`: x and y exchanged, mirrored either way."""
    if i & 4:
        direction = direction >> 1 | (direction & 1) << 1
    return direction ^ (i & 3)


# --- features: own minus other ---------------------------------------------------------------------------

FEATURES = (
    "men",
    "kings",
    "men in the enemy's half",
    "men on the home row",
    "pieces at the edge",
    "pieces in the centre",
    "rows gone by men",
    "steps",
    "pieces that can capture",
)
CENTRE = 0x00666600  # columns and rows 2 to 5


def steps(men: int, kinged: int, side: int, empty: int) -> int:
    """How many moves without a capture there are, whether or not one can capture."""
    up = men | kinged if side == 0 else kinged
    down = kinged if side == 0 else men | kinged
    return (
        popcount(step(up, 0) & empty)
        + popcount(step(up, 1) & empty)
        + popcount(step(down, 2) & empty)
        + popcount(step(down, 3) & empty)
    )


def capturers(men: int, kinged: int, side: int, other: int, empty: int) -> int:
    """The pieces that can capture."""
    up = men | kinged if side == 0 else kinged
    down = kinged if side == 0 else men | kinged
    return (
        (up & step(step(empty, 3) & other, 3))
        | (up & step(step(empty, 2) & other, 2))
        | (down & step(step(empty, 1) & other, 1))
        | (down & step(step(empty, 0) & other, 0))
    )


def rows_gone(men: int, side: int) -> int:
    """The rows that a side's men have gone, all told."""
    rows = 0
    for y in range(8):
        rows += y * popcount(men & (0xF << (4 * y if side == 0 else 28 - 4 * y)))
    return rows


def features(s: State, buf: list[float], k: int) -> int:
    own, other, kings, side = s
    men, their_men = own & ~kings, other & ~kings
    kinged, their_kinged = own & kings, other & kings
    empty = FULL & ~(own | other)
    home, their_home = CROWNING[1 - side], CROWNING[side]
    can = popcount(capturers(men, kinged, side, other, empty))
    they_can = popcount(capturers(their_men, their_kinged, 1 - side, own, empty))
    buf[k] = float(popcount(men) - popcount(their_men))
    buf[k + 1] = float(popcount(kinged) - popcount(their_kinged))
    buf[k + 2] = float(popcount(men & enemy_half(side)) - popcount(their_men & enemy_half(1 - side)))
    buf[k + 3] = float(popcount(men & home) - popcount(their_men & their_home))
    buf[k + 4] = float(popcount(own & EDGES) - popcount(other & EDGES))
    buf[k + 5] = float(popcount(own & CENTRE) - popcount(other & CENTRE))
    buf[k + 6] = float(rows_gone(men, side) - rows_gone(their_men, 1 - side))
    buf[k + 7] = float(steps(men, kinged, side, empty) - steps(their_men, their_kinged, 1 - side, empty))
    buf[k + 8] = float(can - they_can)
    return 9
