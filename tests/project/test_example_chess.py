"""An example of a game plugin: chess, against published counts and the laws of chess, and by UCI."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from importlib.util import find_spec

import pytest

from arena import Rng
from arena.analysis.perft import perft
from arena.api.limits import Limits
from arena.errors import ArenaError
from arena.matches.match import play_match
from arena.plan.opening_book import Opening, openings_in, read_book
from arena.registry.plugins import registry
from arena.testing import check_game
from arena.workers.worker import Watch
from arena_agents.engines.uci import START, UCI
from commands import arena
from paths import ROOT
from records import rows

CHESS = ROOT / "examples" / "arena-chess"
ENGINE = f"{sys.executable} {ROOT / 'tests' / 'helpers' / 'uci_engine.py'}"

needs_chess = pytest.mark.skipif(not find_spec("chess"), reason="the package chess is not installed")
needs_programs = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="programs can play only on Linux and macOS"
)


@pytest.fixture
def chess(monkeypatch):
    """The example's class, imported from its folder."""
    monkeypatch.syspath_prepend(CHESS)
    from arena_chess import Chess

    return Chess


@pytest.fixture
def offered(plugin):
    """The environment in which `arena` offers it."""
    return plugin(arena_chess=(CHESS / "arena_chess.py").read_text(encoding="utf-8"))


class Scripted:
    """Plays these moves."""

    def __init__(self, game, moves):
        self.game, self.moves = game, iter(moves)

    def begin(self, seat):
        pass

    def choose(self, state, moves, rng):
        return self.game.read_move(state, next(self.moves))


def match(game, first, second):
    agents = first, second
    return play_match(
        game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), Opening(), Limits(0, 0, 0), Watch()
    )


def played(game, line):
    """The record of a match by script."""
    moves = line.split()
    return match(game, Scripted(game, moves[::2]), Scripted(game, moves[1::2]))


def after(game, line):
    """The position after moves from the start."""
    state = game.initial()
    for text in line.split():
        state = game.play(state, game.read_move(state, text))
    return state


# --- the rules --------------------------------------------------------------------------------------------

BLACK_BEGINS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1"


@needs_chess
@pytest.mark.parametrize("options", [{}, {"chess960": 0}, {"start": BLACK_BEGINS}], ids=str)
def test_it_keeps_the_promises_of_a_game(chess, options):
    check_game(chess(**options), matches=3, positions=60)


@needs_chess
@pytest.mark.slow
def test_it_keeps_them_in_many_positions(chess):
    check_game(chess)


def test_it_is_no_part_of_arena_which_does_without_the_package():
    """The package is under a licence of its own."""
    assert "chess" not in registry().offers["game"]
    for source in [*(ROOT / "arena").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")]:
        assert not re.search(r"^\s*(import|from) chess\b", source.read_text(encoding="utf-8"), re.MULTILINE)


COUNTS = [  # of the Chess Programming Wiki, Perft Results: from 1 ply on
    (START, [20, 400, 8902, 197281, 4865609]),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        [48, 2039, 97862, 4085603],
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812, 43238, 674624]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9467, 422333]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1486, 62379, 2103487]),
]


@needs_chess
@pytest.mark.parametrize(("position", "counts"), COUNTS)
def test_lines_of_play_are_as_many_as_published(chess, position, counts):
    game = chess()
    depth = 4 if position == START else 3
    assert list(perft(game, game.read_position(position), depth)) == counts[:depth]


@needs_chess
@pytest.mark.parametrize(("position", "counts"), COUNTS)
@pytest.mark.slow
def test_a_ply_further_they_are_as_many_as_published(chess, position, counts):
    game = chess()
    assert list(perft(game, game.read_position(position), len(counts))) == counts


@needs_chess
@pytest.mark.parametrize(
    ("position", "counts"),
    [  # of the Chess Programming Wiki, Chess960 Perft Results, the first two
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", [21, 528, 12189]),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", [21, 807, 18002]),
    ],
)
def test_so_are_those_of_chess960(chess, position, counts):
    game = chess(chess960=518)
    assert list(perft(game, game.read_position(position), 3)) == counts


