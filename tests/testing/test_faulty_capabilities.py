"""The conformance kit tells what is wrong with the capabilities of a game."""

from __future__ import annotations

import re

import pytest

from arena.testing import check_game
from sound_games import Heap, Ring, Row


class HalfAGrid(Heap):
    """A grid without cells."""

    def piece(self, state, cell):
        return 0


class NoNumber(Row):
    """An evaluation that is not a number."""

    def evaluate(self, state):
        return float("nan")


class StillMoves(Row):
    """The board is mirrored, the moves are not."""

    def image_move(self, move, i):
        return move


class NoGroup(Ring):
    """Turns by 0, 1 and 2 of 5 cells."""

    symmetries = 3


class OtherColours(Row):
    """The coins change colour, the player to move does not."""

    def image(self, state, i):
        return state.translate(str.maketrans("XO", "OX")) if i else state

    def image_move(self, move, i):
        return move


class NoIdentity(Row):
    """Symmetry 0 is the mirror."""

    def image(self, state, i):
        return super().image(state, 1 - i)

    def image_move(self, move, i):
        return super().image_move(move, 1 - i)


class PiecesSwapped(Row):
    """Even pieces are player 0's."""

    def piece(self, state, cell):
        return ".OX".index(state[cell])


class AnchorOutside(Row):
    """Cells counted from 5."""

    def anchor(self, state, move):
        return move + 5


class OneShape(Heap):
    """Two moves that differ in nothing."""

    cells = ((0, 0),)

    def piece(self, state, cell):
        return 1 + state[1]

    def anchor(self, state, move):
        return 0

    def shape(self, state, move):
        return 0


class OneFeature(Row):
    """A feature without a name."""

    feature_names = ("coins",)


class ShapeByName(OneShape):
    """Shapes are texts in a game of numbers."""

    def shape(self, state, move):
        return str(move)


class TextTwice(Row):
    """Writes the same on the pieces of both players."""

    def piece_text(self, piece):
        return "c"


class LongText(Row):
    """Has no room on its pieces."""

    def piece_text(self, piece):
        return ("a", "coin")[piece - 1]


class WideText(Row):
    """Writes two letters that are two columns wide each."""

    def piece_text(self, piece):
        return ("歩", "角行")[piece - 1]


class BlankText(Row):
    """Leaves the other's pieces blank."""

    def piece_text(self, piece):
        return ("a", "")[piece - 1]


class Grey(Row):
    """Has neither player's pieces dark."""

    dark = 2


FAULTY_GAMES = {
    HalfAGrid: "offers grid only in part; it lacks cells, anchor, shape",
    NoNumber: "evaluate is nan, in '.....'",
    StillMoves: "symmetry 1: the image of 0, played in the image, leads elsewhere, in '.....'",
    NoGroup: "are not a group, in '",
    OtherColours: "played in the image, leads elsewhere, in '",
    NoIdentity: "symmetry 0 is not the identity, in '",
    PiecesSwapped: "odd are player 0's, in '.....'",
    AnchorOutside: "anchor of 0 is 5, but there are 5 cells, in '.....'",
    OneShape: "two moves have the same anchor and shape, in (5, 0)",
    OneFeature: "features returns 2 numbers for 1 feature_names, in '.....'",
    ShapeByName: "piece, anchor or shape returns a value that is not an int, in (5, 0)",
    TextTwice: "piece_text is 'c' both for 1 and 2",
    LongText: "piece_text of 2 is 'coin', wider than two columns",
    WideText: "piece_text of 2 is '角行', wider than two columns",
    BlankText: "piece_text of 2 is '', not a letter or two",
    Grey: "dark is 2, not 0 or 1",
}


@pytest.mark.parametrize("cls", FAULTY_GAMES, ids=lambda cls: cls.__name__)
def test_a_faulty_game_is_told_its_fault(cls):
    told = re.escape(FAULTY_GAMES[cls]).replace("…", r"\d+")
    with pytest.raises(AssertionError, match=f"{cls.__name__}: .*" + told):
        check_game(cls())
