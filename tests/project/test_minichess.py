"""The example of a game with several kinds of pieces: minichess, against rules written another way."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import arena
from arena import ArenaError, Rng
from arena.api.limits import Limits
from arena.compiler import is_compiled, with_compiled_rules
from arena.matches.match import play_match
from arena.plan.opening_book import Opening, read_book
from arena.show.board import coloured, plain, svg
from arena.testing import check_game
from arena.workers.worker import Watch
from books import moves_of
from paths import ROOT
from tiers import slow

MINICHESS = ROOT / "examples" / "arena-minichess"
# lines of so many plies, counted by Fairy-Stockfish, variant "gardner", by its package pyffish 0.0.90
PERFT = (7, 53, 506, 4775, 52512)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def minichess(monkeypatch):
    """The example's class, imported from its folder."""
    monkeypatch.syspath_prepend(MINICHESS)
    from arena_minichess import Minichess

    return Minichess


# --- the rules once more, on a dictionary of squares such as "a1" ---------------------------------------

STRAIGHT, DIAGONAL = [(0, 1), (0, -1), (1, 0), (-1, 0)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]
RAYS = {"R": STRAIGHT, "B": DIAGONAL, "Q": STRAIGHT + DIAGONAL}
LEAPS = {
    "N": [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)],
    "K": STRAIGHT + DIAGONAL,
}


def read(text):
    """Letters by square, and the letter of who is to move."""
    board, side = text.split()
    squares = {}
    for rank, row in zip("54321", board.split("/"), strict=True):
        files = iter("abcde")
        for letter in row:
            if letter.isdigit():
                for _ in range(int(letter)):
                    next(files)
            else:
                squares[next(files) + rank] = letter
    return squares, side


def beside(square, dx, dy):
    """The square so many files and ranks away, None off the board."""
    name = chr(ord(square[0]) + dx) + chr(ord(square[1]) + dy)
    return name if name[0] in "abcde" and name[1] in "12345" else None


def owner(letter):
    return "w" if letter.isupper() else "b"


def goes(squares, square):
    """Where a piece may go, be its king safe then or not."""
    letter = squares[square]
    kind, side = letter.upper(), owner(letter)

    def is_other(target):
        return target in squares and owner(squares[target]) != side

    if kind == "P":
        up = 1 if side == "w" else -1
        if beside(square, 0, up) not in squares:
            yield beside(square, 0, up)
        yield from (beside(square, dx, up) for dx in (-1, 1) if is_other(beside(square, dx, up)))
        return
    for dx, dy in RAYS.get(kind) or LEAPS[kind]:
        target = beside(square, dx, dy)
        while target:
            if target not in squares or is_other(target):
                yield target
            target = beside(target, dx, dy) if kind in RAYS and target not in squares else None


def checked(squares, side):
    """Whether somebody may take a side's king."""
    (king,) = (square for square, letter in squares.items() if letter == ("K" if side == "w" else "k"))
    return any(king in goes(squares, square) for square in squares if owner(squares[square]) != side)


def legal(squares, side):
    """The board after each legal move, by its text."""
    after = {}
    for square, letter in squares.items():
        for target in goes(squares, square) if owner(letter) == side else ():
            promotes = letter in "Pp" and target[1] in "15"
            for new in "qrbn" if promotes else [""]:
                piece = (new.upper() if side == "w" else new) or letter
                board = {s: x for s, x in squares.items() if s != square} | {target: piece}
                if not checked(board, side):
                    after[square + target + new] = board
    return after


def count(squares, side, plies):
    """How many lines of so many plies there are."""
    if plies == 0:
        return 1
    return sum(count(board, "bw"["wb".index(side)], plies - 1) for board in legal(squares, side).values())