@needs_chess
def test_arena_counts_them(tmp_path, offered):
    said = arena(tmp_path, "perft", "chess", "3", "--position", COUNTS[1][0], **offered).stdout
    assert said == "1 48\n2 2039\n3 97862\n"


@needs_chess
@pytest.mark.parametrize(
    ("position", "value"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", -1),  # the fool's mate
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0),  # stalemate
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", 0),  # dead positions (Laws of Chess, 5.2.2): kings alone,
        ("8/8/4k3/8/8/4K3/8/7B w - - 0 1", 0),  # one with a bishop,
        ("8/8/4k3/8/8/4K3/8/7N b - - 0 1", 0),  # or a knight,
        ("b7/8/4k3/8/8/4K3/8/7B w - - 0 1", 0),  # bishops on squares of one colour
    ],
)
def test_a_game_that_is_over_has_no_moves(chess, position, value):
    game = chess()
    state = game.read_position(position)
    assert (game.moves(state), game.value(state)) == ([], value)


@needs_chess
@pytest.mark.parametrize("position", ["b7/8/4k3/8/8/4K3/8/6B1 w - - 0 1", "8/8/4k3/8/8/4K3/8/6NN w - - 0 1"])
def test_a_position_in_which_mate_can_be_had_is_played_on(chess, position):
    """Bishops on squares of both colours, two knights: by help of the other."""
    assert chess().moves(chess().read_position(position))


ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


@needs_chess
@pytest.mark.parametrize(
    ("start", "line", "plies"),
    [
        ("", "g1f3 g8f6 f3g1 f6g8", 8),
        (ROOKS, "a1b1 a8b8 b1a1 b8a8", 10),  # not 8: at the start both might castle on that side
        ("4k3/8/8/8/7p/8/P7/4K3 w - - 0 1", "a2a4 e8d8 e1d1 d8e8 d1e1", 9),
        ("4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1", "a2a4 e8d8 e1d1 d8e8 d1e1", 10),  # once Black could take it
    ],
)
def test_the_third_time_that_a_position_is_there_draws(chess, start, line, plies):
    """Counted by hand. The same position has the same moves (Laws of Chess, 9.2.3)."""
    first, *rest = line.split() if start.startswith("4k3") else ["", *line.split()]
    record = played(chess(start=start), " ".join([first, *rest * 3]))
    assert (record.result, record.reason, record.plies) == (0, "repetition", plies)


@needs_chess
@pytest.mark.parametrize(
    ("line", "shuffle", "plies"),
    [
        ("a1b1 a8b8", "b1a1 e8d8 a1b1 d8e8", 6),
        ("a1b1 h7h6", "b1a1 e8d8 a1b1 d8e8", 8),  # a pawn moved on ply 2
        ("a1a8 e8e7", "e1d1 e7d7 d1e1 d7e7", 7),  # a rook was taken on ply 1
    ],
)
def test_so_many_plies_without_a_capture_or_a_pawns_move_draw(chess, line, shuffle, plies):
    game = chess(start="r3k3/7p/8/8/8/8/7P/R3K3 w - - 0 1", quiet_plies=6, repetition=0)
    record = played(game, f"{line} {shuffle} {shuffle}")
    assert (record.result, record.reason, record.plies) == (0, "no capture", plies)


@needs_chess
def test_fifty_moves_draw(chess):
    game = chess(start="r3k3/8/8/8/8/8/8/R3K3 w - - 0 1", repetition=0)
    record = played(game, "a1b1 a8b8 b1a1 b8a8 " * 30)
    assert (record.reason, record.plies) == ("no capture", 100)


@needs_chess
def test_a_mate_on_the_last_of_them_wins(chess):
    """Laws of Chess, 9.6.2."""
    record = played(chess(start="7k/8/6K1/8/8/8/8/R7 w - - 0 1", quiet_plies=1), "a1a8")
    assert (record.result, record.reason) == (1, "rules")


