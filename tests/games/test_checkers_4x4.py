"""Checkers on 4 x 4 against rules written otherwise, and against exact values of perfect play."""

from __future__ import annotations

import pytest

from arena import ArenaError
from arena.api.game import positions
from arena.testing import check_game
from arena_games.checkers.game_4x4 import Checkers4x4

GAME = Checkers4x4()
POSITIONS = list(positions(GAME))
BLUE_TO_MOVE = [state for state in POSITIONS if GAME.to_move(state) == 0]


@pytest.mark.parametrize("capture_to_win", [False, True])
@pytest.mark.slow
def test_it_keeps_the_promises_of_a_game(capture_to_win):
    check_game(Checkers4x4(capture_to_win=capture_to_win))


# The rules once more, on a dictionary from (x, y) to a side and whether it is a king

DIRECTIONS = [(-1, -1), (1, -1), (-1, 1), (1, 1)]  # NW NE SW SE
UP, DOWN = DIRECTIONS[:2], DIRECTIONS[2:]
SQUARES = {(x, y): 1 + 2 * y + x // 2 for y in range(4) for x in range(4) if (x + y) % 2 == 0}
START = {(0, 0): ("RED", False), (2, 0): ("RED", False), (1, 3): ("BLUE", False), (3, 3): ("BLUE", False)}


def jump(board, at, direction):
    """The board after a jump and the square it ends on; None if there is none."""
    side, king = board[at]
    if direction not in (DIRECTIONS if king else UP if side == "BLUE" else DOWN):
        return None
    over = at[0] + direction[0], at[1] + direction[1]
    to = over[0] + direction[0], over[1] + direction[1]
    if over not in board or board[over][0] == side or to not in SQUARES or to in board:
        return None
    left = {square: piece for square, piece in board.items() if square not in (at, over)}
    return {**left, to: (side, king or to[1] == (0 if side == "BLUE" else 3))}, to


def successors(board, side):
    """Each move as text, with the board after it; a jump goes on where it can, the first way it can."""
    for at in sorted(board):
        if board[at][0] != side:
            continue
        king = board[at][1]
        for direction in DIRECTIONS if king else UP if side == "BLUE" else DOWN:
            to = at[0] + direction[0], at[1] + direction[1]
            if to in SQUARES and to not in board:
                left = {square: piece for square, piece in board.items() if square != at}
                crowned = king or to[1] == (0 if side == "BLUE" else 3)
                yield f"{SQUARES[at]}-{SQUARES[to]}", {**left, to: (side, crowned)}
            step, jumped = jump(board, at, direction), [at]
            while step:
                after, landed = step
                jumped.append(landed)
                step = next(filter(None, (jump(after, landed, on) for on in DIRECTIONS)), None)
            if len(jumped) > 1:
                yield "x".join(str(SQUARES[square]) for square in jumped), after


def text_of(board, side):
    parts = []
    for letter, whose in (("W", "RED"), ("B", "BLUE")):
        squares = sorted((SQUARES[at], king) for at, (owner, king) in board.items() if owner == whose)
        parts.append(letter + ",".join("K" * king + str(square) for square, king in squares))
    return ":".join([side[0].replace("R", "W"), *parts])


@pytest.mark.slow
def test_a_separate_implementation_agrees_in_every_position():
    tied = Checkers4x4(capture_to_win=True)
    found, new = {}, {text_of(START, "BLUE"): (START, "BLUE")}
    while new:
        found |= new
        reached = {}
        for text, (board, side) in new.items():
            state = GAME.read_position(text)
            other = "RED" if side == "BLUE" else "BLUE"
            after = {move: text_of(left, other) for move, left in successors(board, side)}
            moves = GAME.moves(state)
            assert [GAME.move_text(move) for move in moves] == list(after)
            assert [GAME.position_text(GAME.play(state, move)) for move in moves] == list(after.values())
            assert GAME.sides[GAME.to_move(state)] == side
            if not moves:
                assert GAME.value(state) == -1
                assert tied.value(state) == (0 if any(whose == side for whose, _ in board.values()) else -1)
            reached |= {text_of(left, other): (left, other) for _, left in successors(board, side)}
        new = {text: pair for text, pair in reached.items() if text not in found}
    assert set(found) == {GAME.position_text(state) for state in POSITIONS}


def test_no_chain_ever_has_a_second_jump():
    boards = [(board_of(state), GAME.sides[GAME.to_move(state)]) for state in POSITIONS]
    assert max(move.count("x") for board in boards for move, _ in successors(*board)) == 1


def board_of(state):
    kinds = {1: ("BLUE", False), 2: ("RED", False), 3: ("BLUE", True), 4: ("RED", True)}
    pieces = {GAME.cells[cell]: GAME.piece(state, cell) for cell in range(8)}
    return {at: kinds[piece] for at, piece in pieces.items() if piece}


def test_the_grid_is_the_board():
    for state in POSITIONS:
        assert text_of(board_of(state), GAME.sides[GAME.to_move(state)]) == GAME.position_text(state)
        for move in GAME.moves(state):
            assert GAME.move_text(move)[0] == str(GAME.anchor(state, move) + 1)


# Exact counts and values, found by full enumeration


def test_the_positions_are_as_many_as_published():
    # with those in which the match is over
    assert GAME.reachable == len(POSITIONS) == 4302
    assert len(BLUE_TO_MOVE) == 2216


def test_blue_has_lost_where_it_has_no_piece_or_none_that_can_move():
    lost = [GAME.position_text(state) for state in BLUE_TO_MOVE if not GAME.moves(state)]
    assert len(lost) == 94
    assert sum(text.endswith(":B") for text in lost) == 58


def values(game):
    """For BLUE, RED moving at random: what each state and each first move is worth in the long run.

    A win is 10,000 when it is made, a loss -10,000, and each turn takes a tenth of what comes after it.
    """

    def worth(state):
        return 10000.0 * game.value(state) * (1 if game.to_move(state) == 0 else -1)

    value = {state: 0.0 if game.moves(state) else worth(state) for state in BLUE_TO_MOVE}
    choices = {}  # state: for each move what it is worth at once, and where it may lead
    for state in BLUE_TO_MOVE:
        afters = [game.play(state, move) for move in game.moves(state)]
        choices[state] = [
            (0.0 if game.moves(after) else worth(after), [game.play(after, m) for m in game.moves(after)])
            for after in afters
        ]

    def of(choice):
        now, then = choice
        return now + 0.9 * sum(value[state] for state in then) / max(len(then), 1)

    change = 1.0
    while change > 1e-6:
        change = 0.0
        for state, ways in choices.items():
            if ways:
                best = max(map(of, ways))
                change = max(change, abs(best - value[state]))
                value[state] = best
    start = game.initial()
    moves = map(game.move_text, game.moves(start))
    return value[start], dict(zip(moves, map(of, choices[start]), strict=True))


@pytest.mark.slow
def test_the_start_is_worth_what_value_iteration_says():
    value, moves = values(GAME)
    assert value == pytest.approx(5963.2398, abs=1e-4)
    # (1,3)-(2,2), (3,3)-(2,2) and (1,3)-(0,2) as x, y
    assert moves == pytest.approx({"7-6": 5963.2398, "8-6": 5844.6520, "7-5": 5124.3124}, abs=1e-4)


@pytest.mark.slow
def test_the_start_is_worth_less_where_who_cannot_move_ties():
    assert values(Checkers4x4(capture_to_win=True))[0] == pytest.approx(5790.0106, abs=1e-4)


# Notation, and positions drawn by hand


@pytest.mark.parametrize(
    ("position", "moves"),
    [
        ("B:W1,2:B7,8", ["7-5", "7-6", "8-6"]),
        ("B:W6:B7,8", ["7-5", "7x4", "8x3"]),  # captures are not mandatory
        ("W:W3,4:B5,6", ["3x8", "4x7"]),
        ("B:WK1:BK3", ["3-2", "3-5", "3-6"]),  # nobody jumps off the board
        ("B:W3,6:B8", []),
        ("B:W3:BK6", ["6x1", "6-4", "6-7", "6-8"]),
    ],
)
def test_moves_drawn_by_hand(position, moves):
    state = GAME.read_position(position)
    assert [GAME.move_text(move) for move in GAME.moves(state)] == moves


def test_a_man_that_reaches_the_last_row_is_crowned():
    state = GAME.read_position("B:W3:B6,8")
    assert GAME.position_text(GAME.play(state, GAME.read_move(state, "6x1"))) == "W:W:BK1,8"


def test_a_board_is_drawn():
    drawn = """
-   r
  -   B
b   -
  R   -
"""
    assert GAME.board_text(GAME.read_position("W:W2,K7:BK4,5")) == drawn.strip("\n")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("B:W1,2:B7,9", "a piece on square 9; squares are numbered 1 to 8"),
        ("B:W7:B8", "a man on square 7, where it would be a king"),
        ("R:W1:B8", "is not a position such as 'B:W1,K4:B7,8'"),
    ],
)
def test_bad_positions_are_told(text, named):
    with pytest.raises(ArenaError, match=named):
        GAME.read_position(text)
