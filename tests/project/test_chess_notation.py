"""Moves, positions, boards and matches of the example's chess as texts: UCI, SAN, FEN and PGN."""

from __future__ import annotations

import io
import json
import re

import pytest

from arena import Rng
from arena.errors import ArenaError
from arena_agents.engines.uci import START
from chess_example import BLACK_BEGINS, ROOKS, after, needs_chess, played


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