@needs_chess
def test_results_are_those_that_the_package_finds(tmp_path, offered):
    """Of matches at random, which the package plays again with a board of its own."""
    args = ("--matches", "12", "--seed", "5", "--record", "--db", "arena.db")
    arena(tmp_path, "match", "random", "random", "--game", "chess", *args, **offered)
    assert replayed(tmp_path / "arena.db") >= {"rules", "repetition", "no capture"}


def replayed(database):
    """Holds recorded matches against the package; the reasons for which they ended."""
    import chess

    reasons = set()
    for record in rows(database)["matches"]:
        result, reason, moves = record[4], record[5], record[9].split()
        board = chess.Board()
        for move in moves:
            assert not over(board)
            board.push(board.parse_uci(move))
        assert over(board) == {"rules": "over", "no capture": "fifty"}.get(reason, reason)
        winner = board.outcome().winner if board.is_game_over() else None
        assert result == {None: 0, chess.WHITE: 1, chess.BLACK: -1}[winner]
        reasons.add(reason)
    return reasons


def over(board):
    """Why a game is over."""
    if board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material():
        return "over"
    if board.is_repetition(3):
        return "repetition"
    return "fifty" if board.halfmove_clock >= 100 else ""


# --- notation ---------------------------------------------------------------------------------------------


@needs_chess
@pytest.mark.parametrize(
    ("position", "san", "uci"),
    [
        (START, "Nf3", "g1f3"),
        (START, "e4", "e2e4"),
        (START, "e2e4", "e2e4"),
        (ROOKS, "O-O", "e1g1"),
        (ROOKS, "0-0-0", "e1c1"),
        (ROOKS, "Rxa8+", "a1a8"),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=N", "a7a8n"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", "e5d6"),
    ],
)
def test_moves_are_read_as_uci_and_as_san(chess, position, san, uci):
    game = chess()
    assert game.read_move(game.read_position(position), san) == uci


@needs_chess
@pytest.mark.parametrize("text", ["e2e5", "Nd4", "--", "0000", "", "O-O", "e4 e5"])
def test_what_is_no_move_is_refused(chess, text):
    game = chess()
    with pytest.raises(ArenaError, match=r"^Chess has no move "):
        game.read_move(game.initial(), text)


@needs_chess
def test_the_grid_says_what_stands_where_and_how_moves_lie(chess):
    """Worked by hand; a capture en passant takes a pawn, and castling takes nothing."""
    game = chess()
    start = game.initial()
    drawn = ["".join(game.piece_text(p) if p else "." for p in row) for row in rows_of(game, start)]
    assert drawn == ["rnbqkbnr", "pppppppp", *["........"] * 4, "PPPPPPPP", "RNBQKBNR"]
    assert game.cell_text(game.anchor(start, "g1f3")) == "g1"
    assert game.shape(start, "g1f3") == (-1, -2, 1, -1, 0)
    passing = game.read_position("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 1")
    assert game.shape(passing, "e5f6") == (1, -1, 0, 0, 0)
    castling = game.read_position("r3k2r/P7/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert game.shape(castling, "e1g1") == (2, 0, 5, -1, 0)
    assert game.shape(castling, "h1h8") == (0, -7, 3, 3, 0)
    black = chess(start=BLACK_BEGINS)
    letters = "".join(
        black.piece_text(p) if p else "." for row in rows_of(black, black.initial()) for p in row
    )
    assert letters == "".join(
        "." * int(c) if c.isdigit() else c for c in BLACK_BEGINS.split()[0].replace("/", "")
    )


def rows_of(game, state):
    return [[game.piece(state, 8 * y + x) for x in range(8)] for y in range(8)]


@needs_chess
def test_moves_that_are_images_of_each_other_have_shapes_that_are(chess):
    """A board with left and right exchanged, by the package: its moves' shapes are those of the image."""
    import chess as package

    game, rng = chess(), Rng(4)
    state = game.read_position("4k3/p4p2/2n5/3qp3/2B2P2/1N6/P3PP2/3QK3 w - - 0 1")
    for _ in range(12):
        mirrored = package.Board(game.position_text(state)).transform(package.flip_horizontal)
        other = game.read_position(mirrored.fen())
        shapes = sorted(game.shape_image(game.shape(state, move), 1) for move in game.moves(state))
        assert shapes == sorted(game.shape(other, move) for move in game.moves(other))
        state = game.play(state, rng.choice(game.moves(state)))


@needs_chess
def test_positions_are_in_fen(chess):
    """As FEN's definition has them, but for the counters; a square to capture on is named if one can."""
    game = chess()
    assert game.position_text(game.initial()) == START
    line = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert game.position_text(after(game, "e4")) == line
    passing = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 1"
    assert game.position_text(after(game, "e4 d5 e5 f5")) == passing
    assert game.read_position(passing) == after(game, "e4 d5 e5 f5")
    counted = game.read_position(START.replace("0 1", "37 61"))
    assert counted == game.initial()


@needs_chess
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("nonsense", "is not a position in FEN: "),
        ("", "is not a position in FEN: "),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "is not a position of chess: no white king, no black king, empty$"),
        ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "is not a position of chess: bad castling rights$"),
        ("4k3/8/8/8/8/8/8/4K2R b - - 0 x", "is not a position in FEN: "),
        ("4k2R/8/8/8/8/8/8/4K3 w - - 0 1", "is not a position of chess: opposite check$"),
    ],
)
def test_what_is_no_position_is_refused(chess, text, fault):
    with pytest.raises(ArenaError, match=fault):
        chess().read_position(text)
    if text:
        with pytest.raises(ArenaError, match=fault):
            chess(start=text)


