"""Boards as their authors describe them, and what of an author's SVG is kept."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import drawn_games
from arena import ArenaError, Game, Hands, Heaps, Hexagons, Picture, Points, Squares
from arena.api.game_drawing import drawing_of
from arena.registry.plugins import spec_named
from arena.show.board import svg
from arena.show.page.event import Played
from arena.show.page.marked_board import MarkedBoards
from arena.show.page.replay import Film
from arena.show.presentation import Board, Marked
from arena.show.safe_svg import safe, size_of
from arena.testing.whole import declarations


def position(cls, line):
    game = cls()
    return game, game.read_position(line)


BOARDS = [
    (
        drawn_games.Hex,
        "c1 b2 d4",
        """
.   .   b   .   .
  .   w   .   .   .
    .   .   .   .   .
      .   .   .   b   .
        .   .   .   .   .""",
    ),
    (
        drawn_games.Dots,
        "0 2 6 7",
        """
+---+   +
| A |
+---+   +

+   +   +""",
    ),
    (
        drawn_games.Nim,
        "1-2 3-1",
        """
1   o   .   .
2   o   o   o   o
3   o   o   o   o   .""",
    ),
    (
        drawn_games.Tricks,
        "Q♠",
        """
first   A♠  .   K♥  J♥
table   Q♠
second  K♠  J♠  A♥  Q♥""",
    ),
]


@pytest.mark.parametrize(("cls", "line", "board"), BOARDS)
def test_a_terminal_has_the_board_in_letters(cls, line, board):
    game, state = position(cls, line)
    if cls is drawn_games.Dots:  # the fourth line closes a box of the second player
        board = board.replace("A", "B")
    assert game.board_text(state) == board.strip("\n")


def test_points_and_their_lines_in_letters():
    game, state = position(drawn_games.Morris, "a7 d7")
    lines = game.board_text(state).splitlines()
    assert lines[0] == "w-----------b-----------."
    assert lines[6] == ".---.---.       .---.---."
    assert len(lines) == 13


@pytest.mark.parametrize("cls", [drawn_games.Hex, drawn_games.Dots, drawn_games.Morris, drawn_games.Nim,
                                 drawn_games.Tricks, drawn_games.Tower])  # fmt: skip
def test_a_drawing_is_one_image_with_every_cell_and_piece(cls):
    game = cls()
    before = game.initial()
    state = game.play(before, next(iter(game.moves(before))))
    root = ElementTree.fromstring(svg(game, state, before))
    classes = [one.get("class") for one in root.iter()]
    cells = range(len(game.drawing.places))
    now, then = ([game.piece(at, cell) for cell in cells] for at in (state, before))
    assert classes.count("piece") == sum(map(bool, now))
    assert classes.count("changed") == sum(a != b for a, b in zip(now, then, strict=True))
    assert root.get("role") == "img"


def test_neighbours_of_a_hexagon_share_an_edge_with_it():
    places = Hexagons(3, 3).places
    corners = [{(round(x, 6), round(y, 6)) for x, y in place.corners} for place in places]
    beside = [i for i, other in enumerate(corners) if len(other & corners[4]) == 2]
    assert beside == [1, 2, 3, 5, 6, 7]  # all but the upper left and the lower right


def test_discs_of_connect_four_have_two_colours_and_letters():
    game = spec_named("game", "connect-four").make()
    root = ElementTree.fromstring(svg(game, game.read_position("12")))
    found = [one for one in root.iter() if one.get("class") == "piece"]
    assert {(one[0].get("fill"), one[1].text) for one in found} == {("#b3261e", "X"), ("#ffd54a", "O")}


def test_a_game_with_a_drawing_needs_no_grid():
    assert "grid" not in drawn_games.Hex().capabilities
    declarations(drawn_games.Hex())


# --- SVG of others ------------------------------------------------------------------------------------------

KEPT = [
    ('<circle r="3" onclick="x()" fill="#fff"/>', '<circle r="3" fill="#fff"></circle>'),
    ("<script>x()</script>", ""),
    ("<SCRIPT>x()</SCRIPT>", ""),
    ("<style>*{}</style>", ""),
    ("<foreignObject><b>x</b></foreignObject>", ""),
    ('<a href="javascript:x()"><rect/></a>', ""),
    ('<use href="#a"/><image href="https://example.org"/><animate attributeName="x"/><set to="x"/>', ""),
    ('<g style="background:url(x)" id="viewer" class="hit"><rect/></g>', "<g><rect></rect></g>"),
    ('<rect fill="url(#a)" stroke="URL(https://example.org)"/>', '<rect fill="none" stroke="none"></rect>'),
    ('<rect fill="\'/&gt;&lt;script&gt;"/>', '<rect fill="none"></rect>'),
    ("<text>&lt;script&gt;x()&lt;/script&gt;</text>", "<text>&lt;script&gt;x()&lt;/script&gt;</text>"),
    ("<!-- <script> --><rect/>", "<rect></rect>"),
    ("<?xml-stylesheet href='x'?><rect/>", "<rect></rect>"),
    ('<b xmlns="http://www.w3.org/1999/xhtml" onclick="x()">x</b>', ""),
    ('<rect xmlns:x="http://www.w3.org/1999/xlink" x:href="javascript:x()"/>', "<rect></rect>"),
]


@pytest.mark.parametrize(("given", "kept"), KEPT)
def test_only_shapes_and_texts_of_an_svg_are_kept(given, kept):
    assert safe(f'<svg xmlns="http://www.w3.org/2000/svg">{given}</svg>') == kept


@pytest.mark.parametrize(("given", "said"), [
    ("<svg", "cannot be read"),
    ("<html/>", "begin it with <svg>"),
    ('<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>', "leave it out"),
])  # fmt: skip
def test_what_is_no_svg_is_told(given, said):
    with pytest.raises(ArenaError, match=said):
        safe(given)


def test_a_picture_needs_its_size():
    assert size_of('<svg viewBox="0 0 96 48.5"/>') == (96, 48.5)
    with pytest.raises(ArenaError, match="use one such as"):
        size_of('<svg width="96"/>')


# --- what authors get wrong ---------------------------------------------------------------------------------


class Plain(Game):
    def initial(self):
        return 0


class WithoutPiece(Plain):
    drawing = Squares(2, 2)


class Unlike(Plain):
    drawing = "squares"


class TooMany(Plain):
    drawing = Heaps([1])

    def moves(self, state):
        return []

    def piece(self, state, cell):
        return 3


@pytest.mark.parametrize(
    ("cls", "said"), [(WithoutPiece, "no method `piece`"), (Unlike, r"such as arena\.Squares")]
)
def test_a_wrong_drawing_is_told(cls, said):
    with pytest.raises(ArenaError, match=said):
        drawing_of(cls())


def test_a_piece_without_a_look_is_told():
    with pytest.raises(ArenaError, match="has a piece 3, but its drawing has only 2"):
        svg(TooMany(), 0)


def test_a_game_without_grid_and_drawing_is_not_drawn():
    assert drawing_of(Plain()) is None


@pytest.mark.parametrize(("drawing", "kinds"), [
    (Squares(2, 1), ["square"] * 2),
    (Hexagons(1, 2), ["hexagon"] * 2),
    (Points([(0, 0), (1, 0)], [(0, 1)]), ["point"] * 2),
    (Points([(0, 0), (1, 0), (0, 1)], [(0, 1)], areas=[(0, 1, 2)], on_lines=True), ["line", "area"]),
    (Heaps([1, 2]), ["object"] * 3),
    (Hands({"you": 1, "table": 2}), ["card"] * 3),
    (Picture("<svg/>", [(1, 1)]), ["point"]),
])  # fmt: skip
def test_cells_are_numbered_in_the_order_of_the_drawing(drawing, kinds):
    assert [place.kind for place in drawing.places] == kinds


class FailsLate(drawn_games.Nim):
    """Cannot say what is on its cells once a heap is empty."""

    def piece(self, state, cell):
        if 0 in state[:3]:
            raise ValueError("no heap <b>left</b>")
        return super().piece(state, cell)

    def board_text(self, state):
        return " ".join(map(str, state[:3]))


def test_a_game_that_fails_to_draw_a_position_is_shown_as_text():
    game = FailsLate()
    moves = "1-3 2-4"  # empties the first heap
    played = [Played(1, n, "a", "b", 1, "rules", None, 0, moves, None) for n in range(2)]
    film = Film(game)
    assert film.board() is not None
    matches = film.matches(played, ["a", "b"])
    assert film.board() is None
    assert film.fault == (
        "The boards are shown as text, since they cannot be drawn: ValueError: no heap <b>left</b>."
    )
    assert [match["fault"] for match in matches] == ["", ""]
    boards = [*film.boards]
    assert [boards[i] for i in matches[1]["boards"]] == ["3 4 5", "0 4 5", "0 0 5"]


def test_a_mistake_is_drawn_with_what_was_played_and_what_was_right():
    boards = MarkedBoards(drawn_games.Nim())
    places = len(drawn_games.Nim.drawing.places)
    pieces = [1] * places
    drawn = boards.of(Board("1 < 2", marked=Marked(pieces, [2], [0, 1])))
    assert drawn.count("<g ") == places
    assert drawn.count('class="wrong"') == 1
    assert drawn.count('class="right"') == 2
    assert 'aria-label="1 &lt; 2"' in drawn
    assert boards.of(Board("1 < 2")) is None
    assert boards.of(Board("1 < 2", marked=Marked(pieces[1:], [2], [0]))) is None
    assert boards.of(Board("1 < 2", marked=Marked(pieces, [places], [0]))) is None
    assert boards.empty().count('id="ground-0"') == 1
