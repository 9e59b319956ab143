# SPDX-License-Identifier: GPL-3.0-or-later
"""A game plugin: `chess`, its rules by the package chess."""

import re
from functools import lru_cache

import chess

from arena import ArenaError, Game, Squares, hookimpl, option, tagged_text

MOVE = re.compile(
    r"[KQRBN][a-h]?[1-8]?[-x:]?[a-h][1-8]"
    r"|(?:[a-h]?[1-8]?[-x:]?)[a-h](?:[18](?:=?[QRBNqrbn])?|[2-7])"
    r"|(?<!\w)[O0]-[O0](?:-[O0])?(?![\w-])"
    r"|(?<!\S)--(?!\S)|Z0|0000|@@@@"  # a null move, which is not legal
)
QUOTED = re.compile(r'"(?:\\.|[^"\\])*(?:"|$)')  # a text in EPD, which may hold semicolons


@hookimpl
def register_games(register):
    register("chess", "arena_chess:Chess")


class Chess(Game):
    """Chess and Chess960, positions in FEN, moves as UCI has them; SAN is read, too.

    A state is (pawns, knights, bishops, rooks, queens, kings, those of White; whether White is to move; rooks
    that may castle, as bits; the square to capture en passant on, 0 where nobody can). Bit 0 is a1, bit 7
    h1, bit 63 h8. Whether play draws by repetition or by fifty moves is the match's to see.
    """

    sides = ("white", "black")
    alternating = True
    flat = False  # bit 63 makes numbers too large
    start: str = option("", "FEN of the first position, if not that of chess; who moves there is player 0")
    chess960: int | None = option(None, "play Chess960, from the start with this number", low=0, high=959)
    repetition: int = option(3, "a position that occurs this many times is a draw; 0 = never", low=0)
    quiet_plies: int = option(
        100, "a draw after this many plies without capture or pawn move; 0 = never", low=0
    )

    @classmethod
    def check(cls, options):
        if options["start"]:
            board_of(options["start"], options["chess960"] is not None)

    def __init__(self, **options):
        super().__init__(**options)
        number = 518 if self.chess960 is None else self.chess960  # 518 is the start of chess
        usual = state_of(chess.Board.from_chess960_pos(number))
        self.begun = self.read_position(self.start) if self.start else usual
        if not self.begun[7]:
            self.sides = ("black", "white")

    @property
    def uci_options(self):
        """Options that engines which speak UCI need for these rules."""
        return {} if self.chess960 is None else {"UCI_Chess960": "true"}

    def initial(self):
        return self.begun

    def moves(self, state):
        board = self.board(state)
        if board.is_insufficient_material():
            return []
        return [move.uci() for move in board.generate_legal_moves()]

    def play(self, state, move):
        board = self.board(state)
        board.push(chess.Move.from_uci(move))
        return state_of(board)

    def to_move(self, state):
        return int(state[7] != self.begun[7])

    def value(self, state):
        return -1 if self.board(state).is_checkmate() else 0

    def irreversible(self, state, move):
        board, move = self.board(state), chess.Move.from_uci(move)
        return 2 if board.is_zeroing(move) else int(board.is_irreversible(move))

    def evaluate(self, state):
        """Hundredths of a pawn: pieces as Shannon (1950) counts them, and how near the centre they are."""
        white = sum(
            WORTH[kind][square if of_white else square ^ 56] * (1 if of_white else -1)
            for kind, pieces in enumerate(state[:6])
            for of_white, those in ((True, pieces & state[6]), (False, pieces & ~state[6]))
            for square in chess.scan_forward(those)
        )
        return white if state[7] else -white

    # --- grid: cell 8 * row + column, row 0 being the eighth rank -----------------------------------------

    cells = tuple((x, y) for y in range(8) for x in range(8))
    pieces = 12
    dark = 1

    @property
    def drawing(self):
        """Pieces 1 and 2 are player 0's pawn and player 1's, then their knights, and so on."""
        kinds = ("pawn", "knight", "bishop", "rook", "queen", "king")
        pieces = [f"{side} {kind}" for kind in kinds for side in self.sides]
        return Squares(8, 8, chequered=True, pieces=pieces)

    def kind(self, state, square):
        """The kind of piece on a square, 0 for pawns to 5 for kings, -1 for none."""
        return next((kind for kind in range(6) if state[kind] >> square & 1), -1)

    def piece(self, state, cell):
        """Odd numbers are those of player 0, who is White unless Black begins."""
        kind, white = self.kind(state, cell ^ 56), state[6] >> (cell ^ 56) & 1
        return 0 if kind < 0 else 2 * kind + (1 if bool(white) == bool(self.begun[7]) else 2)

    def piece_text(self, piece):
        letter = "PNBRQK"[(piece - 1) // 2]
        return letter if (piece % 2 == 1) == bool(self.begun[7]) else letter.lower()

    def cell_text(self, cell):
        return chess.square_name(cell ^ 56)

    def anchor(self, state, move):
        return chess.Move.from_uci(move).from_square ^ 56

    def shape(self, state, move):
        """How far a move goes, the kind that makes it, the one that it takes or -1, what a pawn becomes or 0.

        Castling is a move of the king by two columns, or in Chess960 onto its rook, that takes nothing.
        """
        move = chess.Move.from_uci(move)
        start, end = move.from_square, move.to_square
        kind, taken = self.kind(state, start), self.kind(state, end)
        if kind == 0 and taken < 0 and start & 7 != end & 7:
            taken = 0  # en passant
        elif taken >= 0 and (state[6] >> start & 1) == (state[6] >> end & 1):
            taken = -1
        dx, dy = (end & 7) - (start & 7), (start >> 3) - (end >> 3)
        return dx, dy, kind, taken, move.promotion or 0

    def shape_image(self, shape, i):
        dx, dy, *rest = shape
        if i & 4:
            dx, dy = dy, dx
        if i & 1:
            dx = -dx
        if i & 2:
            dy = -dy
        return dx, dy, *rest

    def read_move(self, state, text):
        """Return the move of a text in UCI or SAN; signs after it are passed over, as in `Nf3!?`."""
        moves = self.moves(state)
        san = text.rstrip("!?").replace(":", "x")
        if san in moves:
            return san
        board = self.board(state)
        try:
            if (move := board.parse_san(san).uci()) in moves:
                return move
        except chess.AmbiguousMoveError as error:
            raise ArenaError(f"{text!r} can be several moves here; name the square it leaves") from error
        except ValueError:  # super says so
            pass
        return super().read_move(state, text)

    def split_moves(self, text):
        """The moves in a text, in UCI or SAN; all else is left out, such as numbers and signs."""
        return MOVE.findall(text)

    def match_text(self, tags, moves):
        """Return the match in PGN, its moves in SAN."""
        board = (
            board_of(tags["start"], self.chess960 is not None) if "start" in tags else self.board(self.begun)
        )
        extra = {"Variant": "Chess960"} if board.chess960 else {}
        if "start" not in tags and (board.chess960 or board.fen() != chess.STARTING_FEN):
            extra |= {"SetUp": "1", "FEN": board.fen()}
        begins = {"black_begins": not board.turn, "first_number": board.fullmove_number}
        sans = [board.san_and_push(board.parse_uci(move)) for move in moves]
        return tagged_text(tags, sans, white=0 if self.begun[7] else 1, **begins, extra=extra)

    def position_text(self, state):
        """FEN; the plies since a capture and the number of the move are not part of a position: 0 and 1."""
        return self.board(state).fen()

    def read_position(self, text):
        """Read FEN, with or without the last two fields, or EPD."""
        return read(text, self.chess960 is not None)[0]

    def start_text(self, text):
        """FEN with the half-move clock and the number of the move that the text states."""
        return read(text, self.chess960 is not None)[1]

    def quiet_in(self, text):
        return read(text, self.chess960 is not None)[2]

    def board_text(self, state):
        rows = str(self.board(state)).splitlines()
        return "\n".join([*(f"{8 - y} {row}" for y, row in enumerate(rows)), "  a b c d e f g h"])

    def board(self, state):
        """A position as a board of the package."""
        board = chess.Board(None, chess960=self.chess960 is not None)
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = state[:6]
        board.occupied = sum(state[:6])
        board.occupied_co = [board.occupied & ~state[6], state[6]]
        board.turn, board.castling_rights, board.ep_square = bool(state[7]), state[8], state[9] or None
        return board


@lru_cache(maxsize=16)  # of a book each text is asked about several times
def read(text, chess960):
    """The position of a text, its FEN, and the plies without a capture or a pawn's move; or ArenaError."""
    board = board_of(text, chess960)
    return state_of(board), board.fen(), board.halfmove_clock


def board_of(text, chess960):
    """The package's board of a text in FEN or EPD, or ArenaError."""
    try:
        board = chess.Board(fen_of(text), chess960=chess960)
    except ValueError as error:
        raise ArenaError(f"{text!r} is not a position in FEN: {error}") from error
    if status := board.status():
        faults = [flag.name.lower().replace("_", " ") for flag in chess.Status if flag & status]
        raise ArenaError(f"{text!r} is not a position of chess: {', '.join(faults)}")
    return board


def fen_of(text):
    """The FEN of a text in FEN or EPD: of the operations `hmvc` and `fmvn` count, others do not."""
    *fields, rest = text.strip().rstrip(";").split(None, 4) or [""]
    if len(fields) < 4 or rest[0].isdigit():
        return " ".join([*fields, rest])
    counts = {"hmvc": "0", "fmvn": "1"}
    for operation in QUOTED.sub(";", rest).split(";"):
        opcode, *operands = operation.split() or [""]
        counts[opcode] = " ".join(operands) or "?"
    return " ".join([*fields, counts["hmvc"], counts["fmvn"]])


def state_of(board):
    """The position on a board of the package."""
    kinds = board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings
    passing = board.ep_square if board.has_legal_en_passant() else 0
    return *kinds, board.occupied_co[chess.WHITE], int(board.turn), board.castling_rights, passing


def centre(square):
    """How near the centre a square is: 0 in the corners, 6 in the middle."""
    return 7 - (abs(2 * (square & 7) - 7) + abs(2 * (square >> 3) - 7)) // 2


WORTH = [  # [kinds, 64] of White's pieces, in hundredths of a pawn; Black's board is turned over
    [worth + near * centre(square) + ahead * (square >> 3) for square in range(64)]
    for worth, near, ahead in ((100, 2, 4), (300, 6, 0), (300, 3, 0), (500, 1, 1), (900, 1, 0), (0, -6, -4))
]
