"""Connect four: four in a row on a board of 7 columns and 6 rows; coins fall to the lowest free cell.

A state is (own, all): the coins of the player to move, and the coins of both players. A column has 7 bits;
the top bit is always 0, so that no line runs from one column into the next:

     5 12 19 26 33 40 47
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from arena import ArenaError, Game, Squares, popcount

State = tuple[int, int]

COLUMNS, ROWS, HEIGHT = 7, 6, 7
CENTRE = 0x3F << 21
INNER = (0x3F << 14) | (0x3F << 28)
OUTER = (0x3F << 7) | (0x3F << 35)
BOARD = 0xFDFBF7EFDFBF  # every cell
EVEN = 0xA952A54A952A  # cells of even rows; row 0 is the top row
BIAS = 0x0100_0100_0100_0100  # added so that 16-bit fields with negative values do not borrow from each other
# cells at which windows of four begin, along a row, a column, and the two diagonals
ROWS_OF_FOUR, COLUMNS_OF_FOUR, FALLING, RISING = 0x7EFDFBF, 0x1C3870E1C387, 0x70E1C38, 0xE1C387


def has_four(coins: int) -> bool:
    """Return whether four coins are in a line."""
    pairs = coins & (coins >> 7)
    if pairs & (pairs >> 14):
        return True
    pairs = coins & (coins >> 6)
    if pairs & (pairs >> 12):
        return True
    pairs = coins & (coins >> 8)
    if pairs & (pairs >> 16):
        return True
    pairs = coins & (coins >> 1)
    return pairs & (pairs >> 2) != 0


def turn(coins: int, i: int) -> int:
    """Return the coins under symmetry `i`: 1 mirrors left and right."""
    if i == 0:
        return coins
    mirrored = 0
    for column in range(7):
        mirrored |= ((coins >> (7 * column)) & 0x7F) << (7 * (6 - column))
    return mirrored


def count_windows(coins: int, other: int, d: int, starts: int) -> int:
    """Count the windows without `other` coins that have 1, 2, 3 and 4 of the coins; 16 bits for each count.

    d: the distance in bits between cells of a window. starts: the first cells of windows.
    """
    taken = other | (other >> d)
    starts &= ~(taken | (taken >> (2 * d)))
    second, third, fourth = coins >> d, coins >> (2 * d), coins >> (3 * d)
    one, both = coins ^ second, coins & second  # in the first two cells
    one_more, both_more = third ^ fourth, third & fourth  # in the last two
    ones = (one ^ one_more) & ~(both | both_more)
    twos = (one & one_more) | (both & ~(third | fourth)) | (both_more & ~(coins | second))
    threes = (one & both_more) | (both & one_more)
    return (
        popcount(ones & starts)
        + (popcount(twos & starts) << 16)
        + (popcount(threes & starts) << 32)
        + (popcount(both & both_more & starts) << 48)
    )


def surplus(own: int, other: int, d: int, starts: int) -> int:
    """Return own minus opponent's windows, as for `count_windows`; each difference may be negative."""
    return count_windows(own, other, d, starts) - count_windows(other, own, d, starts)


def having(windows: int, coins: int) -> float:
    """Return own minus opponent's windows with this many coins, from a sum of surpluses and `BIAS`."""
    return float(((windows >> (16 * (coins - 1))) & 0xFFFF) - 0x100)


def threats(coins: int, free: int) -> int:
    """Return the free cells that would complete four of these coins."""
    found = (coins << 1) & (coins << 2) & (coins << 3)
    for d in range(6, 9):
        pair = (coins << d) & (coins << (2 * d))
        found |= pair & ((coins << (3 * d)) | (coins >> d))
        pair = (coins >> d) & (coins >> (2 * d))
        found |= pair & ((coins >> (3 * d)) | (coins << d))
    return found & free


