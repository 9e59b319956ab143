"""Positions drawn: the pieces of a drawing are those of the position, each in its place."""

from __future__ import annotations

import random
import re
from xml.etree import ElementTree

import pytest

from arena import Game
from arena.registry.plugins import registry
from arena.show.board import coloured, plain, svg
from commands import arena

GAMES = [registry().spec("game", name).make() for name in registry().offers["game"]]
SVG = "{http://www.w3.org/2000/svg}"


def game_called(name):
    return registry().spec("game", name).make()


def random_positions(game):
    rng = random.Random(3)
    for _ in range(3):
        state = game.initial()
        yield state
        for _ in range(120):
            if not (moves := game.moves(state)):
                break
            state = game.play(state, rng.choice(moves))
            yield state


def elements(drawing, kind):
    """The elements of a class in a drawing."""
    return [e for e in ElementTree.fromstring(drawing).iter() if e.get("class") == kind]


def pieces(drawing):
    """Column, row, whether it is dark and whether it is crowned, of each piece drawn; sorted."""
    found = []
    for e in elements(drawing, "piece"):
        x, y = map(float, re.findall(r"[\d.]+", e.get("transform")))
        dark = e.find(f"{SVG}circle").get("fill") == "#222222"
        found.append((int(x // 48), int(y // 48), dark, e.find(f"{SVG}path") is not None))
    return sorted(found)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_game_draws_every_position_as_one_accessible_image(game):
    for state in random_positions(game):
        root = ElementTree.fromstring(svg(game, state))
        assert (root.tag, root.get("role")) == (f"{SVG}svg", "img")
        assert root[0].tag == f"{SVG}title"
        assert game.position_text(state) in root[0].text
        assert not list(root.iter(f"{SVG}script"))
        assert svg(game, state) == svg(game, state)


OURS = [
    game for game in GAMES if type(game).__module__.startswith("arena_games.")
]  # no plugin's, installed too


@pytest.mark.parametrize("game", [g for g in OURS if "grid" in g.capabilities], ids=str)
def test_a_drawing_has_a_piece_wherever_the_board_has_a_letter(game):
    for state in random_positions(game):
        drawn = {}
        for y, line in enumerate(game.board_text(state).splitlines()):
            drawn |= {(x, y): letter for x, letter in enumerate(line[::2]) if letter.isalpha()}
        assert [(x, y) for x, y, *_ in pieces(svg(game, state))] == sorted(drawn)
        assert len(elements(svg(game, state), "cell")) == len(game.cells)


def test_men_and_kings_of_both_players_differ():
    game = game_called("checkers")
    drawing = svg(game, game.read_position("B:W21,K10:B1,K32"))
    # a dark man on 1, a light king on 10, a light man on 21, a dark king on 32, counted from the top left
    assert pieces(drawing) == sorted(
        [(6, 7, True, False), (4, 5, False, True), (7, 2, False, False), (1, 0, True, True)]
    )
    assert {e.text for e in elements(drawing, "name")} == {str(square) for square in range(1, 33)}


def test_sides_called_by_a_letter_have_it_on_their_coins():
    game = game_called("connect-four")
    drawing = svg(game, game.read_position("4435"))
    letters = [e.find(f"{SVG}text").text for e in elements(drawing, "piece")]
    assert sorted(letters) == ["O", "O", "X", "X"]
    assert [e.text for e in elements(drawing, "name")] == list("1234567")


def test_what_has_changed_is_framed():
    game = game_called("checkers-4x4")
    before = game.read_position("B:W1,6:B7,8")
    after = game.play(before, game.read_move(before, "7x4"))
    frames = elements(svg(game, after, before), "changed")
    # squares 4, 6 and 7 as column and row
    assert {(float(e.get("x")) // 48, float(e.get("y")) // 48) for e in frames} == {(3, 1), (2, 2), (1, 3)}
    assert not elements(svg(game, after), "changed")


class Heaps(Game):
    """A game without a grid, whose names and board are not fit for XML as they stand."""

    sides = ("Jack & Jill", "<b>")

    def initial(self):
        return 3

    def moves(self, state):
        return [1] if state else []

    def play(self, state, move):
        return state - 1

    def to_move(self, state):
        return (3 - state) % 2

    def value(self, state):
        return -1

    def board_text(self, state):
        return "< heap >\n  " + "o " * state


def test_a_game_without_a_grid_is_drawn_in_letters():
    root = ElementTree.fromstring(svg(Heaps(), 3))
    lines = [e.text for e in root.iter(f"{SVG}text")]
    assert lines == ["< heap >", "  o o o ", None, "Jack & Jill to move"]
    assert "<b> has won" not in root[0].text
    assert "Jack & Jill has won" in ElementTree.fromstring(svg(Heaps(), 0))[0].text


class Written(Game):
    """Three cells in a row, on two of which a piece stands, and each has something written on it."""

    cells = ((0, 0), (1, 0), (2, 0))
    dark = 1

    def initial(self):
        return (1, 0, 2)

    def moves(self, state):
        return []

    def to_move(self, state):
        return 0

    def value(self, state):
        return 0

    def piece(self, state, cell):
        return state[cell]

    def anchor(self, state, move):
        return 0

    def shape(self, state, move):
        return 0

    def piece_text(self, piece):
        return ("<", "歩")[piece - 1]


def test_what_the_game_writes_on_its_pieces_is_drawn_there():
    drawing = svg(Written(), (1, 0, 2))
    texts = [e.find(f"{SVG}text").text for e in elements(drawing, "piece")]
    assert texts == ["<", "歩"]
    assert [dark for _, _, dark, _ in pieces(drawing)] == [False, True]  # player 0's piece is light


# In a terminal


def test_a_letter_that_is_two_columns_wide_takes_the_room_of_two():
    # in a cell of four columns, and of two
    assert coloured(Written(), (1, 0, 2)).plain == " <   2   歩 "
    assert coloured(Written(), (1, 0, 2), width=6).plain == "< 2 歩"
    assert plain(Written(), (1, 0, 2)) == "歩 .  <"


def test_colours_show_the_pieces_and_what_empty_cells_are_called():
    game = game_called("checkers-4x4")
    board = coloured(game, game.read_position("W:W2,K7:BK4,5"))
    assert [line.split() for line in board.plain.splitlines()] == [
        ["1", "r"],
        ["3", "B"],
        ["b", "6"],
        ["R", "8"],
    ]
    men = {
        str(span.style) for span in board.spans if board.plain[span.start : span.end].strip() in ("r", "b")
    }
    assert len(men) == 2


def test_a_board_can_be_seen_from_the_other_side():
    game = game_called("checkers-4x4")
    state = game.read_position("W:W2,K7:BK4,5")
    turned = [line.split() for line in coloured(game, state, turned=True).plain.splitlines()]
    assert turned == [["8", "R"], ["6", "b"], ["B", "3"], ["r", "1"]]
    # its cells are every other one; kings in capitals
    assert [line.split() for line in plain(game, state).splitlines()] == [
        [".", "R"],
        [".", "b"],
        ["B", "."],
        ["r", "."],
    ]


@pytest.mark.parametrize(("width", "cell"), [(32, 4), (24, 3), (8, 1)])
def test_cells_get_narrower_where_there_is_less_room(width, cell):
    game = game_called("checkers")
    lines = coloured(game, game.initial(), width=width).plain.splitlines()
    assert {len(line) for line in lines} == {8 * cell}
    assert sum(line.count("b") for line in lines) == sum(line.count("w") for line in lines) == 12


def test_a_board_without_room_ends_in_a_mark():
    game = game_called("checkers")
    lines = coloured(game, game.initial(), width=5).plain.splitlines()
    assert [line[-1] for line in lines] == ["…"] * 8


def test_position_is_coloured_in_a_terminal_alone(tmp_path):
    def shown(**env):
        return arena(tmp_path, "position", "tic-tac-toe", "X.O......", TERM="xterm-256color", **env).stdout

    assert "\x1b[" in shown(FORCE_COLOR="1")
    assert "\x1b[" not in shown(FORCE_COLOR="1", NO_COLOR="1")
    assert shown() == "X . O\n. . .\n. . .\nX.O......: X to move: 2 4 5 6 7 8 9\n"


# --svg


def test_position_writes_a_drawing(tmp_path):
    game = game_called("tic-tac-toe")
    drawing = svg(game, game.read_position("X.O......"))
    assert arena(tmp_path, "position", "tic-tac-toe", "X.O......", "--svg", "p.svg").stdout == ""
    assert (tmp_path / "p.svg").read_text() == drawing
    assert arena(tmp_path, "position", "tic-tac-toe", "--svg", "-", input="X.O......\n").stdout == drawing
    start = arena(tmp_path, "position", "tic-tac-toe", "--svg", "-").stdout
    assert start == svg(game, game.initial())


@pytest.mark.parametrize(
    ("args", "lines", "said", "status"),
    [
        (["--svg", "p.svg"], "X........\n.X.......\n", "standard input has more", 1),
        (["-", "--svg", "p.svg"], "\n", "standard input has none", 1),
        (["--svg", "none/p.svg"], "", "cannot write none/p.svg: No such file", 1),
        (["--svg", "-", "--json"], "", "choose one of --json and --svg -", 2),
    ],
)
def test_what_cannot_be_drawn_is_told_in_one_line(tmp_path, args, lines, said, status):
    done = arena(tmp_path, "position", "tic-tac-toe", *args, input=lines, status=status)
    assert said in done.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())
