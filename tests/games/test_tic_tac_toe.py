from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from arena import ArenaError
from arena.analysis.perft import perft
from arena.api.game import canonical, positions
from arena_games.tic_tac_toe import TicTacToe
from slow_counts import count_slowly, lines, side_to_move

GAME = TicTacToe()
POSITIONS = list(positions(GAME))


# The rules once more, on nine letters and with loops


def winner(board):
    for side in "XO":
        if any(line == side * 3 for _, line in lines(board)):
            return side
    return None


def free_cells(board):
    return [] if winner(board) else [cell for cell in range(9) if board[cell] == "."]


def after(board, cell):
    return board[:cell] + side_to_move(board) + board[cell + 1 :]


@cache
def boards():
    """All boards that play can reach."""
    found, new = set(), {"." * 9}
    while new:
        found |= new
        new = {after(board, cell) for board in new for cell in free_cells(board)}
    return found


def test_a_separate_implementation_agrees_in_every_position():
    assert {GAME.position_text(state) for state in POSITIONS} == boards()
    for state in POSITIONS:
        board = GAME.position_text(state)
        assert GAME.sides[GAME.to_move(state)] == side_to_move(board)
        assert GAME.moves(state) == free_cells(board)
        for move in GAME.moves(state):
            assert GAME.position_text(GAME.play(state, move)) == after(board, move)
        if not GAME.moves(state):
            # whoever is to move at the end did not make the last move
            assert GAME.value(state) == (-1 if winner(board) else 0)


# Counts: Bottomley, "How many Tic-Tac-Toe (noughts and crosses) games are possible?", and the enumerations
# that confirm it: 255168 games; 5478 positions, 765 of them different up to symmetry.


def test_the_games_are_as_many_as_published_by_length():
    # 1440 games end after 5 plies, 5328 after 6, 47952 after 7, 72576 after 8, 127872 after 9
    ended = {5: 1440, 6: 5328, 7: 47952, 8: 72576, 9: 127872}
    counts, going = [], 1
    for ply in range(1, 10):
        counts.append(going * (10 - ply))
        going = counts[-1] - ended.get(ply, 0)
    assert going == 0
    assert sum(ended.values()) == 255168
    assert list(perft(GAME, GAME.initial(), 9)) == counts


def x_result(state):
    """The outcome of a finished match from X's side."""
    return GAME.value(state) * (1 if GAME.to_move(state) == 0 else -1)


def test_the_games_end_as_published():
    @cache
    def endings(state):
        if not GAME.moves(state):
            return Counter([x_result(state)])
        return sum((endings(GAME.play(state, move)) for move in GAME.moves(state)), Counter())

    assert endings(GAME.initial()) == {1: 131184, -1: 77904, 0: 46080}


def ply(state):
    return 9 - GAME.position_text(state).count(".")


def by_ply(states):
    counts = Counter(map(ply, states))
    return [counts[n] for n in range(10)]


def test_the_positions_are_as_many_as_published():
    assert GAME.reachable == len(POSITIONS) == 5478
    assert by_ply(POSITIONS) == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert sum(not GAME.moves(state) for state in POSITIONS) == 958


def test_the_positions_up_to_symmetry_are_as_many_as_published():
    classes = {canonical(GAME, state) for state in POSITIONS}
    assert len(classes) == 765
    assert by_ply(classes) == [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]
    assert sum(bool(GAME.moves(state)) for state in classes) == 627


def test_perfect_play_is_worth_in_every_position_what_full_enumeration_says():
    @cache
    def x_value(state):
        moves = GAME.moves(state)
        best = max if GAME.to_move(state) == 0 else min
        return best(x_value(GAME.play(state, move)) for move in moves) if moves else x_result(state)

    assert x_value(GAME.initial()) == 0
    assert Counter(map(x_value, POSITIONS)) == {0: 1068, 1: 2936, -1: 1474}


def test_random_against_random_has_its_exact_chances():
    @cache
    def chances(state):
        """X wins, O wins, draw."""
        moves = GAME.moves(state)
        if not moves:
            return tuple(Fraction(x_result(state) == x) for x in (1, -1, 0))
        parts = [chances(GAME.play(state, move)) for move in moves]
        return tuple(sum(part[i] for part in parts) / len(moves) for i in range(3))

    assert chances(GAME.initial()) == (Fraction(737, 1260), Fraction(121, 420), Fraction(8, 63))


# Notation


def test_every_position_reads_back():
    for state in POSITIONS:
        assert GAME.read_position(GAME.position_text(state)) == state
        for move in GAME.moves(state):
            assert GAME.read_move(state, GAME.move_text(move)) == move


