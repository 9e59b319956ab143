"""PDN is read as the package pydraughts reads it, and as other programs of draughts write it."""

from __future__ import annotations

import json
import re

import pytest

from arena.errors import ArenaError
from arena.plan.opening_book import read_book
from arena_games.checkers.game_4x4 import Checkers4x4
from arena_games.checkers.game_8x8 import Checkers
from books import moves_of
from paths import ROOT
from pdn import by_package, text_of

DATA = ROOT / "tests" / "data"
GAME = Checkers(repetition=0, quiet_plies=0)


def read(tmp_path, text: str, game=GAME) -> list[str]:
    """The lines that arena reads."""
    path = tmp_path / "a.pdn"
    path.write_text(text, encoding="utf-8")
    return [" ".join(map(game.move_text, line)) for line in moves_of(read_book(str(path)), game, 1000)]


def squares(line: str) -> list[list[int]]:
    return [[int(square) for square in re.findall(r"\d+", move)] for move in line.split()]


def test_recorded_texts_are_read_as_the_package_reads_them(tmp_path):
    for text, lines in json.loads((DATA / "pdn.json").read_text(encoding="utf-8")):
        assert [squares(line) for line in read(tmp_path, text)] == lines, text


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 500, 100))
def test_random_matches_are_read_as_the_package_reads_them(tmp_path, first):
    pytest.importorskip("draughts")
    for seed in range(first, first + 100):
        text = text_of(seed)
        assert [squares(line) for line in read(tmp_path, text)] == by_package(text), (seed, text)


FIRST = "11-15 22-18 15x22 25x18"


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("coloncap.pdn", f"{FIRST} 8-11"),
        ("dots.pdn", FIRST),
        ("zeros.pdn", f"{FIRST} 8-11 29-25 4-8"),
        ("ranked.pdn", f"{FIRST} 8-11"),  # as pydraughts writes a match
    ],
)
def test_files_of_other_programs_are_read(file, line):
    (found,) = moves_of(read_book(str(DATA / "notation" / file)), GAME, 1000)
    assert " ".join(map(GAME.move_text, found)) == line


