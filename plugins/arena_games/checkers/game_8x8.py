"""English draughts, 8 x 8.

A state is (own, other, kings, side); black is player 0 and white is player 1; see `Draughts`. Cells are:

    y
    7    31  30  29  28       black starts at the bottom and moves up,
    6  27  26  25  24         white starts at the top and moves down
    5    23  22  21  20
    4  19  18  17  16
    3    15  14  13  12       directions: 0 up left, 1 up right,
    2  11  10   9   8                     2 down left, 3 down right
    1     7   6   5   4
    0   3   2   1   0

A move is path << 42 | captured << 10 | from << 5 | to: the cells on which it starts and ends, the captured
pieces as bits, and the direction of each step or jump, two bits each from the lowest. A move captures at most
nine pieces.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena import bits, lowest, option, popcount
from arena_games.checkers.draughts import Draughts, State, surplus

FULL = 0xFFFFFFFF
EVEN = 0x0F0F0F0F  # rows 0, 2, 4, 6
ODD = 0xF0F0F0F0
NOT_LEFT = 0x77777777  # all cells except n % 4 = 3
NOT_RIGHT = 0xEEEEEEEE  # all cells except n % 4 = 0
EDGES = 0x18181818  # the columns on the left and on the right
CENTRE = 0x00666600  # columns and rows 2 to 5


# --- how pieces move --------------------------------------------------------------------------------------


def step(pieces: int, direction: int) -> int:
    """Return all pieces moved one cell in a direction; pieces at that edge are removed."""
    if direction == 0:
        return (((pieces & EVEN & NOT_LEFT) << 5) | ((pieces & ODD) << 4)) & FULL
    if direction == 1:
        return (((pieces & EVEN) << 4) | ((pieces & ODD & NOT_RIGHT) << 3)) & FULL
    if direction == 2:
        return ((pieces & EVEN & NOT_LEFT) >> 3) | ((pieces & ODD) >> 4)
    return ((pieces & EVEN) >> 4) | ((pieces & ODD & NOT_RIGHT) >> 5)


def neighbour(cell: int, direction: int) -> int:
    """Return the neighbour of a cell in a direction; the cell must not be at that edge."""
    return cell + 5 - direction - 6 * (direction >> 1) - ((cell >> 2) & 1)


def leap(direction: int) -> int:
    """Return the difference of cell numbers between the start and the end of a jump."""
    return 9 - 2 * direction - 12 * (direction >> 1)


def movers(own: int, kings: int, side: int) -> tuple[int, int]:
    """Return the pieces that may move up the board, and those that may move down."""
    if side == 0:
        return own, own & kings
    return own & kings, own


def steps(up: int, down: int, to0: int, to1: int, to2: int, to3: int) -> Iterator[int]:
    """Yield the steps in direction 0, 1, 2 and 3. up, down: the pieces that may move up or down."""
    for cell in bits(to0 | to1 | to2 | to3):
        move = (cell << 5) | (cell - ((cell >> 2) & 1))
        if (up >> cell) & 1:
            if (to0 >> cell) & 1:
                yield move + 5
            if (to1 >> cell) & 1:
                yield (1 << 42) + move + 4
        if (down >> cell) & 1:
            if (to2 >> cell) & 1:
                yield (2 << 42) + move - 3
            if (to3 >> cell) & 1:
                yield (3 << 42) + move - 4


def jumps(start: int, first: int, directions: int, other: int, empty: int) -> Iterator[int]:
    """Yield all complete captures by a piece, depth first; captured pieces are removed at the end.

    first: the directions of possible first jumps, as bits. directions: the directions in which it may move.
    """
    at = start
    path = taken = depth = 0
    untried = first  # untried directions, four bits for each jump of the path
    while True:
        here = (untried >> (4 * depth)) & 15
        if here:
            d = lowest(here)
            untried ^= 1 << (4 * depth + d)
            to, way = at + leap(d), path | d << (2 * depth)
            gone = taken | 1 << neighbour(at, d)
            further = ways(1 << to, directions, other & ~gone, empty)
            if further:
                at, path, taken = to, way, gone
                depth += 1
                untried |= further << (4 * depth)
            else:
                yield (way << 42) | (gone << 10) | (start << 5) | to
        elif depth == 0:
            return
        else:
            depth -= 1
            d = (path >> (2 * depth)) & 3
            path ^= d << (2 * depth)
            at -= leap(d)
            taken ^= 1 << neighbour(at, d)


def ways(at: int, directions: int, other: int, empty: int) -> int:
    """Return the directions in which a piece can capture, as bits."""
    found = 0
    if directions & 3:
        found |= 1 if step(step(at, 0) & other, 0) & empty else 0
        found |= 2 if step(step(at, 1) & other, 1) & empty else 0
    if directions & 12:
        found |= 4 if step(step(at, 2) & other, 2) & empty else 0
        found |= 8 if step(step(at, 3) & other, 3) & empty else 0
    return found


def origin(move: int) -> int:
    """Return the cell on which a move starts."""
    return (move >> 5) & 31


def captured(move: int) -> int:
    """Return the pieces that a move captures, as bits."""
    return (move >> 10) & FULL


def hops(move: int) -> Iterator[tuple[int, int, int]]:
    """Yield for each jump of a capture its direction, and the cells jumped over and landed on, as bits."""
    at = 1 << origin(move)
    for i in range(popcount(captured(move))):
        direction = (move >> (42 + 2 * i)) & 3
        over = step(at, direction)
        at = step(over, direction)
        yield direction, over, at


def turned(direction: int, i: int) -> int:
    """Return a direction on the board transformed as in `Game.shape_image`."""
    if i & 4:
        direction = direction >> 1 | (direction & 1) << 1
    return direction ^ (i & 3)


# --- counts for features ----------------------------------------------------------------------------------


def count_steps(up: int, down: int, empty: int) -> int:
    """Return the number of moves without a capture, even if captures are mandatory."""
    return (
        popcount(step(up, 0) & empty)
        + popcount(step(up, 1) & empty)
        + popcount(step(down, 2) & empty)
        + popcount(step(down, 3) & empty)
    )


def capturers(up: int, down: int, other: int, empty: int) -> int:
    """Return the pieces that can capture."""
    return (
        (up & step(step(empty, 3) & other, 3))
        | (up & step(step(empty, 2) & other, 2))
        | (down & step(step(empty, 1) & other, 1))
        | (down & step(step(empty, 0) & other, 0))
    )


def rows_gone(men: int, side: int) -> int:
    """Return the total number of rows that a side's men have advanced."""
    rows = 0
    for y in range(8):
        rows += y * popcount(men & (0xF << (4 * y if side == 0 else 28 - 4 * y)))
    return rows


