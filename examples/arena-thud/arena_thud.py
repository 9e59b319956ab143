"""Thud!: 32 dwarfs against 8 trolls on a board of 165 squares, of which the middle one is a stone.

A state is (five words of dwarfs, five of trolls, plies since a capture, side). A word has three rows of 15
columns as bits: column x of row y, row 0 being the top one, is bit 15 * (y % 3) + x of word y // 3. A square
is 15 * y + x. A move is the square it leaves, 256 times the one it goes to, and 65536 times what it takes: a
dwarf beside a troll by its direction, 3 * (dy + 1) + dx + 1, or one of `NOTHING`, `ALL` and `HURLED`.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena import ArenaError, Game, hookimpl, lowest, option, popcount

State = tuple[int, int, int, int, int, int, int, int, int, int, int, int]

DWARFS, TROLLS, QUIET, SIDE = 0, 5, 10, 11  # where they are in a state
NOTHING, ALL, HURLED = 4, 9, 10
COLUMNS = "abcdefghjklmnop"
TROLL = 4  # points, of a dwarf's one
START = (
    "dd.dd/d.....d/d.......d/d.........d/d...........d/d.............d/d.....ttt.....d/......tot....../"
    "d.....ttt.....d/d.............d/d...........d/d.........d/d.......d/d.....d/dd.dd d 0"
)


def left_of(y: int) -> int:
    """The first column of a row; as many are cut off on the right."""
    if y < 5:
        return 5 - y
    return y - 9 if y > 9 else 0


def on_board(x: int, y: int) -> bool:
    """Whether there is such a square that can be entered."""
    if y < 0 or y > 14:
        return False
    left = left_of(y)
    return left <= x <= 14 - left and not (x == 7 and y == 7)


def number_of(x: int, y: int) -> int:
    """A square's number, from the top left row by row, without the stone."""
    if y <= 5:
        before = y * y + 4 * y
    elif y <= 10:
        before = 45 + 15 * (y - 5)
    else:
        before = 120 + 13 * (y - 10) - (y - 10) * (y - 11)
    number = before + x - left_of(y)
    return number - 1 if number > 82 else number


