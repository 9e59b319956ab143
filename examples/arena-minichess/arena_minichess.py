"""Gardner's minichess: chess on 5 x 5 cells, with a king, queen, bishop, knight, rook and five pawns a side.

A state is (pawns, knights, bishops, rooks, queens, kings, white, side): sets of cells as bits, the seventh
those of White's pieces, and the player to move. Cell 5 * row + column, row 0 being the top one, is that bit.
A move is the cell it leaves, and 32 times the one it goes to, and 1024 times the kind that a pawn becomes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from arena import ArenaError, Game, hookimpl, lowest, popcount, tagged_text

State = tuple[int, int, int, int, int, int, int, int]

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, WHITE, SIDE = range(8)
LETTERS = "PNBRQK"
# a piece, what there is of the cell it leaves, the cell it goes to, what a pawn becomes
MOVE = re.compile(r"([KQRBN]?)([a-e]?[1-5]?)[-x:]?([a-e][1-5])(?:=?([QRBNqrbn]))?")
START = "rnbqk/ppppp/5/PPPPP/RNBQK w"
BOARD, LEFT = 0x1FFFFFF, 0x108421  # all cells, and the column a
TOP, BOTTOM = 0x1F, 0x1F00000
CENTRE = 0x739C0  # the nine cells that are not at the edge


def shifted(cells: int, dx: int, dy: int) -> int:
    """Cells moved so many columns to the right and rows down, without those that leave the board."""
    for _ in range(dx):
        cells = (cells & ~(LEFT << 4)) << 1
    for _ in range(-dx):
        cells = (cells & ~LEFT) >> 1
    return (cells << 5 * dy) & BOARD if dy > 0 else cells >> -5 * dy


def leaps(cell: int) -> int:
    """Where a knight on a cell can go."""
    reached = 0
    for dx in range(-2, 3):
        if dx:
            dy = 3 - abs(dx)
            reached |= shifted(cell, dx, dy) | shifted(cell, dx, -dy)
    return reached


def runs(cell: int, taken: int, diagonal: bool, most: int = 4) -> int:
    """Where a piece on a cell can run, straight or diagonally, up to and with the first taken one."""
    reached = 0
    for dx in range(-1, 2):
        for dy in range(-1, 2):
            if (dx * dy != 0) == diagonal and (dx or dy):
                step = cell
                for _ in range(most):
                    step = shifted(step, dx, dy)
                    reached |= step
                    step &= ~taken
    return reached


def around(cell: int) -> int:
    """The cells beside one."""
    return runs(cell, 0, False, 1) | runs(cell, 0, True, 1)


def forward(side: int) -> int:
    """The direction in which a side's pawns go, in rows."""
    return -1 if side == 0 else 1


def strikes(cells: int, side: int) -> int:
    """What a side's pawns on cells attack."""
    return shifted(cells, -1, forward(side)) | shifted(cells, 1, forward(side))


def carried(cells: int, start: int, end: int) -> int:
    """A set of pieces after one, of these or others, went from a cell to another, taking what stood there."""
    cells &= ~end
    return cells ^ (start | end) if cells & start else cells


def mirrored(cells: int) -> int:
    """Cells with left and right exchanged."""
    return (
        (cells & LEFT) << 4
        | (cells & LEFT << 1) << 2
        | cells & LEFT << 2
        | (cells & LEFT << 3) >> 2
        | (cells & LEFT << 4) >> 4
    )


