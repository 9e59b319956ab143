"""PGN is read as python-chess reads it, which parses each text of these tests as well."""

from __future__ import annotations

import io
import logging
from random import Random

import pytest

from arena.errors import ArenaError
from arena.plan.opening_book import read_book
from books import moves_of
from paths import CHESS, ROOT

chess = pytest.importorskip("chess")
pgn = pytest.importorskip("chess.pgn")

FILES = sorted((ROOT / "tests" / "data" / "notation").glob("*.pgn"))
MANY = 200  # texts of one seed


@pytest.fixture(scope="module")
def game():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(CHESS)
        from arena_chess import Chess
    return Chess(repetition=0, quiet_plies=0)


def by_package(data: bytes) -> list[list[str]]:
    """The main lines that python-chess reads, none of them twice; it must not find a fault."""
    for encoding in ("utf-8-sig", "latin-1"):
        try:
            stream = io.StringIO(data.decode(encoding), newline=None)
            break
        except UnicodeDecodeError:
            continue
    lines = []
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    while found := pgn.read_game(stream):
        assert not found.errors, (found.errors, data)
        line = [move.uci() for move in found.mainline_moves()]
        if line and line not in lines:
            lines.append(line)
    return lines


def by_arena(path, data: bytes, game) -> list[list[str]]:
    path.write_bytes(data)
    return [list(line) for line in moves_of(read_book(str(path)), game, 1000)]


# --- texts of random matches, in the ways in which people and programs write them -----------------------

HEADERS = [
    '[Event "?"]', '[Event "F/S Return Match"]', '[Site "Belgrade, Serbia JUG"]', '[Date "1992.11.04"]',
    '[Round "29.1"]', '[White "Müller, K."]', '[Black "O\'Kelly, \\"A\\""]', '[Result "1/2-1/2"]',
    '[ECO "C85"]', '[WhiteElo "2785"]', '[TimeControl "40/7200:3600"]', '[Annotator "The "Big" One"]',
    '[Termination "adjudication"]', '[CurrentPosition "8/8/8/8/8/8/8/8 w - - 0 1"]', '[UTCTime "10:20:30"]',
    '[SetUp "1"]\n[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]',
    '[PlyCount "31"]', '[Opening "Ruy Lopez: Closed, 5...b5"]', '[Link "https://www.chess.com/game/live/1"]',
    '% escaped 1. a4', '; a comment 1. a4', '[Broken "no end', '[Broken]',
]  # fmt: skip
COMMENTS = [
    "{[%clk 0:03:00]}", "{ [%eval 0.17] [%clk 0:00:30] }", "{+0.31/12 1.2s}", "{book}", "{}", "{ 1. d4 is }",
    "{-M5/20 0.5s, Black mates}", "{a (b) ; c}", "{two\n\nlines [Event \"x\"]\n% not escaped}", "{Nf3! wins}",
    "{[%cal Gd1d5,Ra4e8][%csl Rd4]}", "; to the end of the line (e4 {\n", "{½-½ ± Ü}",
    "{d=12, pd=..., mt=850}",
]  # fmt: skip
SIGNS = [
    "±", "∓", "⩲", "⩱", "=", "∞", "N", "TN", "!?", "?!", "!!", "$1", "$146", "$13 $15", "+-", "-+", "+/-",
    "=+", "□", "D", "mate", "!?$5", "⌓", "+/=", "$", "(=)", "foo", "…", "Diagram #", "RR", "12:30", "C42",
]  # fmt: skip
RESULTS = ["1-0", "0-1", "1/2-1/2", "*", "½-½", "1/2", ""]


def written(rng: Random, board, move) -> str:
    """A move in one of the ways to write it."""
    way = rng.random()
    text = board.san(move) if way < 0.7 else board.uci(move) if way < 0.8 else board.lan(move)
    if board.is_castling(move) and rng.random() < 0.5:
        text = text.replace("O", "0")
    if board.is_en_passant(move):
        text += rng.choice(["", "e.p.", " e.p.", " ep"])
    if rng.random() < 0.2:
        text = text.rstrip("+#")
    if rng.random() < 0.2:
        text = text.replace("=", "")
    if rng.random() < 0.15:
        text += rng.choice(["!", "?", "!?", "??", "$1", "!$5", "$2$14", " !"])
    return text