def holds(state: State, kind: int, x: int, y: int) -> bool:
    """Whether a piece of a kind, `DWARFS` or `TROLLS`, is there, on the board or not."""
    if not on_board(x, y):
        return False
    return state[kind + y // 3] >> (15 * (y % 3) + x) & 1 == 1


def is_free(state: State, x: int, y: int) -> bool:
    """Whether a piece can stand there, and none does."""
    if not on_board(x, y):
        return False
    return (state[DWARFS + y // 3] | state[TROLLS + y // 3]) >> (15 * (y % 3) + x) & 1 == 0


def in_line(state: State, kind: int, x: int, y: int, dx: int, dy: int) -> int:
    """How many pieces of a kind stand without a gap from a square on, in a direction."""
    count = 0
    while holds(state, kind, x, y):
        count += 1
        x += dx
        y += dy
    return count


def dwarfs_beside(state: State, x: int, y: int) -> int:
    """The dwarfs beside a square, as bits by their directions."""
    found = 0
    for direction in range(9):
        if direction != NOTHING and holds(state, DWARFS, x + direction % 3 - 1, y + direction // 3 - 1):
            found |= 1 << direction
    return found


def lifted(word: int, index: int, square: int) -> int:
    """A word, the one of this index, without a square."""
    x, y = square % 15, square // 15
    return word & ~(1 << (15 * (y % 3) + x)) if y // 3 == index else word


def put(word: int, index: int, square: int) -> int:
    """A word, the one of this index, with a square."""
    x, y = square % 15, square // 15
    return word | 1 << (15 * (y % 3) + x) if y // 3 == index else word


def turned(x: int, y: int, i: int, last: int) -> tuple[int, int]:
    """Where a place goes, of 0 to `last` either way: 4 exchanges x and y, 1 mirrors columns, 2 rows."""
    if i & 4:
        x, y = y, x
    if i & 1:
        x = last - x
    if i & 2:
        y = last - y
    return (x, y)


def turned_square(square: int, i: int) -> int:
    """A square's image."""
    x, y = turned(square % 15, square // 15, i, 14)
    return 15 * y + x


def turned_direction(taken: int, i: int) -> int:
    """The image of a direction; what is none stays as it is."""
    if taken > 8:
        return taken
    x, y = turned(taken % 3, taken // 3, i, 2)
    return 3 * y + x


class Thud(Game):
    """Thud!: dwarfs move like queens and take by being hurled, trolls step or are shoved; points decide.

    A move is the square it leaves and the one it goes to, such as `f1f8`; `f1xf3` takes a troll, `g8f8xe7`
    takes a dwarf beside, and `g8e8x` all that are beside. A position is its rows from the top, with d, t, o
    for the stone, and `.`, then d or t for who is to move, and the plies since a capture.
    """

    quiet: int = option(200, "plies without a capture after which points decide", low=1, high=1000)
    lone_shove: bool = option(False, "whether a single troll is a line, shoved by one square")

    sides = ("dwarfs", "trolls")
    dark = 1
    max_moves = 1800
    max_plies = 4000
    alternating = True

    # --- the rules --------------------------------------------------------------------------------

    def initial(self) -> State:
        dwarfs = 0x20202080360, 0x100050011004, 0x100040004001, 0x40110014001, 0xD802080808
        return (dwarfs[0], dwarfs[1], dwarfs[2], dwarfs[3], dwarfs[4], 0, 0, 0x7000A001C0, 0, 0, 0, 0)

    def moves(self, state: State) -> Iterator[int]:
        """By the squares they leave, from the top left row by row, then by direction; none at the end."""
        side = state[SIDE]
        other = DWARFS if side else TROLLS
        left = state[other] | state[other + 1] | state[other + 2] | state[other + 3] | state[other + 4]
        if state[QUIET] < self.quiet and left:
            for word in range(5):
                own = state[(TROLLS if side else DWARFS) + word]
                while own:
                    bit = lowest(own)
                    own &= own - 1
                    x, y = bit % 15, 3 * word + bit // 15
                    for direction in range(9):
                        if direction != NOTHING:
                            dx, dy = direction % 3 - 1, direction // 3 - 1
                            if side:
                                yield from self.of_troll(state, x, y, dx, dy)
                            else:
                                yield from self.of_dwarf(state, x, y, dx, dy)

    def of_dwarf(self, state: State, x: int, y: int, dx: int, dy: int) -> Iterator[int]:
        """Moves of a dwarf in a direction: over free squares, and hurled onto a troll behind these."""
        start, steps = 15 * y + x, 1
        while is_free(state, x + steps * dx, y + steps * dy):
            yield start | 15 * (y + steps * dy) + x + steps * dx << 8 | NOTHING << 16
            steps += 1
        there = holds(state, TROLLS, x + steps * dx, y + steps * dy)
        if there and steps <= in_line(state, DWARFS, x, y, -dx, -dy):
            yield start | 15 * (y + steps * dy) + x + steps * dx << 8 | HURLED << 16

    def of_troll(self, state: State, x: int, y: int, dx: int, dy: int) -> Iterator[int]:
        """Moves of a troll in a direction: a step, after which it may take one dwarf, and shoves."""
        start, line, steps = 15 * y + x, in_line(state, TROLLS, x, y, -dx, -dy), 1
        if line < 2 and not self.lone_shove:
            line = 0
        while is_free(state, x + steps * dx, y + steps * dy) and steps <= max(line, 1):
            end = 15 * (y + steps * dy) + x + steps * dx
            beside = dwarfs_beside(state, x + steps * dx, y + steps * dy)
            if steps == 1:
                yield start | end << 8 | NOTHING << 16
                for direction in range(9):
                    if beside >> direction & 1:
                        yield start | end << 8 | direction << 16
            # after a step that takes one of one, to take all is the same
            if steps <= line and popcount(beside) > (1 if steps == 1 else 0):
                yield start | end << 8 | ALL << 16
            steps += 1

    def play(self, state: State, move: int) -> State:
        side = state[SIDE]
        quiet = state[QUIET] + 1 if move >> 16 == NOTHING else 0
        return (
            dwarfs_after(state, move, 0),
            dwarfs_after(state, move, 1),
            dwarfs_after(state, move, 2),
            dwarfs_after(state, move, 3),
            dwarfs_after(state, move, 4),
            trolls_after(state, move, 0),
            trolls_after(state, move, 1),
            trolls_after(state, move, 2),
            trolls_after(state, move, 3),
            trolls_after(state, move, 4),
            quiet,
            1 - side,
        )

    def to_move(self, state: State) -> int:
        return state[SIDE]

    def value(self, state: State) -> int:
        points = self.points(state)
        return (points > 0) - (points < 0)

    def irreversible(self, state: State, move: int) -> int:
        """2 for a capture."""
        return 0 if move >> 16 == NOTHING else 2

    def points(self, state: State) -> int:
        """Points of the player to move less the other's: a dwarf 1, a troll 4."""
        ahead = 0
        for word in range(5):
            ahead += popcount(state[DWARFS + word]) - TROLL * popcount(state[TROLLS + word])
        return -ahead if state[SIDE] else ahead

    # --- capabilities -----------------------------------------------------------------------------

    def evaluate(self, state: State) -> float:
        """Points, a dwarf 1 and a troll 4."""
        return float(self.points(state))

    symmetries = 8

    def image(self, state: State, i: int) -> State:
        return (
            image_of(state, DWARFS, 0, i),
            image_of(state, DWARFS, 1, i),
            image_of(state, DWARFS, 2, i),
            image_of(state, DWARFS, 3, i),
            image_of(state, DWARFS, 4, i),
            image_of(state, TROLLS, 0, i),
            image_of(state, TROLLS, 1, i),
            image_of(state, TROLLS, 2, i),
            image_of(state, TROLLS, 3, i),
            image_of(state, TROLLS, 4, i),
            state[QUIET],
            state[SIDE],
        )

    def image_move(self, move: int, i: int) -> int:
        start, end = turned_square(move & 255, i), turned_square(move >> 8 & 255, i)
        return start | end << 8 | turned_direction(move >> 16, i) << 16

    cells = tuple((x, y) for y in range(15) for x in range(15) if on_board(x, y))

    def piece(self, state: State, cell: int) -> int:
        x, y = self.cells[cell]
        if holds(state, DWARFS, x, y):
            return 1
        return 2 if holds(state, TROLLS, x, y) else 0

    def piece_text(self, piece: int) -> str:
        return "dt"[piece - 1]

    def cell_text(self, cell: int) -> str:
        x, y = self.cells[cell]
        return COLUMNS[x] + str(15 - y)

    def anchor(self, state: State, move: int) -> int:
        return number_of((move & 255) % 15, (move & 255) // 15)

    def shape(self, state: State, move: int) -> int:
        """How far a move goes, and where from its end it takes dwarfs, or that it takes a troll."""
        start, end, taken = move & 255, move >> 8 & 255, move >> 16
        dx, dy = end % 15 - start % 15 + 14, end // 15 - start // 15 + 14
        mask = 0
        if taken == ALL:
            mask = dwarfs_beside(state, end % 15, end // 15)
        elif taken == HURLED:
            mask = 1 << NOTHING
        elif taken != NOTHING:
            mask = 1 << taken
        return mask << 10 | 29 * dy + dx

    def shape_image(self, shape: int, i: int) -> int:
        mask, way = 0, shape & 1023
        for direction in range(9):
            if shape >> 10 >> direction & 1:
                mask |= 1 << turned_direction(direction, i)
        dx, dy = turned(way % 29, way // 29, i, 28)
        return mask << 10 | 29 * dy + dx

    # --- notation ---------------------------------------------------------------------------------

    def move_text(self, move: int) -> str:
        start, end, taken = move & 255, move >> 8 & 255, move >> 16
        leaves, to = square_text(start % 15, start // 15), square_text(end % 15, end // 15)
        if taken == NOTHING:
            return leaves + to
        if taken == HURLED:
            return f"{leaves}x{to}"
        if taken == ALL:
            return f"{leaves}{to}x"
        return f"{leaves}{to}x{square_text(end % 15 + taken % 3 - 1, end // 15 + taken // 3 - 1)}"

    def rows(self, state: State) -> list[str]:
        """The squares of each row, without what is cut off."""
        return [
            "".join(letter_of(state, x, y) for x in range(left_of(y), 15 - left_of(y))) for y in range(15)
        ]

    def board_text(self, state: State) -> str:
        lines = [f"{15 - y:2} {' '.join(row.center(15))}".rstrip() for y, row in enumerate(self.rows(state))]
        return "\n".join([*lines, f"   {' '.join(COLUMNS)}"])

    def position_text(self, state: State) -> str:
        return f"{'/'.join(self.rows(state))} {'dt'[state[SIDE]]} {state[QUIET]}"

    def read_position(self, text: str) -> State:
        board, side, quiet, *more = [*text.split(), "", "", ""][:4] if text.split() else ["", "", "", ""]
        rows, words = board.split("/"), [0] * 10
        if [len(row) for row in rows] != [15 - 2 * left_of(y) for y in range(15)] or any(more):
            raise ArenaError(f"{text!r} is not the 15 rows of a board, a side and plies, such as {START!r}")
        if side not in ("d", "t") or not (quiet.isascii() and quiet.isdigit() and int(quiet) <= self.quiet):
            raise ArenaError(f"{text!r} does not end in d or t and plies, up to {self.quiet}, as in 'd 0'")
        for y, row in enumerate(rows):
            for x, letter in enumerate(row, left_of(y)):
                if letter not in "dt." and (letter != "o" or (x, y) != (7, 7)):
                    raise ArenaError(f"{text!r} has {letter!r} at {square_text(x, y)}, not d, t or '.'")
                if letter in "dt":
                    kind = DWARFS if letter == "d" else TROLLS
                    words[kind + y // 3] |= 1 << (15 * (y % 3) + x)
        if words[2] >> 22 & 1 or words[7] >> 22 & 1:
            raise ArenaError(f"{text!r} has a piece on h8, where the stone is")
        return (*words, int(quiet), "dt".index(side))


def dwarfs_after(state: State, move: int, index: int) -> int:
    """A word of dwarfs after a move."""
    word = state[DWARFS + index]
    if state[SIDE] == 0:
        return put(lifted(word, index, move & 255), index, move >> 8 & 255)
    end, taken = move >> 8 & 255, move >> 16
    if taken == NOTHING:
        return word
    for direction in range(9):
        if direction != NOTHING and taken in (ALL, direction):
            x, y = end % 15 + direction % 3 - 1, end // 15 + direction // 3 - 1
            if on_board(x, y):
                word = lifted(word, index, 15 * y + x)
    return word


def trolls_after(state: State, move: int, index: int) -> int:
    """A word of trolls after a move."""
    word = state[TROLLS + index]
    if state[SIDE] == 0:
        return lifted(word, index, move >> 8 & 255)
    return put(lifted(word, index, move & 255), index, move >> 8 & 255)


def image_of(state: State, kind: int, index: int, i: int) -> int:
    """A word of the image of pieces of a kind."""
    found = 0
    for word in range(5):
        pieces = state[kind + word]
        while pieces:
            bit = lowest(pieces)
            pieces &= pieces - 1
            found = put(found, index, turned_square(45 * word + bit, i))
    return found


def square_text(x: int, y: int) -> str:
    return COLUMNS[x] + str(15 - y)


def letter_of(state: State, x: int, y: int) -> str:
    """What stands on a square of the board."""
    if (x, y) == (7, 7):
        return "o"
    return "d" if holds(state, DWARFS, x, y) else "t" if holds(state, TROLLS, x, y) else "."


@hookimpl
def register_games(register):
    register("thud", "arena_thud:Thud")