class Minichess(Game):
    """Gardner's minichess: chess on 5 x 5 cells, without double steps, castling and capture en passant.

    A move is the cells it goes from and to, and what a pawn becomes: `b2b3`, `c4d5q`. A position is as in
    FEN, `rnbqk/ppppp/5/PPPPP/RNBQK w`; what follows is not read. White begins.
    """

    sides = ("white", "black")
    dark = 1
    max_moves = 160
    repetition = 3
    quiet_plies = 100
    alternating = True

    # --- the rules --------------------------------------------------------------------------------

    def initial(self) -> State:
        return (0xF83E0, 0x200002, 0x400004, 0x100001, 0x800008, 0x1000010, 0x1FF8000, 0)

    def moves(self, state: State) -> Iterator[int]:
        """By the cells they leave, from the top left row by row, then by those they go to; queens first."""
        side = state[SIDE]
        own = self.of_side(state, side)
        while own:
            start = own & -own
            own ^= start
            ends = self.targets(state, start)
            while ends:
                end = ends & -ends
                ends ^= end
                move = lowest(start) | lowest(end) << 5
                if not self.in_check(self.play(state, move), side):
                    if state[PAWN] & start and end & (TOP | BOTTOM):
                        for kind in range(QUEEN, PAWN, -1):
                            yield move | kind << 10
                    else:
                        yield move

    def play(self, state: State, move: int) -> State:
        start, end, becomes = 1 << (move & 31), 1 << (move >> 5 & 31), move >> 10
        return (
            carried(state[PAWN], start, end) & ~(end if becomes else 0),
            carried(state[KNIGHT], start, end) | (end if becomes == KNIGHT else 0),
            carried(state[BISHOP], start, end) | (end if becomes == BISHOP else 0),
            carried(state[ROOK], start, end) | (end if becomes == ROOK else 0),
            carried(state[QUEEN], start, end) | (end if becomes == QUEEN else 0),
            carried(state[KING], start, end),
            carried(state[WHITE], start, end),
            1 - state[SIDE],
        )

    def to_move(self, state: State) -> int:
        return state[SIDE]

    def value(self, state: State) -> int:
        """Lost in check, which is mate; else it is stalemate."""
        return -1 if self.in_check(state, state[SIDE]) else 0

    def irreversible(self, state: State, move: int) -> int:
        """2 for a capture and for a pawn's move."""
        start, end = 1 << (move & 31), 1 << (move >> 5 & 31)
        return 2 if state[PAWN] & start or self.taken(state) & end else 0

    def taken(self, state: State) -> int:
        """The cells that are not empty."""
        return state[PAWN] | state[KNIGHT] | state[BISHOP] | state[ROOK] | state[QUEEN] | state[KING]

    def of_side(self, state: State, side: int) -> int:
        return state[WHITE] if side == 0 else self.taken(state) & ~state[WHITE]

    def targets(self, state: State, start: int) -> int:
        """Where the piece on a cell can go, its king's safety apart."""
        taken, side = self.taken(state), state[SIDE]
        own = self.of_side(state, side)
        if state[PAWN] & start:
            return shifted(start, 0, forward(side)) & ~taken | strikes(start, side) & taken & ~own
        if state[KNIGHT] & start:
            return leaps(start) & ~own
        if state[KING] & start:
            return around(start) & ~own
        ends = 0
        if (state[ROOK] | state[QUEEN]) & start:
            ends |= runs(start, taken, False)
        if (state[BISHOP] | state[QUEEN]) & start:
            ends |= runs(start, taken, True)
        return ends & ~own

    def in_check(self, state: State, side: int) -> bool:
        """Whether a side's king is attacked: from its cell the like of an attacker would reach that one."""
        taken, other = self.taken(state), self.of_side(state, 1 - side)
        king = state[KING] & ~other
        attackers = strikes(king, side) & state[PAWN] | leaps(king) & state[KNIGHT]
        attackers |= around(king) & state[KING]
        attackers |= runs(king, taken, False) & (state[ROOK] | state[QUEEN])
        attackers |= runs(king, taken, True) & (state[BISHOP] | state[QUEEN])
        return attackers & other != 0

    # --- capabilities ------------------------------------------------------------------------------

    feature_names = ("pawns", "knights", "bishops", "rooks", "queens", "rows gone by pawns", "in the centre")

    def features(self, state: State) -> Iterator[float]:
        """Own minus other, counts in the order of their names."""
        for kind in range(KING):
            yield float(self.surplus(state, state[kind]))
        yield float(self.rows_gone(state))
        yield float(self.surplus(state, self.in_centre(state)))

    def surplus(self, state: State, pieces: int) -> int:
        """How many more of some pieces are own than the other's."""
        own = self.of_side(state, state[SIDE])
        return popcount(pieces & own) - popcount(pieces & ~own)

    def rows_gone(self, state: State) -> int:
        """How many rows more own pawns have gone than the other's."""
        white, black, rows = state[PAWN] & state[WHITE], state[PAWN] & ~state[WHITE], 0
        for row in range(1, 4):
            here = TOP << 5 * row
            rows += (3 - row) * popcount(white & here) - (row - 1) * popcount(black & here)
        return -rows if state[SIDE] else rows

    def in_centre(self, state: State) -> int:
        """The pieces there, but for pawns and kings."""
        return CENTRE & self.taken(state) & ~(state[PAWN] | state[KING])

    def evaluate(self, state: State) -> float:
        """In pawns: knights and bishops are 3, rooks 5, queens 9; a row gone, and the centre, a tenth."""
        minor = self.surplus(state, state[KNIGHT] | state[BISHOP])
        major = 5.0 * self.surplus(state, state[ROOK]) + 9.0 * self.surplus(state, state[QUEEN])
        place = self.rows_gone(state) + self.surplus(state, self.in_centre(state))
        return self.surplus(state, state[PAWN]) + 3.0 * minor + major + 0.1 * place

    symmetries = 2  # left and right can be exchanged

    def image(self, state: State, i: int) -> State:
        if i == 0:
            return state
        return (
            mirrored(state[PAWN]),
            mirrored(state[KNIGHT]),
            mirrored(state[BISHOP]),
            mirrored(state[ROOK]),
            mirrored(state[QUEEN]),
            mirrored(state[KING]),
            mirrored(state[WHITE]),
            state[SIDE],
        )

    def image_move(self, move: int, i: int) -> int:
        if i == 0:
            return move
        start, end = move & 31, move >> 5 & 31
        return (start + 4 - 2 * (start % 5)) | (end + 4 - 2 * (end % 5)) << 5 | move >> 10 << 10

    # --- grid -----------------------------------------------------------------------------------------

    cells = tuple((x, y) for y in range(5) for x in range(5))
    pieces = 12

    def kind(self, state: State, cell: int) -> int:
        """The kind of piece on a cell, -1 for none."""
        for kind in range(6):
            if state[kind] >> cell & 1:
                return kind
        return -1

    def piece(self, state: State, cell: int) -> int:
        kind = self.kind(state, cell)
        return 0 if kind < 0 else 2 * kind + (1 if state[WHITE] >> cell & 1 else 2)

    def piece_text(self, piece: int) -> str:
        letter = LETTERS[(piece - 1) // 2]
        return letter if piece % 2 else letter.lower()

    def anchor(self, state: State, move: int) -> int:
        return move & 31

    def shape(self, state: State, move: int) -> int:
        """How far a move goes, the kind that makes it, the one that it takes and what a pawn becomes."""
        start, end = move & 31, move >> 5 & 31
        dx, dy = end % 5 - start % 5 + 4, end // 5 - start // 5 + 4
        kinds = self.kind(state, start) | (self.kind(state, end) + 1) << 3 | move >> 10 << 6
        return 81 * kinds + 9 * dy + dx

    def shape_image(self, shape: int, i: int) -> int:
        dx, dy = shape % 9, shape // 9 % 9
        if i & 4:
            dx, dy = dy, dx
        if i & 1:
            dx = 8 - dx
        if i & 2:
            dy = 8 - dy
        return shape // 81 * 81 + 9 * dy + dx

    # --- notation -------------------------------------------------------------------------------------

    def cell_text(self, cell: int) -> str:
        return "abcde"[cell % 5] + str(5 - cell // 5)

    def move_text(self, move: int) -> str:
        becomes = LETTERS[move >> 10].lower() if move >> 10 else ""
        return self.cell_text(move & 31) + self.cell_text(move >> 5 & 31) + becomes

    def split_moves(self, text: str) -> list[str]:
        """The moves in a text; all else is left out, such as numbers and signs."""
        return [found[0] for found in MOVE.finditer(text)]

    def read_move(self, state: State, text: str) -> int:
        """Return the move of a text: `b2b3`, or as in chess `b3`, `Nxc3+`, `c5=Q`."""
        if not (found := MOVE.fullmatch(text.rstrip("+#!?"))):
            return int(super().read_move(state, text))
        piece, leaves, to, becomes = (part or "" for part in found.groups())
        meant = []
        for move in self.moves(state):
            kind, start, whole = (
                LETTERS[self.kind(state, move & 31)],
                self.cell_text(move & 31),
                self.move_text(move),
            )
            named = kind == piece or (not piece and (kind == "P" or leaves == start))
            if named and all(sign in start for sign in leaves) and whole == start + to + becomes.lower():
                meant.append(move)
        if len(meant) > 1:
            texts = ", ".join(map(self.move_text, meant))
            raise ArenaError(f"{text!r} can be several moves here: {texts}")
        return meant[0] if meant else int(super().read_move(state, text))

    def match_text(self, tags: Mapping[str, str], moves: Sequence[str]) -> str:
        """Return the match in PGN, its moves in SAN."""
        state, sans = self.read_position(tags.get("start", START)), []
        black_begins = state[SIDE] == 1
        for text in moves:
            move = self.read_move(state, text)
            sans.append(self.san(state, move))
            state = self.play(state, move)
        return tagged_text(tags, sans, black_begins=black_begins, extra={"Variant": "Gardner"})

    def san(self, state: State, move: int) -> str:
        """Return a move in standard algebraic notation."""
        start, end = move & 31, move >> 5 & 31
        kind = next(kind for kind in range(6) if state[kind] >> start & 1)
        takes = "x" if self.taken(state) >> end & 1 else ""
        there = takes + self.cell_text(end)
        from_file, from_rank = self.cell_text(start)
        if kind == PAWN:
            text = from_file * bool(takes) + there + (f"={LETTERS[move >> 10]}" if move >> 10 else "")
        else:
            others = [
                self.cell_text(other & 31)
                for other in self.moves(state)
                if other >> 5 == end and other != move and state[kind] >> (other & 31) & 1
            ]
            by_file = others and from_file not in [file for file, _ in others]
            by_rank = others and not by_file and from_rank not in [rank for _, rank in others]
            origin = (
                from_file if by_file else from_rank if by_rank else (from_file + from_rank) * bool(others)
            )
            text = LETTERS[kind] + origin + there
        after = self.play(state, move)
        if self.in_check(after, after[SIDE]):
            return text + ("+" if any(True for _ in self.moves(after)) else "#")
        return text

    def rows(self, state: State) -> list[str]:
        texts = [".", *map(self.piece_text, range(1, 13))]
        return ["".join(texts[self.piece(state, 5 * y + x)] for x in range(5)) for y in range(5)]

    def board_text(self, state: State) -> str:
        lines = [f"{5 - y} {' '.join(row)}" for y, row in enumerate(self.rows(state))]
        return "\n".join([*lines, "  a b c d e"])

    def position_text(self, state: State) -> str:
        board = "/".join(self.rows(state))
        for n in range(5, 0, -1):
            board = board.replace("." * n, str(n))
        return f"{board} {'wb'[state[SIDE]]}"

    def read_position(self, text: str) -> State:
        board, side = [*text.split(), "", ""][:2]
        for n in range(1, 6):
            board = board.replace(str(n), "." * n)
        letters, sets = board.replace("/", ""), [0] * 7
        if [len(row) for row in board.split("/")] != [5] * 5 or set(letters.upper()) - set(LETTERS + "."):
            raise ArenaError(f"{text!r} is not 5 rows of 5 in FEN and w or b, such as {START!r}")
        if side not in ("w", "b"):
            raise ArenaError(f"{text!r} does not say who is to move, w or b")
        for cell, letter in enumerate(letters):
            if letter != ".":
                sets[LETTERS.index(letter.upper())] |= 1 << cell
                sets[WHITE] |= letter.isupper() << cell
        state = (*sets, "wb".index(side))
        many = max(popcount(self.of_side(state, i)) for i in (0, 1)) > 10
        if many or [letters.count(king) for king in "Kk"] != [1, 1] or state[PAWN] & (TOP | BOTTOM):
            raise ArenaError(f"{text!r}: a side has a king, up to ten pieces, and no pawns on the last rows")
        if self.in_check(state, 1 - state[SIDE]):
            raise ArenaError(f"{text!r}: the king of who is not to move is in check")
        return state


@hookimpl
def register_games(register):
    register("minichess", "arena_minichess:Minichess")
