"""Lines of moves as people type and record them, of any game."""

from __future__ import annotations

import re

import pytest

import arena
from arena import ArenaError, Game
from arena.commands.play.start import start_of
from arena.plan.opening_book import read_book
from arena_games.connect_four import ConnectFour
from books import moves_of
from commands import ended, inside


class Turns(Game):
    """Twelve turns, of which a player skips every third: `L3`, `R4`, or `pass`."""

    name = "turns"

    def initial(self):
        return ()

    def moves(self, state):
        if len(state) == 12:
            return []
        return ["pass"] if len(state) % 3 == 2 else [f"L{len(state)}", f"R{len(state)}"]

    def play(self, state, move):
        return (*state, move)

    def to_move(self, state):
        return len(state) % 2

    def value(self, state):
        return 0


class Glued(Turns):
    """The same, written without blanks."""

    def split_moves(self, text):
        return re.findall("[LR][0-9]+|pass", text, re.IGNORECASE)


MOVES = ["L0", "R1", "pass", "L3", "R4", "pass", "L6"]


def line(game, text):
    return start_of(game, None, text).moves


@pytest.mark.parametrize(
    "text",
    [
        "L0 R1 pass L3 R4 pass L6",
        "l0 r1 PASS L3 r4 pass l6",
        "L0 R1 L3 R4 L6",
        "1. L0 R1 2. pass L3 3. R4 pass 4. L6",
        "1. L0 R1 2. ... L3 3. R4 4... L6",
    ],
)
def test_a_line_has_its_moves_in_any_case_with_numbers_and_without_forced_passes(text):
    assert line(Turns(), text) == MOVES
    assert Turns().read_position(text) == tuple(MOVES)


@pytest.mark.parametrize(
    "text",
    ["L0R1passL3R4passL6", "l0r1l3r4l6", "1.L0R1 2.L3 !? R4!? ± L6 *", "L0 R1 L3 R4 L6", "L0R1! 3 L3R4L6"],
)
def test_a_game_of_any_plugin_says_how_lines_are_split(text):
    assert line(Glued(), text) == MOVES


@pytest.mark.parametrize("game", [Turns(), Glued()])
def test_records_of_any_game_are_read(tmp_path, game):
    record = (
        '[Event "a"]\n\n1. L0!? (R0 {no}) R1$3 ± 2. L3 {;} 2... R4 = L6?? 1-0\n\n[Event "b"]\n\nR0 L1 L3 *\n'
    )
    (tmp_path / "a.txt").write_text(record)
    book = moves_of(read_book(str(tmp_path / "a.txt")), game, 100)
    assert book == (tuple(MOVES), ("R0", "L1", "pass", "L3"))
    book = moves_of(read_book(str(tmp_path / "a.txt"), 4), game, 100)
    assert book == (tuple(MOVES[:4]), ("R0", "L1", "pass", "L3"))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("L0 L2", "move 2: turns has no move 'L2' here"),
        ("L0 R1 L4", "move 3: turns has no move 'L4' here"),
        ("L0 R1 L3 x", "move 4: turns has no move 'x' here"),
        ("L0 xR1 L3", "move 2: turns has no move 'xR1' here"),
        ("L0 pass", "move 2: turns has no move 'pass' here"),
    ],
)
@pytest.mark.parametrize("game", [Turns(), Glued()])
def test_what_is_no_move_is_named(game, text, error):
    with pytest.raises(ArenaError, match=error):
        line(game, text)


class OneCase(Turns):
    """Where case tells moves apart."""

    def moves(self, state):
        return ["a", "A", "B"]


def test_case_tells_moves_apart_where_the_game_says_so():
    game = OneCase()
    assert [game.read_move((), text) for text in ("a", "A", "B", "b")] == ["a", "A", "B", "B"]


@pytest.mark.parametrize("text", ['[A "a"]\n\n1. L0 {}. R1', '[A "a"]\n\n{}. L0 R1', "L0 {}. R1 {}"])
def test_numbers_may_have_more_digits_than_python_reads(tmp_path, text):
    (tmp_path / "a.txt").write_text(text.replace("{}", "1" * 5000))
    assert moves_of(read_book(str(tmp_path / "a.txt"), 2), Turns(), 100) == (("L0", "R1"),)


def test_games_that_pass_for_ever_are_not_waited_for():
    class Passing(Turns):
        def moves(self, state):
            return ["pass"]

    with pytest.raises(ArenaError, match="has no move 'L0'"):
        line(Passing(), "L0")


# --- connect four, whose lines are digits ---------------------------------------------------------------


@pytest.mark.parametrize("text", ["44443", "4 4 4 4 3", "44 443", "1. 4 4 2. 4 4 3. 3", "1.4 4 2.44 3.3"])
def test_digits_are_columns(text):
    assert line(ConnectFour(), text) == [3, 3, 3, 3, 2]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("4448", "move 4: .* has no move '8' here"),
        ("44x4", "move 1: .* has no move '44x4' here"),
        ("4444444", "move 7: .* has no move '4' here"),
        ("12121213", "move 8 is '3': .* is over after the previous move"),
    ],
)
def test_digits_that_are_no_moves_are_refused(text, error):
    with pytest.raises(ArenaError, match=error):
        line(ConnectFour(), text)


# positions as Pascal Pons's solver of connect four takes them
PONS = """\
2252576253462244111563365343671351441
7422341735647741166133573473242566
23163416124767223154467471272416755633
"""


def test_a_book_of_digits_is_read(tmp_path):
    (tmp_path / "c.txt").write_text(PONS)
    book = moves_of(read_book(str(tmp_path / "c.txt")), ConnectFour(), 42)
    assert ["".join(str(move + 1) for move in line) for line in book] == PONS.split()
    book = moves_of(read_book(str(tmp_path / "c.txt"), 4), ConnectFour(), 42)
    assert ["".join(str(move + 1) for move in line) for line in book] == ["2252", "7422", "2316"]


PLAIN = {"ARENA_COMPILED": "0"}


def test_an_export_of_arena_is_a_book(tmp_path):
    how = ("--game", "connect-four", "--seed", "1", "--db", "a.db", "--executor", "serial")
    inside(tmp_path, "tournament", "--entry", "random", "--entry", "greedy", "--rounds", "2", *how, **PLAIN)
    export = inside(tmp_path, "tournaments", "export", "1", "--notation", "--db", "a.db", **PLAIN).stdout
    (tmp_path / "c.txt").write_text(export)
    book = moves_of(read_book(str(tmp_path / "c.txt"), 4), ConnectFour(), 42)
    assert ["".join(str(move + 1) for move in line) for line in book] == list(
        dict.fromkeys(line[:4] for line in export.split())
    )


@pytest.mark.slow
def test_all_that_takes_moves_takes_digits(tmp_path):
    blanks = " ".join("44443")
    for call in (
        lambda moves: arena.position("connect-four", moves=moves),
        lambda moves: arena.perft("connect-four", 2, moves=moves),
        lambda moves: arena.explain("greedy", game="connect-four", moves=moves),
        lambda moves: arena.play("greedy", game="connect-four", start=moves).states,
    ):
        assert str(call("44443")) == str(call("4444 3")) == str(call(blanks))
    whole = PONS.split()[0]
    solved = [str(arena.solve("connect-four", moves=moves)) for moves in (whole, " ".join(whole))]
    assert solved[0] == solved[1]
    said = inside(tmp_path, "position", "connect-four", "--moves", "44443").stdout
    assert said == inside(tmp_path, "position", "connect-four", "44443").stdout
    refused = ended(tmp_path, "position", "connect-four", "--moves", "4449")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