class ConnectFour(Game):
    """Connect four on 7 columns and 6 rows: four in a row, column or diagonal win.

    A position is written as the columns played so far, 1 to 7, such as `4435`, or as its rows from the top,
    `......./......./......./......./...X.../...O...`. A move is the number of a column. X moves first.
    """

    sides = ("X", "O")
    drawing = Squares(COLUMNS, ROWS, pieces=("red", "yellow"))
    max_moves = 7
    max_plies = 42
    alternating = True

    def initial(self) -> State:
        return (0, 0)

    def moves(self, state: State) -> Iterator[int]:
        """Yield the columns that have room, from the middle outwards."""
        own, coins = state
        if not has_four(own ^ coins):
            for i in range(7):
                column = (0x6051423 >> (4 * i)) & 7
                if not (coins >> (column * 7 + 5)) & 1:
                    yield column

    def play(self, state: State, move: int) -> State:
        own, coins = state
        return (own ^ coins, coins | (coins + (1 << (move * 7))))

    def to_move(self, state: State) -> int:
        return popcount(state[1]) & 1

    def value(self, state: State) -> int:
        return -1 if has_four(state[0] ^ state[1]) else 0

    def evaluate(self, state: State) -> float:
        """Return own minus opponent's coins, weighted by column: 3, 2, 1, 0 from the middle to the edge."""
        own, coins = state
        other = own ^ coins
        return (
            3.0 * (popcount(own & CENTRE) - popcount(other & CENTRE))
            + 2.0 * (popcount(own & INNER) - popcount(other & INNER))
            + 1.0 * (popcount(own & OUTER) - popcount(other & OUTER))
        )

    # --- symmetries -----------------------------------------------------------------------------------

    symmetries = 2

    def image(self, state: State, i: int) -> State:
        return (turn(state[0], i), turn(state[1], i))

    def image_move(self, move: int, i: int) -> int:
        return move if i == 0 else 6 - move

    # --- grid: cell 7 * y + x, from the top left ------------------------------------------------------

    cells = tuple((cell % 7, cell // 7) for cell in range(42))

    def piece(self, state: State, cell: int) -> int:
        own, coins = state
        bit = cell % 7 * 7 + 5 - cell // 7
        if not (coins >> bit) & 1:
            return 0
        mover = self.to_move(state)
        return 1 + mover if (own >> bit) & 1 else 2 - mover

    def anchor(self, state: State, move: int) -> int:
        """Return the cell to which a coin falls."""
        return 7 * (5 - popcount((state[1] >> (7 * move)) & 0x7F)) + move

    def shape(self, state: State, move: int) -> int:
        return 0

    def shape_image(self, shape: int, i: int) -> int:
        return shape

    # --- features: windows of four by number of coins, and threats ------------------------------------

    feature_names = (
        "one of four",
        "two in a row",
        "two in a column",
        "two on a diagonal",
        "three in a row",
        "three in a column",
        "three on a diagonal",
        "X's even threats",
        "X's odd threats",
        "O's even threats",
        "O's odd threats",
        "threat over own threat",
        "threat over other's threat",
        "four",
    )
    neutral_features = 0x780  # bit f: feature f does not depend on the player to move

    def features(self, state: State) -> Iterator[float]:
        """Yield counts in the order of their names: own minus opponent's, but X and O separately for threats.

        Windows are those of the report "4 in a row" (Samuel & Kalev), threats those of Allis (1988).
        """
        own, coins = state
        other = own ^ coins
        row = BIAS + surplus(own, other, 7, ROWS_OF_FOUR)
        column = BIAS + surplus(own, other, 1, COLUMNS_OF_FOUR)
        diagonal = BIAS + surplus(own, other, 6, FALLING) + surplus(own, other, 8, RISING)
        all_ways = row + column + diagonal - 2 * BIAS
        yield having(all_ways, 1)
        yield having(row, 2)
        yield having(column, 2)
        yield having(diagonal, 2)
        yield having(row, 3)
        yield having(column, 3)
        yield having(diagonal, 3)
        mine, theirs = threats(own, BOARD & ~coins), threats(other, BOARD & ~coins)
        first = mine if self.to_move(state) == 0 else theirs
        second = mine ^ theirs ^ first
        yield float(popcount(first & EVEN))
        yield float(popcount(first & ~EVEN))
        yield float(popcount(second & EVEN))
        yield float(popcount(second & ~EVEN))
        yield float(popcount(mine & (mine << 1)) - popcount(theirs & (theirs << 1)))
        yield float(popcount(mine & (theirs << 1)) - popcount(theirs & (mine << 1)))
        yield having(all_ways, 4)

    # --- notation -------------------------------------------------------------------------------------

    def move_text(self, move: int) -> str:
        return str(move + 1)

    def split_moves(self, text: str) -> list[str]:
        """Split digits, with or without blanks between them: `4453` is four moves."""
        chunks = re.sub(r"\d{1,9}\.+", " ", text).split()
        return [move for chunk in chunks for move in (chunk if chunk.isdigit() else [chunk])]

    def match_text(self, tags: Mapping[str, str], moves: Sequence[str]) -> str:
        """Return the columns as consecutive digits, the format that solvers read: `4453`."""
        start = f"{tags['start']} moves " if "start" in tags else ""
        return (start + "".join(moves)).strip()

    def cell_text(self, cell: int) -> str:
        """Return the number of the column for cells in the top row, otherwise an empty text."""
        return str(cell + 1) if cell < COLUMNS else ""

    def rows(self, state: State) -> list[str]:
        """Return six rows of seven letters, the top row first."""
        own, coins = state
        mover = self.to_move(state)
        letters = {0: ".", 1: self.sides[1 - mover], 2: self.sides[mover]}
        return [
            "".join(
                letters[((coins >> bit) & 1) + ((own >> bit) & 1)]
                for bit in (column * HEIGHT + row for column in range(COLUMNS))
            )
            for row in reversed(range(ROWS))
        ]

    def position_text(self, state: State) -> str:
        return "/".join(self.rows(state))

    def board_text(self, state: State) -> str:
        return "\n".join(" ".join(row) for row in [*self.rows(state), "1234567"])

    def read_position(self, text: str) -> State:
        text = text.strip().upper()
        if "/" in text:
            return self.read_rows(text)
        state: State = self.initial()
        for ply, digit in enumerate(text, 1):
            if digit not in "1234567":
                raise ArenaError(f"{text!r} is neither columns from 1 to 7 nor rows, such as '4435'")
            if int(digit) - 1 not in self.moves(state):
                over = "the match is over" if not self.moves(state) else f"column {digit} is full"
                raise ArenaError(f"{text!r}: no move {ply}, {over}")
            state = self.play(state, int(digit) - 1)
        return state

    def read_rows(self, text: str) -> State:
        rows = text.split("/")
        if len(rows) != ROWS or any(len(row) != COLUMNS or set(row) - set(".XO") for row in rows):
            raise ArenaError(f"{text!r} is not six rows of seven of X, O and '.', parted by '/'")
        masks = {"X": 0, "O": 0}
        for height, row in enumerate(reversed(rows)):
            for column, letter in enumerate(row):
                if letter == ".":
                    continue
                if height and rows[ROWS - height][column] == ".":
                    raise ArenaError(f"{text!r} has a coin in column {column + 1} above an empty cell")
                masks[letter] |= 1 << (column * HEIGHT + height)
        x, o = masks["X"], masks["O"]
        surplus = popcount(x) - popcount(o)
        if surplus not in (0, 1):
            raise ArenaError(f"{text!r} has {popcount(x)} X and {popcount(o)} O; X moves first, O second")
        if (has_four(x) and surplus == 0) or (has_four(o) and surplus == 1):
            raise ArenaError(f"{text!r} continues after four in a row; remove the last moves")
        return (o if surplus else x, x | o)