@needs_chess
def test_a_match_may_begin_anywhere(chess):
    """Whoever moves first is player 0, here Black, who mates."""
    game = chess(start="rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2")
    assert game.sides == ("black", "white")
    assert game.to_move(game.initial()) == 0
    record = played(game, "d8h4")
    assert (record.result, record.reason) == (1, "rules")


@needs_chess
def test_a_board_is_drawn(chess):
    drawn = """\
8 r n b q k b n r
7 p p p p p p p p
6 . . . . . . . .
5 . . . . . . . .
4 . . . . P . . .
3 . . . . . . . .
2 P P P P . P P P
1 R N B Q K B N R
  a b c d e f g h"""
    assert chess().board_text(after(chess(), "e4")) == drawn


@needs_chess
@pytest.mark.parametrize(
    ("number", "pieces"),
    [(518, "RNBQKBNR"), (0, "BBQNNRKR"), (959, "RKRNNQBB")],  # of Scharnagl's table
)
def test_chess960_begins_where_its_number_says(chess, number, pieces):
    game = chess(chess960=number)
    assert game.board_text(game.initial()).splitlines()[7] == " ".join(["1", *pieces])


@needs_chess
@pytest.mark.parametrize(("move", "rank"), [("e1g1", "1R3RK1"), ("e1b1", "2KR2R1"), ("O-O-O", "2KR2R1")])
def test_in_chess960_the_king_takes_its_rook_to_castle(chess, move, rank):
    game = chess(chess960=518, start="4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1")
    assert game.position_text(after(game, move)).split()[0].endswith(f"/{rank}")


TAGS = {
    "event": "e", "date": "2026.01.31", "round": "1", "first": 'a "b" \\ c', "second": "Ωμέγα",
    "result": "0-1", "termination": "rules",
}  # fmt: skip
BEGINNINGS = [
    {},
    {"start": BLACK_BEGINS},
    {"start": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"},
    {"chess960": 0},
    {"chess960": 518},
    {"chess960": 518, "start": "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1"},
]
SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 80))]