def test_the_rules_written_another_way_give_the_counts_of_fairy_stockfish():
    assert [count(*read("rnbqk/ppppp/5/PPPPP/RNBQK w"), plies) for plies in (1, 2, 3)] == list(PERFT[:3])


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, *slow(False)])
def test_rules_are_those_of_a_board_of_squares(minichess, compiled):
    game = with_compiled_rules(minichess()) if compiled else minichess()
    assert is_compiled(game)
    ends = promotions = captures = 0
    for seed in range(12):
        rng, state = Rng(seed), game.initial()
        for _ in range(150):
            squares, side = read(game.position_text(state))
            assert "wb"[game.to_move(state)] == side
            after = legal(squares, side)
            moves = {game.move_text(move): move for move in game.moves(state)}
            assert sorted(moves) == sorted(after)
            if not moves:
                assert game.value(state) == -checked(squares, side)
                ends += 1
                break
            text = rng.choice(sorted(moves))
            promotions += len(text) == 5
            captures += text[2:4] in squares
            assert (game.irreversible(state, moves[text]) == 2) == (
                text[2:4] in squares or squares[text[:2]] in "Pp"
            )
            state = game.play(state, moves[text])
            assert read(game.position_text(state)) == (after[text], "bw"["wb".index(side)])
    assert min(ends, promotions, captures) > 0


def test_lines_of_play_are_as_many_as_those_of_fairy_stockfish(minichess):
    assert arena.perft(minichess, 4) == list(PERFT[:4])


@pytest.mark.slow
def test_lines_of_play_are_as_many_as_those_of_fairy_stockfish_further_on(minichess):
    assert arena.perft(minichess, 5) == list(PERFT)


@pytest.mark.parametrize(
    ("position", "value"),
    [
        # . . . . k    the rook gives check along the upper row, the queen guards the row below
        # Q . . . .
        ("R3k/Q4/5/5/4K b", -1),
        # k . . . .    not in check, and each of a4, b4 and b5 is the queen's
        # . . Q . .
        ("k4/2Q2/5/5/4K b", 0),
        # the king in the corner is shut in by its own pawn and rook, and the knight smothers it
        ("3rk/2Npp/5/5/4K b", -1),
    ],
)
def test_mate_loses_and_stalemate_draws(minichess, position, value):
    game = minichess()
    state = game.read_position(position)
    assert (game.moves(state), game.value(state)) == ([], value)


def test_a_pawn_becomes_what_it_likes_straight_on_or_by_taking(minichess):
    game = minichess()
    state = game.read_position("1n2k/P4/5/5/4K w")
    texts = [game.move_text(move) for move in game.moves(state)]
    pawn = [text for text in texts if text.startswith("a4")]
    assert pawn == ["a4a5q", "a4a5r", "a4a5b", "a4a5n", "a4b5q", "a4b5r", "a4b5b", "a4b5n"]
    after = game.play(state, game.read_move(state, "a4b5r"))
    assert game.position_text(after) == "1R2k/5/5/5/4K b"
    down = game.read_position("4k/5/5/1p3/4K b")
    assert [t for t in map(game.move_text, game.moves(down)) if t[:2] == "b2"] == [
        "b2b1q", "b2b1r", "b2b1b", "b2b1n",
    ]  # fmt: skip


def test_a_pinned_piece_stays_on_its_line_and_check_is_answered(minichess):
    game = minichess()
    pinned = game.read_position("k3r/5/4R/5/4K w")
    assert sorted(t for t in map(game.move_text, game.moves(pinned)) if t[:2] == "e3") == [
        "e3e2", "e3e4", "e3e5",
    ]  # fmt: skip
    # White's king on e1 is in check by the knight on d3, which the pawn on c2 may take
    checked = game.read_position("4k/5/3n1/2P2/4K w")
    assert sorted(map(game.move_text, game.moves(checked))) == ["c2d3", "e1d1", "e1d2", "e1e2"]