def number(rng: Random, board, style: str, needed: bool) -> str:
    """A move's number, by a style that a text has throughout."""
    n = board.fullmove_number
    if board.turn == chess.WHITE:
        return "" if style == "none" else {"none": "", "bare": f"{n} ", "glued": f"{n}."}.get(style, f"{n}. ")
    if (not needed and rng.random() < 0.9) or style == "none":
        return ""
    return {"bare": f"{n} ... ", "glued": f"{n}..."}.get(
        style, rng.choice([f"{n}... ", f"{n}. ... ", f"{n} . .. "])
    )


def variation(rng: Random, board, style: str, depth: int) -> str:
    """Other moves in place of the last one, in parentheses."""
    board = board.copy()
    board.pop()
    words, needed = [], True
    for _ in range(rng.randrange(1, 4)):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = rng.choice(moves)
        words.append(number(rng, board, style, needed) + written(rng, board, move))
        needed = False
        board.push(move)
        if depth and rng.random() < 0.3:
            words.append(variation(rng, board, style, depth - 1))
        if rng.random() < 0.3:
            words.append(rng.choice(COMMENTS[:6]))
    if rng.random() < 0.2:
        words.append("--")
    text = " ".join(words)
    return f"({text})" if rng.random() < 0.7 else f"( {text} )"


def match_text(rng: Random) -> str:
    """A match of random moves as a text."""
    style = rng.choice(["usual", "usual", "glued", "bare", "none"])
    plain = rng.random() < 0.3
    tagged = style in ("none", "bare") or rng.random() < 0.8
    board, words, needed = chess.Board(), [], False
    if tagged and rng.random() < 0.3 and not plain:
        words.append(rng.choice(COMMENTS))
    for _ in range(rng.randrange(1, 40)):
        moves = [move for move in board.legal_moves if not ends(board, move)]
        if not moves:
            break
        move = rng.choice(moves)
        words.append(number(rng, board, style, needed) + written(rng, board, move))
        needed = False
        board.push(move)
        if not plain:
            for choices, share in ((SIGNS, 0.1), (COMMENTS, 0.15)):
                if rng.random() < share:
                    words.append(rng.choice(choices))
                    needed = rng.random() < 0.7
            while rng.random() < 0.1:
                words.append(variation(rng, board, style, 2))
                needed = True
    words.append(rng.choice(RESULTS))
    text = words[0]
    for word in words[1:]:
        text += (rng.choice([" "] * 6 + ["\n"]) if not text.endswith("\n") else "") + word
    headers = rng.sample(HEADERS, rng.randrange(1, 7)) if tagged else []
    return "\n".join(
        [*(['[Event "a"]'] if tagged else []), *headers, *([""] if tagged else []), text.strip(), ""]
    )


def ends(board, move) -> bool:
    """Whether a move ends the match; arena's openings must leave one to be played."""
    after = board.copy(stack=False)
    after.push(move)
    return after.is_game_over()


def text_of(seed: int) -> bytes:
    rng = Random(seed)
    count = rng.choice([1, 1, 2, 3])
    text = rng.choice(["\n", "\n\n"]).join(match_text(rng) for _ in range(count))
    text = rng.choice(["\n", "\r\n", "\r\n"]).join(text.split("\n"))
    if rng.random() < 0.3:
        return text.encode("latin-1", "replace")
    return text.encode(rng.choice(["utf-8", "utf-8-sig"]))


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(12), id="few"),
        *(pytest.param(range(n, n + MANY), id=f"{n}", marks=pytest.mark.slow) for n in range(12, 812, MANY)),
    ],
)
def test_random_matches_are_read_as_the_package_reads_them(game, tmp_path, seeds):
    for seed in seeds:
        data = text_of(seed)
        assert by_arena(tmp_path / "a.pgn", data, game) == by_package(data), (seed, data.decode("latin-1"))