@needs_chess
@pytest.mark.parametrize("options", BEGINNINGS, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_package_reads_what_is_exported(chess, options, seed):
    """Matches at random in PGN: tags, the first position, moves, result, what engines said."""
    game, rng = chess(**options), Rng(seed)
    state, moves = game.initial(), []
    while (legal := game.moves(state)) and len(moves) < 60:
        moves.append(rng.choice(legal))
        state = game.play(state, moves[-1])
    said = [{"ply": ply, "seat": 1 - ply % 2, "score": 35, "depth": 7, "clock": 61.5} for ply in (1, 2)]
    text = game.match_text({**TAGS, "usage": json.dumps(said), "time_control": "60+0.6"}, moves)
    read = read_pgn(text)
    black_begins = game.sides == ("black", "white")
    players = [TAGS["second"], TAGS["first"]] if black_begins else [TAGS["first"], TAGS["second"]]
    unescaped = [re.sub(r"\\(.)", r"\1", read.headers[side]) for side in ("White", "Black")]
    raw = [read.headers[side] for side in ("White", "Black")]
    assert players in (raw, unescaped)
    assert (read.headers["Result"], read.headers["TimeControl"]) == (("0-1", "1-0")[black_begins], "60+0.6")
    assert ("FEN" in read.headers) == bool(options)
    assert read.board().fen() == game.position_text(game.initial())
    assert [move.uci() for move in read.mainline_moves()] == moves
    assert read.end().board().board_fen() == game.position_text(state).split()[0]
    first, second = list(read.mainline())[:2]
    assert (first.eval_depth(), first.clock()) == (7, 61.5)
    assert [node.eval().pov(not node.turn()).score() for node in (first, second)] == [35, 35]


def read_pgn(text):
    """The one match that the package reads in a text."""
    import io

    import chess.pgn

    file = io.StringIO(text)
    read = chess.pgn.read_game(file)
    assert not read.errors
    assert chess.pgn.read_game(file) is None
    return read


@needs_chess
def test_a_match_in_pgn_is_in_san(chess):
    """The opera game up to castling (Morphy 1858), from published PGN."""
    sans = (
        "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 "
        "10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O"
    )
    game = chess()
    state, moves = game.initial(), []
    for san in re.sub(r"\d+\.", "", sans).split():
        moves.append(game.read_move(state, san))
        state = game.play(state, moves[-1])
    body = game.match_text(TAGS, moves).split("\n\n")[1]
    assert " ".join(body.split()) == f"{sans} 0-1"


# --- search -----------------------------------------------------------------------------------------------


@needs_chess
def test_a_position_is_worth_as_much_to_the_other_side(chess):
    """Turned over, with colours exchanged, and with the other to move."""
    import chess as package

    game = chess()
    assert game.evaluate(game.initial()) == 0
    for position, _ in COUNTS:
        board = package.Board(position)
        there, turned = (game.read_position(text) for text in (board.fen(), board.mirror().fen()))
        assert game.evaluate(there) == game.evaluate(turned)
        board.turn = not board.turn
        if board.is_valid():
            assert game.evaluate(game.read_position(board.fen())) == -game.evaluate(there)


@needs_chess
@pytest.mark.parametrize(("piece", "worth"), [("q", 9), ("r", 5), ("b", 3), ("n", 3), ("p", 1)])
def test_a_piece_is_worth_what_shannon_says(chess, piece, worth):
    """In pawns, within half a pawn for the place that it leaves."""
    game = chess()
    without = game.read_position(START.replace(piece, "1", 1).replace("KQkq", "KQ"))
    assert game.evaluate(without) == pytest.approx(100 * worth, abs=50)


@needs_chess
@pytest.mark.parametrize("entry", ["alpha-beta:depth=3,wins=soonest", "minimax:depth=3,wins=soonest"])
def test_a_search_finds_a_mate_in_two(chess, entry):
    """By Paul Morphy: 1. Ra6."""
    game = chess(start="kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
    agent = registry().spec("agent", entry).make(game)
    assert agent.choose(game.initial(), game.moves(game.initial()), Rng(0)) == "a1a6"


# --- engines ----------------------------------------------------------------------------------------------


@needs_chess
@needs_programs
@pytest.mark.parametrize(
    ("options", "start", "line", "answers"),
    [
        ({}, "7k/8/6K1/8/8/8/8/R7 w - - 0 1", "", "a1a8"),
        ({}, "5k2/8/8/8/8/4R1R1/8/4K2R w K - 0 1", "", "e1g1"),  # mate by castling
        ({}, "8/P6k/8/8/8/8/8/K7 w - - 0 1", "h7g7", "a7a8q a8"),
        ({}, "r3k2r/8/8/8/8/8/8/K7 w kq - 0 1", "e8g8 g8", "a1"),
        ({}, "4k3/2p5/8/1P6/8/8/8/4K3 w - - 0 1", "c7c5", "e1 b5c6"),  # en passant
        ({"chess960": 518}, "5k2/8/8/8/8/4R1R1/8/4K2R w K - 0 1", "", "e1h1"),
    ],
)
def test_an_engine_plays_chess(chess, options, start, line, answers):
    """It finds the mate, castles, promotes, takes in passing; and understands castling, which it checks."""
    game = chess(start=start, **options)
    engine = UCI(game, command=ENGINE, depth=2)
    engine.begin(0)
    state, replies = game.initial(), iter(line.split())
    for answer in answers.split():
        move = engine.choose(state, game.moves(state), Rng(0))
        assert move.startswith(answer)
        state = game.play(state, move)
        if (reply := next(replies, None)) and game.moves(state):
            state = game.play(state, next(move for move in game.moves(state) if move.startswith(reply)))


@needs_chess
@needs_programs
def test_an_engine_is_told_moves_and_positions_of_chess(chess, tmp_path):
    """As UCI has them: castling by the king's move, promotion by a letter."""
    start = "r3k2r/6P1/8/8/8/8/8/1K6 b kq - 0 1"
    game = chess(start=start)
    engine = UCI(game, command=f"{ENGINE} {tmp_path}/told", depth=1, setoption=("strength=1",))
    record = match(game, Scripted(game, ["e8c8", "c8b7", "b7a6"]), engine)
    assert record.moves.startswith("e8c8 g7h8q c8b7 h8d8 b7a6")
    told = (tmp_path / "told").read_text().splitlines()
    assert "setoption name Strength value 1" in told
    said = [line for line in told if line.startswith("position")]
    assert said[0] == f"position fen {start} moves e8c8"
    assert said[1] == f"position fen {start} moves e8c8 g7h8q c8b7"


@needs_chess
@needs_programs
@pytest.mark.parametrize(("options", "castled"), [({}, "e1g1"), ({"chess960": 518}, "e1h1")], ids=str)
def test_an_engine_is_told_the_moves_of_a_book(chess, tmp_path, options, castled):
    """The Ruy Lopez up to castling: from the start of chess, which UCI calls startpos."""
    game = chess(**options)
    state, book = game.initial(), []
    for san in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O"]:
        book.append(game.read_move(state, san))
        state = game.play(state, book[-1])
    engine = UCI(game, command=f"{ENGINE} {tmp_path}/told", depth=1)
    agents = Scripted(game, []), engine
    play_match(
        game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), Opening(tuple(book)), Limits(10, 0, 0), Watch()
    )
    told = (tmp_path / "told").read_text().splitlines()
    moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6"
    assert f"position startpos moves {moves} {castled}" in told
    assert ("setoption name UCI_Chess960 value true" in told) == bool(options)


@needs_chess
@needs_programs
@pytest.mark.skipif(not shutil.which("stockfish"), reason="stockfish is not installed")
@pytest.mark.slow
def test_stockfish_castles_in_chess960(tmp_path, offered):
    entries = [f"uci:command=stockfish,nodes={nodes}" for nodes in (300, 200)]
    args = ("--matches", "4", "--seed", "1", "--max-plies", "60", "--json", "--record", "--db", "arena.db")
    said = arena(tmp_path, "match", *entries, "--game", "chess:chess960=518", *args, **offered)
    assert sum(row["forfeits"] for row in json.loads(said.stdout)["pairings"]) == 0
    castled = [row for row in rows(tmp_path / "arena.db")["matches"] if re.search(r"\be1[ah]1\b", row[9])]
    assert castled


@needs_chess
@needs_programs
def test_an_engine_at_two_strengths_plays_a_rated_match_of_chess(tmp_path, offered):
    weaker, stronger = (f"uci:command={ENGINE},nodes=400,setoption=Strength={plies}" for plies in (1, 3))
    rated(tmp_path, offered, weaker, stronger, matches=8)


def rated(folder, offered, weaker, stronger, matches):
    """Has two entries play a rated match, and looks at what comes of it."""
    entries = [registry().spec("agent", entry).text for entry in (stronger, weaker)]
    words = [word for entry in entries for word in ("--entry", entry)]
    # shared, since openings of a pairing's own are drawn by its entries' names, which have the folder in them
    openings = ("--openings", "random:4", "--shared-openings")
    args = ("--rounds", str(matches // 2), "--seed", "1", *openings, "--json")
    arena(folder, "tournament", "--game", "chess", *words, *args, "--db", "arena.db", **offered)
    board = json.loads(arena(folder, "leaderboard", "--json", "--db", "arena.db", **offered).stdout)
    assert sum(row["forfeits"] for row in board) == 0
    assert [row["matches"] for row in board] == [matches] * 2
    assert [row["entry"] for row in board] == entries
    assert board[0]["rating"] > board[1]["rating"]
    replayed(folder / "arena.db")


@needs_chess
@needs_programs
@pytest.mark.skipif(not shutil.which("stockfish"), reason="stockfish is not installed")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("Skill Level=0", "Skill Level=20"),
        ("UCI_LimitStrength=true,UCI_Elo=1350", "UCI_LimitStrength=true,UCI_Elo=2850"),
    ],
)
def test_stockfish_at_two_strengths_plays_a_rated_match_of_chess(tmp_path, offered, weaker, stronger):
    entries = (f"uci:command=stockfish,nodes=2000,setoption=({way})" for way in (weaker, stronger))
    rated(tmp_path, offered, *entries, matches=20)


# --- installed --------------------------------------------------------------------------------------------


@needs_chess
@pytest.mark.slow
def test_the_example_game_installs_is_checked_plays_elsewhere_and_uninstalls(installed):
    installed.run("python", "-m", "pip", "install", "--quiet", str(CHESS))
    (said,) = installed.told("games", "chess")
    assert (said["distribution"], said["capabilities"]) == ("arena-chess", ["evaluation"])
    assert installed.run("arena", "perft", "chess", "3").stdout == "1 20\n2 400\n3 8902\n"
    installed.run("arena", "check", "chess")
    entries = ("--entry", "greedy", "--entry", "random")
    installed.run("arena", "tournament", "--game", "chess", *entries, "--rounds", "3", "--seed", "7")
    board = installed.told("leaderboard")
    assert [row["entry"] for row in board] == ["greedy", "random"]

    installed.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "arena-chess")
    assert "chess" not in [game["name"] for game in installed.told("games")]
    assert installed.told("leaderboard") == board
    refused = installed.run("arena", "match", "greedy", "random", "--game", "chess", status=1)
    assert refused.stderr.startswith("Error: no game called 'chess'")
    assert len(refused.stderr.splitlines()) == 1