def test_of_all_texts_of_nine_letters_just_those_that_play_can_reach_are_positions():
    accepted, complaints = set(), []
    for letters in product(".XO", repeat=9):
        text = "".join(letters)
        try:
            GAME.read_position(text)
        except ArenaError as error:
            complaints.append(str(error))
        else:
            accepted.add(text)
    assert accepted == boards()
    assert not any("\n" in complaint for complaint in complaints)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not nine of X, O and '.'"),
        ("X.O.....", "is not nine of X, O and '.'"),
        ("X.O.......", "is not nine of X, O and '.'"),
        ("X.O...Q..", "is not nine of X, O and '.'"),
        ("X.O\n.....", "is not nine of X, O and '.'"),
        ("O........", "has 0 X and 1 O"),
        ("XX.......", "has 2 X and 0 O"),
        ("XXXOOO...", "continues after three in a row"),
        ("XXXOO.O..", "continues after three in a row"),
        ("OOOXX.X.X", "continues after three in a row"),
    ],
)
def test_a_text_that_is_no_position_is_refused_in_one_line(text, complaint):
    with pytest.raises(ArenaError) as refused:
        GAME.read_position(text)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_position_may_be_typed_carelessly():
    assert GAME.read_position(" x.o......\n") == GAME.read_position("X.O......")


def test_cells_are_numbered_by_rows_from_1_to_9():
    state = GAME.initial()
    for text in ("1", "5", "9"):
        state = GAME.play(state, GAME.read_move(state, text))
    assert GAME.position_text(state) == "X...O...X"
    assert GAME.board_text(state) == "X . .\n. O .\n. . X"


def test_a_move_on_a_taken_cell_is_refused():
    with pytest.raises(ArenaError, match="no move '1' here"):
        GAME.read_move(GAME.read_position("X........"), "1")


# Symmetries


def test_the_symmetries_are_the_eight_of_the_square():
    def turned(x, y):
        return 2 - y, x

    def mirrored(x, y):
        return 2 - x, y

    square = set()
    for turns in range(4):
        for flip in (False, True):
            where = [(cell % 3, cell // 3) for cell in range(9)]
            for _ in range(turns):
                where = [turned(*place) for place in where]
            if flip:
                where = [mirrored(*place) for place in where]
            square.add(tuple(x + 3 * y for x, y in where))
    found = [tuple(GAME.image_move(cell, i) for cell in range(9)) for i in range(GAME.symmetries)]
    assert len(found) == len(square) == 8
    assert set(found) == square
    for maps in found:
        assert {tuple(maps[other[cell]] for cell in range(9)) for other in found} == square


def test_an_image_has_every_coin_where_the_symmetry_moves_its_cell():
    for state in POSITIONS:
        board = GAME.position_text(state)
        for i in range(GAME.symmetries):
            turned = GAME.position_text(GAME.image(state, i))
            assert all(turned[GAME.image_move(cell, i)] == board[cell] for cell in range(9))


# Evaluation and features


@pytest.mark.parametrize(
    ("board", "value"),
    [
        ("... ... ...", 0),  # all eight lines are open to both
        ("X.. ... ...", -3),  # O to move: 5 lines without X, 8 without O
        ("... .X. ...", -4),
        ("X.. .O. ...", -1),  # X to move: 4 without O, 5 without X
        ("X.O ... ...", 0),
        (".O. .X. ...", 2),  # 6 without O, 4 without X
        ("XOX .X. O..", -2),  # O to move: without X is the last row; without O a row, a column, a diagonal
    ],
)
def test_evaluation_is_the_difference_of_open_lines(board, value):
    assert GAME.evaluate(GAME.read_position(board.replace(" ", ""))) == value


def test_features_agree_with_a_slow_count_in_every_position():
    for state in POSITIONS:
        counts = count_slowly(GAME.position_text(state))
        assert dict(zip(GAME.feature_names, GAME.features(state), strict=True)) == {
            name: counts[name] for name in GAME.feature_names
        }


@pytest.mark.parametrize(
    ("board", "features"),
    [
        # one of three, two in a row, in a column, on a diagonal, three
        ("... ... ...", [0, 0, 0, 0, 0]),
        ("X.. ... ...", [-3, 0, 0, 0, 0]),
        ("XX. .O. ...", [-1 + 2, -1, 0, 0, 0]),  # X: left column; O: middle row, one diagonal
        ("XX. OO. X..", [-1, -1 + 1, 0, 0, 0]),  # X: last row
        ("XO. .X. O.X", [-2, 0, 0, 0, -1]),
    ],
)
def test_features_of_boards_counted_by_hand(board, features):
    assert GAME.features(GAME.read_position(board.replace(" ", ""))) == features
