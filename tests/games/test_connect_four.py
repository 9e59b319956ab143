"""Connect four against published counts and rules written otherwise."""

from __future__ import annotations

import random

import pytest

from arena.analysis.perft import perft
from arena.api.game import canonical, positions
from arena.errors import ArenaError
from arena.testing import check_game
from arena_games.connect_four import ConnectFour

GAME = ConnectFour()


@pytest.mark.slow
def test_it_keeps_the_promises_of_a_game():
    check_game(GAME)


def test_perft():
    # published counts of lines of play, 1 to 7 plies
    assert list(perft(GAME, GAME.initial(), 7)) == [7, 49, 343, 2401, 16807, 117649, 823536]


def test_distinct_positions_by_ply():
    # published counts of positions, plies 0 to 6
    by_ply = [0] * 8
    for state in positions(GAME):
        ply = state[1].bit_count()
        if ply == 7:
            break
        by_ply[ply] += 1
    assert by_ply[:7] == [1, 7, 49, 238, 1120, 4263, 16422]


@pytest.mark.slow
def test_outcomes_agree_with_lines_looked_for_one_by_one():
    def won(grid, letter):
        for x in range(7):
            for y in range(6):
                for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    cells = [(x + i * dx, y + i * dy) for i in range(4)]
                    if all(grid.get(cell) == letter for cell in cells):
                        return True
        return False

    rng = random.Random(4)
    for _ in range(300):
        state, grid, letter = GAME.initial(), {}, "X"
        while True:
            full = {x for x in range(7) if (x, 5) in grid}
            over = won(grid, "X" if letter == "O" else "O")
            legal = GAME.moves(state)
            assert set(legal) == (set() if over else set(range(7)) - full)
            assert GAME.sides[GAME.to_move(state)] == letter
            if not legal:
                assert GAME.value(state) == (-1 if over else 0)
                break
            move = rng.choice(legal)
            grid[move, sum((move, y) in grid for y in range(6))] = letter
            state = GAME.play(state, move)
            letter = "O" if letter == "X" else "X"
            rows = ["".join(grid.get((x, y), ".") for x in range(7)) for y in reversed(range(6))]
            assert GAME.position_text(state) == "/".join(rows)
            assert GAME.read_position("/".join(rows)) == state


def test_the_grid_is_the_board_and_a_moves_anchor_the_cell_its_coin_falls_to():
    assert sorted(GAME.cells) == [(x, y) for x in range(7) for y in range(6)]
    rng = random.Random(5)
    for _ in range(50):
        state = GAME.initial()
        while moves := GAME.moves(state):
            move = rng.choice(moves)
            cell, before, state = GAME.anchor(state, move), state, GAME.play(state, move)
            pieces, rows = [GAME.piece(state, n) for n in range(42)], GAME.position_text(state).split("/")
            assert all(rows[y][x] == ".XO"[pieces[n]] for n, (x, y) in enumerate(GAME.cells))
            assert [n for n in range(42) if pieces[n] != GAME.piece(before, n)] == [cell]


def test_moves_go_from_the_middle_outwards():
    assert GAME.moves(GAME.initial()) == [3, 2, 4, 1, 5, 0, 6]


def test_columns_played_are_a_position():
    drawn = """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . O . . .
        . . X X O . .
    """
    assert GAME.position_text(GAME.read_position("4435")) == "/".join(drawn.replace(" ", "").split())
    assert GAME.read_position("") == GAME.initial()


def test_mirrored_lines_of_play_meet_in_one_canonical_position():
    assert canonical(GAME, GAME.read_position("1234")) == canonical(GAME, GAME.read_position("7654"))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("48", "columns from 1 to 7"),
        ("4444444", "no move 7, column 4 is full"),
        ("12121213", "no move 8, the match is over"),
        ("./.", "six rows of seven"),
        ("......./......./......./......./...X.../.......", "column 4 above an empty cell"),
        ("......./......./......./......./......./..XX...", "2 X and 0 O"),
        ("......./......./......./......./OOOO.../XXXX...", "after four in a row"),
    ],
)
def test_bad_positions_are_told(text, named):
    with pytest.raises(ArenaError, match=named):
        GAME.read_position(text)