def test_evaluation_and_features_by_hand(minichess):
    """White is a knight up, which is in the centre, and has a pawn that has gone two rows."""
    game = minichess()
    for side, sign in (("w", 1), ("b", -1)):
        state = game.read_position(f"r3k/P1p2/1N3/5/1R2K {side}")
        assert list(game.features(state)) == [0, sign, 0, 0, 0, 2 * sign, sign]
        assert game.evaluate(state) == pytest.approx(sign * (3 + 0.3))


class Scripted:
    """Plays its part of a line."""

    def __init__(self, game, moves):
        self.game, self.left = game, iter(moves)

    def begin(self, seat):
        pass

    def choose(self, state, moves, rng):
        return self.game.read_move(state, next(self.left))


@pytest.mark.parametrize(
    ("line", "reason", "plies"),
    [
        # knights go out and back: the start is there at plies 0, 4 and 8
        ("b1a3 b5c3 a3b1 c3b5 " * 2, "repetition", 8),
        # it does not come again once a pawn has gone: what stands after ply 1 is there at 1, 5 and 9
        ("e2e3 b5a3 " + "b1c3 a3b5 c3b1 b5a3 " * 2, "repetition", 9),
    ],
)
def test_matches_are_drawn_by_repetition(minichess, line, reason, plies):
    game, moves = minichess(), line.split()
    agents = Scripted(game, moves[::2]), Scripted(game, moves[1::2])
    record = play_match(
        game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), Opening(), Limits(0, 0, 0), Watch()
    )
    assert (record.result, record.reason, record.plies) == (0, reason, plies)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4k/5/5/5 w", "is not 5 rows of 5 in FEN"),
        ("4k/5/5/5/4X w", "is not 5 rows of 5 in FEN"),
        ("4k/5/5/5/4K", "does not say who is to move"),
        ("4k/5/5/5/5 w", "a side has a king"),
        ("P3k/5/5/5/4K w", "no pawns on the last rows"),
        ("4k/5/QQQQQ/QQQQQ/4K b", "up to ten pieces"),
        ("R3k/5/5/5/4K w", "who is not to move is in check"),
    ],
)
def test_what_is_no_position_is_told_in_one_line(minichess, text, said):
    with pytest.raises(ArenaError) as told:
        minichess().read_position(text)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_positions_of_other_programs_are_read(minichess):
    game = minichess()
    assert game.read_position("rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1") == game.initial()


# --- notation ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "texts", "move"),
    [
        ("rnbqk/ppppp/5/PPPPP/RNBQK w", ["a3", "a2a3", "a2-a3", "A2A3", "a3!?"], "a2a3"),
        ("rnbqk/ppppp/5/PPPPP/RNBQK w", ["Nc3", "Nb1c3", "Nbc3", "N1c3", "Nc3+?"], "b1c3"),
        ("4k/P4/5/5/4K w", ["a5=Q", "a5Q", "a5q#", "a4a5q"], "a4a5q"),
        ("1r2k/P4/5/5/4K w", ["axb5=N", "a:b5N", "a4xb5=N"], "a4b5n"),
        ("4k/5/1p3/P1P2/4K w", ["axb3", "a2xb3", "a2b3"], "a2b3"),
    ],
)
def test_moves_are_read_as_in_chess(minichess, position, texts, move):
    game = minichess()
    state = game.read_position(position)
    for text in texts:
        assert game.move_text(game.read_move(state, text)) == move


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Nd2", "'Nd2' can be several moves here: (b1d2, b3d2|b3d2, b1d2)$"),
        ("d2", "has no move 'd2'"),
        ("Bd2", "has no move 'Bd2'"),
        ("e1d2d3", "has no move 'e1d2d3'"),
    ],
)
def test_what_is_not_one_move_of_chess_is_refused(minichess, text, error):
    game = minichess()
    with pytest.raises(ArenaError, match=error):
        game.read_move(game.read_position("4k/5/1N3/5/1N2K w"), text)