# --- texts by hand ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_files_of_other_programs_are_read(game, tmp_path, file):
    data = file.read_bytes()
    assert by_arena(tmp_path / file.name, data, game) == by_package(data) != []


LICHESS = """\
[Event "Rated Blitz game"]
[Site "https://lichess.org/abcd1234"]
[Result "0-1"]
[WhiteElo "1639"]
[Opening "Italian Game"]

1. e4 { [%eval 0.17] [%clk 0:03:00] } 1... e5 { [%eval 0.19] [%clk 0:03:00] } 2. Nf3?! { Inaccuracy. Nc3 was \
best. } { [%eval -0.2] } (2. Nc3 Nf6 { comment (with) parentheses }) 2... Nc6 3. Bc4 Bc5 4. O-O 0-1

"""
CUTECHESS = """\
[Event "?"]
[White "a-20240101"]
[Result "*"]
[Termination "unterminated"]

1. d4 {book} d5 {book} 2. c4 {+0.31/12 1.2s} e6 {-0.10/11 0.98s} 3. Nc3 {+M12/30 0.2s} 3... Nf6
4. Bg5 {+0.5/10 0s, Draw by adjudication} *
"""
CHESSBASE = """\
[Event "Köln"]
[Site "?"]
[Annotator "Müller,K"]

{[#]} 1. e4 $1 {[%mdl 64] RR} c5 $6 2. Nf3 $146 (2. Nc3 Nc6 (2... e6 3. f4 $10) 3. g3 $13) 2... d6
3. d4 cxd4 $11 4. Nxd4 Nf6 {Diagramm [#] } 5. Nc3 a6 $14 1/2-1/2
"""
CHESS_COM = """\
[Event "Live Chess"]
[Site "Chess.com"]
[Link "https://www.chess.com/game/live/1"]

1. e4 {[%clk 0:09:58.3]} 1... d5 {[%clk 0:09:59]} 2. exd5 {[%clk 0:09:57]} 2... Qxd5 {[%clk 0:09:58]} 1-0
"""
TWIC = """\
[Event "TWIC"]\r
[WhiteTeam "A "B" C"]\r
[EventDate "2024.01.01"]\r
\r
1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6 5.O-O Be7 6.Re1 b5 7.Bb3 d6\r
8.c3 O-O 1/2-1/2\r
\r
\ufeff[Event "Next"]\r
\r
1.d4 Nf6 1-0\r
"""


@pytest.mark.parametrize(
    "text",
    [
        LICHESS,
        CUTECHESS,
        CHESSBASE,
        CHESS_COM,
        LICHESS + CUTECHESS + CHESSBASE,
        TWIC.replace("\ufeff", ""),
        "1. e4 e5 2. Nf3 *\n",
        "1. e4 e5 *\n\n1. d4 d5 *\n",
        "1.e4 e5\n\n1.d4 d5\n\n1.c4",
        '[Event "a"]\n\n1 . e4 1 . ... e5 2 . Nf3\n',
        '[Event "a"]\n\n1. e4 ( 1. d4 d5 ( 1... Nf6 2. c4 ) 2. c4 ) 1... e5 2. Nf3\n',
        '[Event "a"]\n\n1. e4 e5) 2. Nf3 (2. f4) Nc6\n',
        '[Event "a"]\n\n1. e4;King\'s pawn (\ne5;reply\n% 2. a4 a5\n2. Nf3 *\n',
        '[Event "a"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. 0-0 Nxe4 5. d3 Nf6 *\n',
        '[Event "a"]\n\n1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1-b5\n',
        '[Event "a"]\n\n1. e2e4 e7e5 2. g1f3 *\n',
        '[Event "a"]\n\n1. e4 d5 2. e4xd5 Qd8xd5 3. Nb1-c3 Qd5-a5\n',
        '[Event "a"]\n\n1. e4 a6 2. e5 d5 3. exd6e.p. cxd6 4. d4 *\n',
        '[Event "a"]\n\n1. e4!$1 e5?$2$146 2. Nf3!!$3 Nc6*\n',
        '[Event "a"]\n\n1. e4 (1. d4 -- 2. c4 --) 1... e5 2. Nf3 *\n',
        '[Event "a"]\n\n1. e4 e5 2. Nf3 Nc6 1/2\n\n[Event "b"]\n\n1. d4 ½-½\n\n[Event "c"]\n\n1. c4 *',
        '[Event "a"]\n[Event "b" ]\n\n\n1. e4\n',
        '[Event "no moves"]\n\n*\n\n[Event "b"]\n\n1. e4 *\n',
    ],
)
def test_exports_and_habits_are_read(game, tmp_path, text):
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        data = text.encode(encoding, "replace")
        assert by_arena(tmp_path / "a.pgn", data, game) == by_package(data) != []