# --- positions of books -----------------------------------------------------------------------------------


def epd_lines(count, seed):
    """Lines of EPD and FEN with operations of all kinds, written by the package, and its board of each."""
    import random

    import chess

    draw = random.Random(seed)
    found = []
    while len(found) < count:
        board = chess.Board()
        for _ in range(draw.randrange(120)):
            moves = [*board.legal_moves]
            if not moves:
                break
            board.push(draw.choice(moves))
        if board.is_game_over(claim_draw=False) or board.halfmove_clock >= 100:
            continue
        operations = {
            "bm": draw.sample([*board.legal_moves], 1),
            "id": 'a "quoted"; hmvc 7; # no comment',
            "c0": draw.choice(["fmvn 3;", "\\", "é", ""]),
            "acn": 3,
            "hmvc": board.halfmove_clock,
            "fmvn": board.fullmove_number,
        }
        names = draw.sample([*operations], draw.randrange(len(operations) + 1))
        line = draw.choice(
            [board.fen(), board.epd(**{name: operations[name] for name in names}), board.epd()]
        )
        oracle = chess.Board()
        oracle.set_fen(line) if line == board.fen() else oracle.set_epd(line)
        found.append((line, oracle))
    return found


@needs_chess
@pytest.mark.parametrize("count", [30, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_epd_and_fen_are_read_as_the_package_reads_them(chess, tmp_path, count, encoding):
    lines = epd_lines(count, seed=count)
    book = tmp_path / "book.epd"
    book.write_text("# a comment\n\n" + "\n".join(line for line, _ in lines), encoding)
    game = chess()
    found = openings_in(read_book(str(book)), game, 1000)
    expected = {}
    for _, board in lines:
        board.fullmove_number, number = 1, board.fullmove_number
        key = board.fen()
        board.fullmove_number = number
        expected.setdefault(key, board.fen())
    assert [opening.start for opening in found] == [*expected.values()]
    for opening in found:
        clock = int(opening.start.split()[4])
        assert game.quiet_in(opening.start) == clock
        assert game.position_text(game.read_position(opening.start)).split()[:4] == opening.start.split()[:4]


@needs_chess
@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("8/8/8/8/8/8/8/8 w - -", "not a position of chess: "),
        ("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc x;", "is not a position in FEN"),
        ("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc;", "is not a position in FEN"),
        ("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR x KQkq -", "is not a position in FEN"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", "the match is over in this position"),
        ("4k3/8/8/8/8/8/8/4K2R w - - hmvc 100;", "the match is drawn by no capture in"),
    ],
)
def test_lines_that_are_no_position_are_refused_by_file_and_line(chess, tmp_path, line, error):
    book = tmp_path / "book.epd"
    book.write_text(f"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n{line}\n")
    with pytest.raises(ArenaError, match=f"book.epd, line 2: .*{error}"):
        openings_in(read_book(str(book)), chess(), 1000)


@needs_chess
def test_white_is_the_first_player_and_fifty_moves_are_counted_from_the_position(chess):
    game = chess()
    start = "4k3/8/8/8/8/8/8/4K2R b - - 96 80"
    agents = Scripted(game, ["h1h2", "h2h1"]), Scripted(game, ["e8e7", "e7e8"])
    record = play_match(
        game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), Opening((), start), Limits(0, 0, 0), Watch()
    )
    assert (record.moves, record.reason) == ("e8e7 h1h2 e7e8 h2h1", "no capture")