def test_a_record_of_minichess_is_read(minichess, tmp_path):
    text = '[Event "a"]\n\n1. b3 cxb3 {+0.3/12} 2. axb3!? (2. Nxb3) 2... Nc3+ 3. dxc3 dxc3 *\n'
    (tmp_path / "a.pgn").write_text(text)
    game = minichess()
    (line,) = moves_of(read_book(str(tmp_path / "a.pgn")), game, 100)
    assert [*map(game.move_text, line)] == ["b2b3", "c4b3", "a2b3", "b5c3", "d2c3", "d4c3"]


@pytest.mark.slow
def test_it_keeps_its_promises(minichess):
    check_game(minichess())


# --- drawn ------------------------------------------------------------------------------------------------

DRAWN = "r3k/1p3/2N2/P4/4K w"


def test_pieces_are_drawn_with_their_letters_and_whites_light(minichess):
    game = minichess()
    root = ElementTree.fromstring(svg(game, game.read_position(DRAWN)))
    drawn = [e for e in root.iter(f"{SVG}g") if e.get("class") == "piece"]
    seen = {e.find(f"{SVG}text").text: e.find(f"{SVG}circle").get("fill") for e in drawn}
    light, dark = "#ffffff", "#222222"
    assert seen == {"r": dark, "k": dark, "p": dark, "N": light, "P": light, "K": light}
    assert not list(root.iter(f"{SVG}path"))  # no crown


def test_a_terminal_shows_the_same_letters(minichess):
    game = minichess()
    state = game.read_position(DRAWN)
    lines = coloured(game, state, width=80).plain.splitlines()
    assert [line.split() for line in lines] == [
        ["r", "b5", "c5", "d5", "k"],
        ["a4", "p", "c4", "d4", "e4"],
        ["a3", "b3", "N", "d3", "e3"],
        ["P", "b2", "c2", "d2", "e2"],
        ["a1", "b1", "c1", "d1", "K"],
    ]
    assert plain(game, state).splitlines() == [  # from the other side
        "K . . . .",
        ". . . . P",
        ". . N . .",
        ". . . p .",
        "k . . . r",
    ]


# --- notation ---------------------------------------------------------------------------------------------

TAGS = {
    "event": "e", "date": "2026.01.31", "round": "1", "first": "a", "second": "b", "result": "1-0",
    "termination": "rules",
}  # fmt: skip


def test_a_match_is_exported_as_pgn(minichess):
    """A line by hand, with captures by pawns and by a knight."""
    text = minichess().match_text(TAGS, ["b2b3", "a4b3", "c2b3", "c4c3", "b1c3"])
    assert '[White "a"]\n[Black "b"]\n[Result "1-0"]\n[Variant "Gardner"]\n' in text
    assert text.endswith("\n\n1. b3 axb3 2. cxb3 c3 3. Nxc3 1-0\n")


@pytest.mark.parametrize(
    ("position", "move", "san"),
    [
        ("4k/5/5/5/R2RK w", "a1b1", "Rab1"),
        ("4k/R4/5/R4/4K w", "a4a3", "R4a3"),
        ("k4/5/N3N/5/N3K w", "a1c2", "N1c2"),
        ("k4/5/N3N/5/N3K w", "a3c2", "Na3c2"),
        ("k4/5/N3N/5/N3K w", "e3c2", "Nec2"),
        ("1nk2/P4/5/5/4K w", "a4b5n", "axb5=N"),
        ("1nk2/P4/5/5/4K w", "a4a5q", "a5=Q"),
        ("k4/4Q/1K3/5/5 w", "e4e5", "Qe5#"),
        ("2k2/5/5/5/R3K w", "a1a5", "Ra5+"),
    ],
)
def test_moves_are_written_in_san(minichess, position, move, san):
    game = minichess()
    state = game.read_position(position)
    assert game.san(state, game.read_move(state, move)) == san
    assert game.move_text(game.read_move(state, san)) == move