def test_what_the_package_misreads_is_read_as_it_is_meant(game, tmp_path):
    """Captures by a colon, novelties at a move, matches without a line between, UTF-16."""
    for text, lines in (
        ('[Event "a"]\n\n1. e4 d5 2. e:d5 Q:d5 3. Nc3\n', ["e2e4 d7d5 e4d5 d8d5 b1c3"]),
        ("1. e4 e5N 2. Nf3 a6N *\n", ["e2e4 e7e5 g1f3 a7a6"]),
        ("1. e4 e5\n1. d4 d5\n1. c4\n", ["e2e4 e7e5", "d2d4 d7d5", "c2c4"]),
        ('[Event "a"]\n\n1. e4 e5\n[Event "b"]\n1. d4 *\n', ["e2e4 e7e5", "d2d4"]),
        ('[Event "a"] [Site "b"] 1. e4 e5 *\n', ["e2e4 e7e5"]),
        ('[Event "a"]\n\n1. e4 e5\n\n2. Nf3 Nc6\n', ["e2e4 e7e5 g1f3 b8c6"]),
        ("# mine\ne4 e5 Nf3\n1. d4 d5 *\n1 c4 e5! 2 g3\n", ["e2e4 e7e5 g1f3", "d2d4 d7d5", "c2c4 e7e5 g2g3"]),
    ):
        for encoding in ("utf-8", "utf-16"):
            found = by_arena(tmp_path / "a.pgn", text.encode(encoding), game)
            assert found == [line.split() for line in lines]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[Event "a"]\n\n1. e4 e5\n2. Nf4 Nc6\n', "a.pgn, line 3: correct ply 3, .* has no move 'Nf4' here"),
        ('[Event "a"]\n\n1. e4 -- 2. Nf3\n', "line 3: correct ply 2, .* has no move '--' here"),
        ('[Event "a"]\n\n1. e4 O-O 2. Nf3\n', "line 3: correct ply 2, .* has no move 'O-O' here"),
        ("e4 e5 foo\n", "line 1: correct ply 3, .* has no move 'foo' here"),
        ("e4 e5\ne4 Qz9\n", "line 2: correct ply 2, .* has no move 'Qz9' here"),
        ('[Event "a"]\n\n1. Nf3 a6 2. d3 b6 3. Nd2\n', "'Nd2' can be several moves here; name the square"),
        (
            '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e5 *\n',
            "line 3: correct ply 1, .* no move 'e5' here",
        ),
        (
            '[Event "a"]\n[FEN "nonsense"]\n\n1. e4 *\n',
            "line 2: correct the position, .*: 'nonsense' is not a position in",
        ),
    ],
)
def test_what_is_no_move_is_an_error_on_one_line(game, tmp_path, text, error):
    with pytest.raises(ArenaError, match=error) as raised:
        by_arena(tmp_path / "a.pgn", text.encode(), game)
    assert "\n" not in str(raised.value)