@needs_chess
@needs_programs
@pytest.mark.parametrize("seat", [0, 1])
def test_an_engine_is_told_the_position_with_its_counts_and_the_moves_since(chess, tmp_path, seat):
    game = chess()
    start = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
    engine = UCI(game, command=f"{ENGINE} {tmp_path}/told", depth=1)
    agents = [Scripted(game, ["a7a6", "a6a5"] if seat == 0 else ["e1g1"])] * 2
    agents[seat] = engine
    opening = Opening(("f8c5",), start)
    play_match(game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), opening, Limits(3, 0, 0), Watch())
    told = (tmp_path / "told").read_text().splitlines()
    said = [line for line in told if line.startswith("position")]
    assert said[0] == f"position fen {start} moves f8c5" + (" e1g1" if seat else "")


@needs_chess
def test_pgn_of_a_match_from_a_position_is_read_by_the_package_and_as_a_book(chess, tmp_path):
    from chess import pgn

    game, start, moves = chess(), "4k3/8/8/8/8/8/8/4K2R b - - 96 80", ["e8e7", "h1h2", "e7e6"]
    tags = dict.fromkeys(("event", "date", "round"), "?") | {"first": "a", "second": "b", "result": "0-1"}
    text = game.match_text({**tags, "termination": "rules", "start": start}, moves)
    found = pgn.read_game(io.StringIO(text))
    assert (found.errors, found.headers["FEN"], found.headers["SetUp"]) == ([], start, "1")
    assert (found.headers["White"], found.headers["Result"]) == ("a", "0-1")
    assert [move.uci() for move in found.mainline_moves()] == moves
    assert "80... Ke7 81. Rh2 Ke6 0-1" in text
    (tmp_path / "games.pgn").write_text(text)
    (opening,) = openings_in(read_book(str(tmp_path / "games.pgn")), game, 1000)
    assert opening == Opening(tuple(moves), start)