OCA = """\
[Event "Match, game 1"]
[Date "1847-??-??"]
[Black "Anderson, A."]
[White "Wyllie, J."]
[Site "Edinburgh, Scotland"]
[Result "1/2-1/2"]
1. 11-15 24-20 2. 8-11 28-24 3. 9-13 22-18 4. 15-22 25-18 5. 4-8 26-22
6. 10-14 18-9 7. 5-14 22-18 1/2-1/2
"""
LIDRAUGHTS = """\
[Event "Casual Blitz game"]
[Site "https://lidraughts.org/abcd1234"]
[Result "2-0"]
[GameType "21"]
[FEN "B:W21-32:B1-12:H0:F1"]

1. 11-15 { [%clock w0:03:00 B0:02:58] } 22-18 2. 15x22 $5 { [%clock w0:02:59 B0:02:58] } 25x18 2-0
"""
CHECKERBOARD = """\
[Event "Engine match"]
[Black "Cake"]
[White "KingsRow"]
[Result "*"]
1. 12-16 24-20 {0.02, depth 21/40/27} 2. 8-12 {book} 28-24 3. 9-14
22-18 (22-17 9-13 (6-9 17-13)) 4. 16-19!! 23x16 5. 14x23 26x19 *
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (OCA, ["11-15 24-20 8-11 28-24 9-13 22-18 15x22 25x18 4-8 26-22 10-14 18x9 5x14 22-18"]),
        (LIDRAUGHTS, [FIRST]),
        (CHECKERBOARD, ["12-16 24-20 8-12 28-24 9-14 22-18 16-19 23x16 14x23 26x19"]),
        (OCA + LIDRAUGHTS, None),
        ("1. 11-15 22-18 2. 15:22 25:18 *\n\n1. 9-13 *", [FIRST, "9-13"]),
        (
            '[Event "a"]\n\n1. 11 - 15 22 - 18 2. 15 x 22 *25-18 0-0\n\n[Event "b"]\n\n1.9-13 1-1',
            [FIRST, "9-13"],
        ),
        (f"{FIRST}\n09-13 # a pawn\n1. 10-14!? *\n", [FIRST, "9-13", "10-14"]),
    ],
)
def test_habits_are_read(tmp_path, text, lines):
    assert read(tmp_path, text) == (lines or [*read(tmp_path, OCA), FIRST])


@pytest.mark.parametrize(
    ("position", "texts", "move"),
    [
        ("B:W6,15:B1", ["1x19", "1:19", "1-19", "01x10x19", "1x10x19", "1X10X19"], "1x10x19"),
        ("B:W6,7,15,16:B1,2", ["1x10x19", "2x11x20"], None),
        ("W:W22:B18,11", ["22x15x8", "22x8", "22:8"], "22x15x8"),
    ],
)
def test_a_capture_is_its_squares_whatever_stands_between(position, texts, move):
    state = GAME.read_position(position)
    for text in texts:
        assert GAME.move_text(GAME.read_move(state, text)) == (move or text)


def test_a_short_form_of_several_captures_lists_them():
    state = GAME.read_position("B:W6,7,14,15:B2")
    for text in ("2x18", "2:18", "2-18"):
        with pytest.raises(
            ArenaError, match=rf"'{text}' can be played in 2 ways: (2x9x18, 2x11x18|2x11x18, 2x9x18)$"
        ):
            GAME.read_move(state, text)
    assert GAME.move_text(GAME.read_move(state, "2x11x18")) == "2x11x18"


@pytest.mark.parametrize("text", ["11-16", "11x15", "7x6", "07:06", "7-6"])
def test_checkers_of_four_by_four_are_read_alike(text):
    game = Checkers4x4()
    if text.startswith("11"):
        with pytest.raises(ArenaError, match="has no move '11"):
            game.read_move(game.initial(), text)
    else:
        assert game.move_text(game.read_move(game.initial(), text)) == "7-6"


def test_records_of_four_by_four_are_read(tmp_path):
    text = '[FEN "B:W2,1:B7-8"]\n\n1. 07-06! 2-3 (1-3) *\n'
    assert read(tmp_path, text, Checkers4x4()) == ["7-6 2-3"]
    game = Checkers4x4()
    state = game.read_position("B:W3,2:B6,8")
    assert {game.move_text(game.read_move(state, text)) for text in ("6x1", "6:1", "06-01")} == {"6x1"}


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("B:W21-32:B1-12", "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"),
        ("B:B12-1,:W21", None),
        ("W:WK1-3,5:BK30,K31-32.", "W:WK1,K2,K3,5:BK30,K31,K32"),
        ("W : W K1-K3, 5 : B K30", "W:WK1,K2,K3,5:BK30"),
        ("w:wk1,5:bk30:H3:F12", "W:WK1,5:BK30"),
        ("B:W21:B1-33", None),
        ("B:W21:B3-1", "B:W21:B1,2,3"),
        ("B:W1-999999999999:B2", None),
    ],
)
def test_positions_may_have_ranges_of_squares(text, same):
    if same:
        assert GAME.read_position(text) == GAME.read_position(same)
    else:
        with pytest.raises(ArenaError):
            GAME.read_position(text)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            '[Event "a"]\n\n1. 11-15 22-18\n2. 8-11 *',
            "a.pdn, line 3: correct ply 3, .* has no move '8-11' here",
        ),
        (f"11-15 {'2' * 5000}-18", "line 1: correct ply 2, .* has no move '2+…' here"),
        ("11-15 22-18 foo", "line 1: correct ply 3, .* has no move 'foo' here"),
        (
            '[Event "a"]\n[FEN "B:W21-32:B1-10"]\n\n1. 11-15 *',
            "line 4: correct ply 1, .* no move '11-15' here",
        ),
        (
            '[Event "a"]\n[FEN "nonsense"]\n\n1. 11-15 *',
            "line 2: correct the position, .*: 'nonsense' is not a position",
        ),
        ('[Event "a"]\n\n*\n', "has no moves"),
    ],
)
def test_what_cannot_be_played_is_an_error_on_one_line(tmp_path, text, error):
    with pytest.raises(ArenaError, match=error) as raised:
        read(tmp_path, text)
    assert "\n" not in str(raised.value)
