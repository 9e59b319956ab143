"""Othello on 8 x 8 cells, on 6 x 6 and on 4 x 4: whoever has more discs at the end wins.

A state is (own upper, own lower, other upper, other lower, side): the discs of the player to move and of
the other one, each the upper four rows and the lower four, since an int has no room for 64 cells and its
sign; and the player to move. Cell 8 * row + column, row 0 being the top one, is that bit of the upper rows,
or the bit 32 less of the lower ones. Smaller boards begin at the top left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from arena import ArenaError, Game, hookimpl, lowest, option, popcount, read_word, words_of

State = tuple[int, int, int, int, int]
Cells = tuple[int, int]  # upper and lower rows

ROWS = 0xFFFFFFFF  # four of them
NOT_LEFT, NOT_RIGHT = 0xFEFEFEFE, 0x7F7F7F7F  # but for the first column, the last
WAYS = 8
PASS = 64
PASSES = ("--", "pa", "ps", "pass")  # as people and programs write it
MARK = r"[a-h][1-8]|pass|pa|ps|--"
WORD = re.compile(rf"{MARK}|\S+?(?=\s|$|{MARK})", re.IGNORECASE)


def shifted(cells: Cells, way: int) -> Cells:
    """Cells moved one step, without those that leave the board.

    way: 0 right, 1 left, 2 down, 3 up, 4 down right, 5 up left, 6 down left, 7 up right.
    """
    upper, lower = cells
    if way == 0 or way == 4 or way == 7:
        upper, lower = (upper << 1) & NOT_LEFT, (lower << 1) & NOT_LEFT
    elif way == 1 or way == 5 or way == 6:
        upper, lower = (upper >> 1) & NOT_RIGHT, (lower >> 1) & NOT_RIGHT
    if way == 2 or way == 4 or way == 6:
        upper, lower = (upper << 8) & ROWS, ((lower << 8) & ROWS) | (upper >> 24)
    elif way == 3 or way == 5 or way == 7:
        upper, lower = (upper >> 8) | ((lower & 0xFF) << 24), lower >> 8
    return (upper, lower)


def ends(own: Cells, other: Cells, way: int) -> Cells:
    """The cells just behind discs of the other in a row, of which the first is beside an own one."""
    upper, lower = shifted(own, way)
    upper, lower = upper & other[0], lower & other[1]
    all_upper, all_lower = upper, lower
    while upper | lower:
        upper, lower = shifted((upper, lower), way)
        upper, lower = upper & other[0], lower & other[1]
        all_upper |= upper
        all_lower |= lower
    return shifted((all_upper, all_lower), way)


def placeable(own: Cells, other: Cells, free: Cells) -> Cells:
    """The free cells where a disc turns others."""
    upper = lower = 0
    for way in range(WAYS):
        behind = ends(own, other, way)
        upper |= behind[0]
        lower |= behind[1]
    return (upper & free[0], lower & free[1])


def turned(own: Cells, other: Cells, cell: Cells) -> Cells:
    """The discs of the other that an own one put on a cell turns."""
    upper = lower = 0
    for way in range(WAYS):
        step = shifted(cell, way)
        row_upper = row_lower = 0
        while (step[0] & other[0]) | (step[1] & other[1]):
            row_upper |= step[0]
            row_lower |= step[1]
            step = shifted(step, way)
        if (step[0] & own[0]) | (step[1] & own[1]):
            upper |= row_upper
            lower |= row_lower
    return (upper, lower)


def beside(cells: Cells) -> Cells:
    """The cells next to these, some of which may be among them."""
    upper = lower = 0
    for way in range(WAYS):
        step = shifted(cells, way)
        upper |= step[0]
        lower |= step[1]
    return (upper, lower)


def count(cells: Cells) -> int:
    """How many cells these are."""
    return popcount(cells[0]) + popcount(cells[1])


def common(cells: Cells, others: Cells) -> int:
    """How many cells are among both."""
    return popcount(cells[0] & others[0]) + popcount(cells[1] & others[1])


def transposed(cells: Cells) -> Cells:
    """Rows and columns exchanged: those of blocks of four by four, then two of the four blocks."""
    upper, lower = turned_blocks(cells[0]), turned_blocks(cells[1])
    return (
        (upper & 0x0F0F0F0F) | ((lower & 0x0F0F0F0F) << 4),
        ((upper >> 4) & 0x0F0F0F0F) | (lower & 0xF0F0F0F0),
    )


def turned_blocks(rows: int) -> int:
    """Rows and columns exchanged within both blocks of four by four."""
    swap = (rows ^ (rows >> 7)) & 0x00AA00AA
    rows ^= swap ^ (swap << 7)
    swap = (rows ^ (rows >> 14)) & 0x0000CCCC
    return rows ^ swap ^ (swap << 14)


def mirrored(rows: int) -> int:
    """Four rows from right to left."""
    rows = ((rows & 0x55555555) << 1) | ((rows >> 1) & 0x55555555)
    rows = ((rows & 0x33333333) << 2) | ((rows >> 2) & 0x33333333)
    return ((rows & 0x0F0F0F0F) << 4) | ((rows >> 4) & 0x0F0F0F0F)


def upside_down(rows: int) -> int:
    """Four rows from the bottom to the top."""
    return (rows << 24) & ROWS | (rows & 0xFF00) << 8 | (rows >> 8) & 0xFF00 | rows >> 24


class Othello(Game):
    """Othello: a disc turns all of the other's between itself and own ones; more discs at the end win.

    A move is a cell, such as `d3`, or `pass`, which is the only move where no disc can be put. A position
    is the cells played so far, such as `d3c5f6`, where passes may be left out, or its rows from the top and
    who is to move, `......../......../......../...OX.../...XO.../......../......../........ X`. X begins.
    """

    size: Literal[4, 6, 8] = option(8, "rows and columns")
    sides = ("X", "O")
    max_moves = 60
    max_plies = 120
    alternating = True

    # --- the rules --------------------------------------------------------------------------------

    def board(self) -> Cells:
        """All cells."""
        if self.size == 4:
            return (0x0F0F0F0F, 0)
        if self.size == 6:
            return (0x3F3F3F3F, 0x3F3F)
        return (ROWS, ROWS)

    def free(self, state: State) -> Cells:
        """Those without a disc."""
        upper, lower = self.board()
        return (upper & ~(state[0] | state[2]), lower & ~(state[1] | state[3]))

    def initial(self) -> State:
        if self.size == 4:
            return (0x020400, 0, 0x040200, 0, 0)
        if self.size == 6:
            return (0x04080000, 0, 0x08040000, 0, 0)
        return (0x10000000, 0x08, 0x08000000, 0x10, 0)

    def moves(self, state: State) -> Iterator[int]:
        """Cells from the top left, row by row."""
        own, other, free = (state[0], state[1]), (state[2], state[3]), self.free(state)
        upper, lower = placeable(own, other, free)
        if upper | lower:
            while upper:
                yield lowest(upper)
                upper &= upper - 1
            while lower:
                yield 32 + lowest(lower)
                lower &= lower - 1
        elif count(placeable(other, own, free)):
            yield PASS

    def play(self, state: State, move: int) -> State:
        own_upper, own_lower, other_upper, other_lower, side = state
        if move == PASS:
            return (other_upper, other_lower, own_upper, own_lower, 1 - side)
        cell = (1 << move, 0) if move < 32 else (0, 1 << (move - 32))
        upper, lower = turned((own_upper, own_lower), (other_upper, other_lower), cell)
        return (
            other_upper & ~upper,
            other_lower & ~lower,
            own_upper | upper | cell[0],
            own_lower | lower | cell[1],
            1 - side,
        )

    def to_move(self, state: State) -> int:
        return state[4]

    def value(self, state: State) -> int:
        own, other = count((state[0], state[1])), count((state[2], state[3]))
        return (own > other) - (own < other)

    # --- capabilities ------------------------------------------------------------------------------

    @property
    def reachable(self) -> int | None:
        return 62_789 if self.size == 4 else None

    feature_names = ("discs", "moves", "corners", "edges", "beside free corners", "open discs")

    def features(self, state: State) -> Iterator[float]:
        """Own minus other, counts in the order of their names; a disc is open if a free cell is beside it."""
        own, other, free = (state[0], state[1]), (state[2], state[3]), self.free(state)
        corners, edges = self.corners(), self.edges()
        yield float(count(own) - count(other))
        yield float(count(placeable(own, other, free)) - count(placeable(other, own, free)))
        yield float(common(own, corners) - common(other, corners))
        yield float(common(own, edges) - common(other, edges))
        near = beside((corners[0] & free[0], corners[1] & free[1]))
        yield float(common(own, near) - common(other, near))
        near = beside(free)
        yield float(common(own, near) - common(other, near))

    def evaluate(self, state: State) -> float:
        """Moves, corners at 10 each, less 3 for a disc beside a free corner and half for an open one."""
        own, other, free = (state[0], state[1]), (state[2], state[3]), self.free(state)
        corners = self.corners()
        near_corner = beside((corners[0] & free[0], corners[1] & free[1]))
        near = beside(free)
        return (
            1.0 * (count(placeable(own, other, free)) - count(placeable(other, own, free)))
            + 10.0 * (common(own, corners) - common(other, corners))
            - 3.0 * (common(own, near_corner) - common(other, near_corner))
            - 0.5 * (common(own, near) - common(other, near))
        )

    def corners(self) -> Cells:
        if self.size == 4:
            return (0x09000009, 0)
        if self.size == 6:
            return (0x21, 0x2100)
        return (0x81, 0x81000000)

    def edges(self) -> Cells:
        """The cells round the board, corners among them."""
        if self.size == 4:
            return (0x0F09090F, 0)
        if self.size == 6:
            return (0x2121213F, 0x3F21)
        return (0x818181FF, 0xFF818181)

    # --- symmetries: 4 exchanges rows and columns, 1 mirrors left and right, 2 top and bottom ---------

    symmetries = 8

    def image(self, state: State, i: int) -> State:
        own, other = self.image_of((state[0], state[1]), i), self.image_of((state[2], state[3]), i)
        return (own[0], own[1], other[0], other[1], state[4])

    def image_of(self, cells: Cells, i: int) -> Cells:
        if i & 4:
            cells = transposed(cells)
        upper, lower = cells
        if i & 1:
            edge = 8 - self.size
            upper, lower = mirrored(upper) >> edge, mirrored(lower) >> edge
        if i & 2:
            upper, lower = upside_down(lower), upside_down(upper)
            if self.size == 4:
                upper, lower = lower, 0
            elif self.size == 6:
                upper, lower = (upper >> 16) | ((lower & 0xFFFF) << 16), lower >> 16
        return (upper, lower)

    def image_move(self, move: int, i: int) -> int:
        if move == PASS:
            return PASS
        row, column = move >> 3, move & 7
        if i & 4:
            row, column = column, row
        if i & 1:
            column = self.size - 1 - column
        if i & 2:
            row = self.size - 1 - row
        return 8 * row + column

    # --- grid: cell size * row + column ---------------------------------------------------------------

    @property
    def cells(self) -> tuple[tuple[int, int], ...]:
        return tuple((x, y) for y in range(self.size) for x in range(self.size))

    def piece(self, state: State, cell: int) -> int:
        bit = 8 * (cell // self.size) + cell % self.size
        half = bit >> 5
        if (state[half] >> (bit & 31)) & 1:
            return 1 + state[4]
        if (state[2 + half] >> (bit & 31)) & 1:
            return 2 - state[4]
        return 0

    def anchor(self, state: State, move: int) -> int:
        """The cell a disc is put on; that of the first own disc for a pass."""
        if move == PASS:
            move = lowest(state[0]) if state[0] else 32 + lowest(state[1])
        return self.size * (move >> 3) + (move & 7)

    def shape(self, state: State, move: int) -> int:
        return int(move == PASS)

    def shape_image(self, shape: int, i: int) -> int:
        return shape

    # --- notation -------------------------------------------------------------------------------------

    def move_text(self, move: int) -> str:
        return "pass" if move == PASS else "abcdefgh"[move & 7] + str((move >> 3) + 1)

    def read_move(self, state: State, text: str) -> int:
        return int(super().read_move(state, "pass" if text.casefold() in PASSES else text))

    def split_moves(self, text: str) -> list[str]:
        """Cells and passes, with or without blanks between them: `F5D6C3`, `f5 d6 PA`."""
        words = WORD.findall(re.sub(r"\d{1,9}\.+", " ", text))
        return [word for word in words if re.search("[A-Za-z]|--", word)]  # no signs and scores

    def match_text(self, tags: Mapping[str, str], moves: Sequence[str]) -> str:
        """Return the cells one after another without passes, as programs of Othello read them: `d3c5f6`."""
        cells = "".join(move for move in moves if move != "pass")
        return f"{tags['start']} moves {cells}".strip() if "start" in tags else cells

    def cell_text(self, cell: int) -> str:
        row, column = divmod(cell, self.size)
        return "abcdefgh"[column] + str(row + 1)

    def rows(self, state: State) -> list[str]:
        letters = (".", *self.sides)
        size = self.size
        return ["".join(letters[self.piece(state, size * y + x)] for x in range(size)) for y in range(size)]

    def position_text(self, state: State) -> str:
        return "/".join(self.rows(state)) + " " + self.sides[state[4]]

    def board_text(self, state: State) -> str:
        lines = [f"{y} {' '.join(row)}" for y, row in enumerate(self.rows(state), 1)]
        return "\n".join([f"  {' '.join('abcdefgh'[: self.size])}", *lines])

    def read_position(self, text: str) -> State:
        text = text.strip()
        return self.read_rows(text) if "/" in text else self.read_cells(text)

    def read_cells(self, text: str) -> State:
        state = self.initial()
        for word in words_of(self, text):
            try:
                state = read_word(self, state, word)[-1][1]
            except ArenaError as error:
                raise ArenaError(f"{text!r}: {self.sides[state[4]]} cannot play {word!r} there") from error
        return state

    def read_rows(self, text: str) -> State:
        board, _, side = text.upper().rpartition(" ")
        rows = board.split("/")
        if (
            side not in self.sides
            or len(rows) != self.size
            or any(len(row) != self.size or set(row) - set(".XO") for row in rows)
        ):
            raise ArenaError(
                f"{text!r} is not {self.size} rows of {self.size} of X, O and '.', parted by '/', and X or O"
            )
        discs = {"X": 0, "O": 0, ".": 0}
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                discs[letter] |= 1 << (8 * y + x)
        own, other = (discs[letter] for letter in (side, self.sides[1 - self.sides.index(side)]))
        return (own & ROWS, own >> 32, other & ROWS, other >> 32, self.sides.index(side))


@hookimpl
def register_games(register):
    register("othello", "arena_othello:Othello")
