"""English draughts against published counts and an independent generator's moves."""

from __future__ import annotations

import json

import pytest

from arena.analysis.perft import perft
from arena.errors import ArenaError
from arena.testing import check_game
from arena_games.checkers.game_8x8 import Checkers, step
from paths import DATA

GAME = Checkers()
GAME.name = "checkers"
REFERENCE = json.loads((DATA / "checkers_moves.json").read_text())


def cells_of(move):
    """A move as the reference data writes it."""
    path, captured, start = move >> 42, (move >> 10) & 0xFFFFFFFF, (move >> 5) & 31
    if not captured:
        return (start, move & 31)
    at, jumps = 1 << start, []
    for i in range(captured.bit_count()):
        over = step(at, (path >> 2 * i) & 3)
        at = step(over, (path >> 2 * i) & 3)
        jumps.append((over.bit_length() - 1, at.bit_length() - 1))
    return (start, tuple(jumps))


def state_of(text):
    pieces = {"b": 0, "w": 0}
    kings = 0
    for cell, letter in enumerate(text[2:]):
        if letter != "x":
            pieces[letter.lower()] |= 1 << cell
            kings |= letter.isupper() << cell
    black, white = pieces["b"], pieces["w"]
    return (black, white, kings, 0) if text[0] == "b" else (white, black, kings, 1)


@pytest.mark.slow
def test_it_keeps_the_promises_of_a_game():
    check_game(GAME)


def test_perft():
    # published counts of lines of play, 1 to 8 plies; captures by different paths are different moves
    counts = [7, 49, 302, 1469, 7361, 36768, 179740, 845931]
    assert list(perft(GAME, GAME.initial(), 8)) == counts


def test_moves_are_those_of_an_independent_generator():
    for case in REFERENCE:
        ours = [cells_of(move) for move in GAME.moves(state_of(case["state"]))]
        theirs = [
            (start, tuple(map(tuple, rest)) if isinstance(rest, list) else rest)
            for start, rest in case["rules_moves"]
        ]
        assert len(set(ours)) == len(ours)
        assert set(ours) == set(theirs), case["state"]


def test_positions_are_told_as_fen():
    assert GAME.position_text(GAME.initial()).startswith("B:W21,22,")
    for case in REFERENCE:
        state = state_of(case["state"])
        assert GAME.read_position(GAME.position_text(state)) == state
    assert GAME.read_position("W:WK1:B5") == GAME.read_position("w:b5:wk1.")


def test_a_board_is_drawn():
    drawn = """
  -   -   -   -
-   -   -   -
  -   -   -   -
-   -   -   -
  -   -   B   -
-   w   -   -
  -   -   -   -
-   -   -   b
"""
    state = GAME.read_position("B:W11:B1,K14")
    assert GAME.board_text(state) == drawn.strip("\n")


def test_the_grid_is_the_board():
    for case in REFERENCE:
        state = state_of(case["state"])
        rows = [line.ljust(15) for line in GAME.board_text(state).splitlines()]
        for cell, (x, y) in enumerate(GAME.cells):
            assert rows[y][2 * x] == "-bwBW"[GAME.piece(state, cell)]


def shape_of(text, move):
    state = GAME.read_position(text)
    found = GAME.read_move(state, move)
    squares = move.replace("x", "-").split("-")
    assert GAME.anchor(state, found) == int(squares[0]) - 1
    return GAME.shape(state, found)


def test_moves_have_one_shape_if_path_and_captured_kinds_are_the_same():
    alike = [
        [("B:W32:B1", "1-6"), ("B:W32:B14", "14-18"), ("B:W32:BK14", "14-18"), ("W:WK14:B1", "14-18")],
        [("B:W32:B1", "1-5"), ("B:W32:BK9", "9-13")],
        [("B:W6,15:B1", "1x10x19"), ("B:W7,16:BK2", "2x11x20")],  # whoever moves, and wherever
        [("B:W6,K15:B1", "1x10x19")],  # what is captured counts
        [("B:WK6,15:B1", "1x10x19")],  # and when
        [("B:W6,14:B1", "1x10x17")],
        [("B:W6:B1", "1x10")],
        [("B:WK6:B1", "1x10"), ("B:WK7:BK2", "2x11")],
        [("W:WK1:B6", "1x10")],  # a black man, not a white one
    ]
    shapes = [{shape_of(*move) for move in moves} for moves in alike]
    assert all(len(found) == 1 for found in shapes)
    assert len(set.union(*shapes)) == len(alike)


def moves_of(text):
    return sorted(map(GAME.move_text, GAME.moves(GAME.read_position(text))))


@pytest.mark.parametrize(
    ("position", "moves"),
    [
        ("B:W32:B1", ["1-5", "1-6"]),
        ("B:W6,15:B1", ["1x10x19"]),  # a chain is completed
        ("B:W6,18:B1", ["1x10"]),  # captures are mandatory, and this one ends there
        ("W:W32:B27,18,19", ["32x23x14", "32x23x16"]),  # free choice among captures
        ("W:W11:B7,6", ["11x2"]),  # a man that is crowned stops
        ("W:WK11:B7,6", ["11x2x9"]),  # a king goes on
        ("B:W6,7,14,15:BK1", ["1x10x17", "1x10x19", "1x10x3"]),  # three ways on
        ("B:W9,10,17,18:BK6", ["6x13x22x15x6", "6x15x22x13x6"]),  # past the cell it came from
    ],
)
def test_captures_drawn_by_hand(position, moves):
    assert moves_of(position) == moves


def test_a_capture_may_be_read_without_where_it_lands_between():
    state = GAME.read_position("B:W6,15:B1")
    assert GAME.read_move(state, "1x19") == GAME.read_move(state, "1x10x19")
    state = GAME.read_position("B:W9,10,17,18:BK6")
    with pytest.raises(ArenaError, match="'6x6' can be played in 2 ways: 6x15x22x13x6, 6x13x22x15x6"):
        GAME.read_move(state, "6x6")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("X:W1:B2", "not a position"),
        ("B:W33:B1", "square 33"),
        ("B:W0:B1", "square 0"),
        ("B:W5:B5", "two pieces on square 5"),
        ("B:B1:B2", "pieces of B twice"),
        ("B:W4:B9", "a man on square 4, where it would be a king"),
        ("B:W9:B29", "a man on square 29"),
    ],
)
def test_bad_positions_are_told(text, named):
    with pytest.raises(ArenaError, match=named):
        GAME.read_position(text)


def test_whoever_cannot_move_loses_unless_only_capturing_everything_wins():
    stuck = "B:W5,6,9,10:B1"
    published = Checkers(capture_to_win=True)
    for game, value in ((GAME, -1), (published, 0)):
        state = game.read_position(stuck)
        assert game.moves(state) == []
        assert game.value(state) == value
        assert game.value(game.read_position("B:W5:B")) == -1