def mean_row(pieces: int, player: int) -> int:
    """Return the mean row of a player's pieces, 0 to 7 from its home row, rounded down; 0 for no pieces."""
    count = popcount(pieces)
    if count == 0:
        return 0
    rows = popcount(pieces & ODD) + 2 * popcount(pieces & 0xFF00FF00) + 4 * popcount(pieces & 0xFFFF0000)
    return (rows if player == 0 else 7 * count - rows) // count


class Checkers(Draughts):
    """English draughts: captures are mandatory, a player who cannot move loses.

    Positions are written in PDN's FEN, such as `B:W21,22,K30:B1,2,12` with black to move, with squares 1 to
    32. A move is written as its squares, `11-15`, or for captures all squares that it lands on, `1x10x19`.
    Black moves first.
    """

    sides = ("black", "white")
    example = "B:W21,22,K30:B1,2,12"
    letters = "-bwBW"
    game_type = 21  # English draughts
    max_moves = 128
    crowning = (0xF0000000, 0x0000000F)
    cells = tuple((2 * (3 - n % 4) + n // 4 % 2, 7 - n // 4) for n in range(32))
    repetition: int = option(3, "a position that occurs this many times is a draw; 0 = never", low=0)
    quiet_plies: int = option(100, "a draw after this many plies without a capture; 0 = never", low=0)
    capture_to_win: bool = option(False, "only capturing all pieces wins; a player who cannot move draws")

    def initial(self) -> State:
        return (0x00000FFF, 0xFFF00000, 0, 0)

    def moves(self, state: State) -> Iterator[int]:
        """Yield the legal moves by cell, then by direction; only complete captures, if there are any."""
        own, other, kings, side = state
        empty = FULL & ~(own | other)
        up, down = movers(own, kings, side)
        # by direction: the pieces that can step to an empty cell, and those that can capture
        to0 = to1 = to2 = to3 = over0 = over1 = over2 = over3 = 0
        if up:
            to0, to1 = step(empty, 3), step(empty, 2)
            over0, over1 = up & step(to0 & other, 3), up & step(to1 & other, 2)
        if down:
            to2, to3 = step(empty, 1), step(empty, 0)
            over2, over3 = down & step(to2 & other, 1), down & step(to3 & other, 0)
        jumpers = over0 | over1 | over2 | over3
        if not jumpers:
            yield from steps(up, down, to0 & up, to1 & up, to2 & down, to3 & down)
        for cell in bits(jumpers):
            directions = 15 if (kings >> cell) & 1 else 3 << (2 * side)
            first = ((over0 >> cell) & 1) | (((over1 >> cell) & 1) << 1)
            first |= (((over2 >> cell) & 1) << 2) | (((over3 >> cell) & 1) << 3)
            yield from jumps(cell, first, directions, other, empty | (1 << cell))

    def play(self, state: State, move: int) -> State:
        own, other, kings, side = state
        start, target, taken = 1 << origin(move), 1 << (move & 31), captured(move)
        king = kings & start
        kings &= ~(start | taken)
        last = self.crowning[0] if side == 0 else self.crowning[1]
        kings |= target & (FULL if king else last)
        return (other & ~taken, (own & ~start) | target, kings, 1 - side)

    def irreversible(self, state: State, move: int) -> int:
        """Return 2 for a capture, 1 for another move of a man, 0 for another move of a king."""
        if captured(move):
            return 2
        return 0 if (state[2] >> origin(move)) & 1 else 1

    # --- grid -----------------------------------------------------------------------------------------

    def anchor(self, state: State, move: int) -> int:
        return origin(move)

    def shape(self, state: State, move: int) -> int:
        """Return a step's direction, 0 to 3; for captures 1, then 4 bits per jump: piece - 1, direction."""
        if not captured(move):
            return move >> 42
        shape = 1
        for direction, over, _ in hops(move):
            shape = shape << 4 | (self.piece(state, lowest(over)) - 1) << 2 | direction
        return shape

    def shape_image(self, shape: int, i: int) -> int:
        if shape < 4:
            return turned(shape, i)
        image = 1
        length = 0
        while shape >> (4 * length) != 1:
            length += 1
        for n in range(length - 1, -1, -1):
            taken = (shape >> (4 * n + 2)) & 3
            image = image << 4 | (taken ^ (i >> 3)) << 2 | turned((shape >> (4 * n)) & 3, i)
        return image

    # --- features and abstract states for learning ----------------------------------------------------

    feature_names = (
        "men",
        "kings",
        "men in the opponent's half",
        "men on the home row",
        "pieces at the edge",
        "pieces in the centre",
        "rows advanced by men",
        "steps",
        "pieces that can capture",
    )

    def features(self, state: State) -> Iterator[float]:
        own, other, kings, side = state
        men, their_men = own & ~kings, other & ~kings
        up, down = movers(own, kings, side)
        their_up, their_down = movers(other, kings, 1 - side)
        empty = FULL & ~(own | other)
        yield surplus(men, their_men)
        yield surplus(own & kings, other & kings)
        yield surplus(men & self.enemy_half(side), their_men & self.enemy_half(1 - side))
        yield surplus(men & self.crowning[1 - side], their_men & self.crowning[side])
        yield surplus(own & EDGES, other & EDGES)
        yield surplus(own & CENTRE, other & CENTRE)
        yield float(rows_gone(men, side) - rows_gone(their_men, 1 - side))
        yield float(count_steps(up, down, empty) - count_steps(their_up, their_down, empty))
        yield surplus(capturers(up, down, other, empty), capturers(their_up, their_down, own, empty))

    def enemy_half(self, side: int) -> int:
        """Return the cells in the half of the board towards which a side moves."""
        return 0xFFFF0000 if side == 0 else 0x0000FFFF

    def abstract(self, state: State, player: int) -> int:
        """Return a player's features as in "Checkers-Reinforcement-Learning", packed from the lowest bit up.

        Six bits each for the numbers of own men, opponent's men, own kings, opponent's kings, and own pieces
        on the edges. Three bits each for the mean row of own and of opponent's pieces, rounded down and
        counted from the owner's home row.
        """
        own, other, kings, side = state
        if side != player:
            own, other = other, own
        packed = popcount(own & ~kings) | popcount(other & ~kings) << 6
        packed |= popcount(own & kings) << 12 | popcount(other & kings) << 18 | popcount(own & EDGES) << 24
        return packed | mean_row(own, player) << 30 | mean_row(other, 1 - player) << 33

    # --- notation -------------------------------------------------------------------------------------

    def move_text(self, move: int) -> str:
        if not captured(move):
            return f"{origin(move) + 1}-{(move & 31) + 1}"
        return "x".join(map(str, [origin(move) + 1, *(at.bit_length() for _, _, at in hops(move))]))
