"""Books of positions for the example's chess: EPD, FEN and PGN."""

from __future__ import annotations

import io

import pytest

from arena.errors import ArenaError
from arena.plan.opening_book import Opening, openings_in, read_book
from chess_example import needs_chess


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
