"""Commands that take a position take the moves that lead there, in every game."""

from __future__ import annotations

import json
import random

import pytest

from arena.registry.plugins import registry
from commands import inside

GAMES = list(registry().offers["game"])


def random_line(name, plies):
    """So many random moves from the start as one types them, and the position after them."""
    game, rng = registry().spec("game", name).make(), random.Random(plies)
    state, texts = game.initial(), []
    for _ in range(plies):
        move = rng.choice(game.moves(state))
        texts.append(game.move_text(move))
        state = game.play(state, move)
    return " ".join(texts), game.position_text(state)


@pytest.mark.parametrize("name", GAMES)
def test_moves_lead_to_their_position_in_every_game(tmp_path, name):
    moves, after = random_line(name, 4)
    found = json.loads(inside(tmp_path, "position", name, "--moves", moves, "--json").stdout)
    assert found["state"] == after


def test_moves_go_on_from_a_position(tmp_path):
    said = inside(tmp_path, "position", "tic-tac-toe", "X.O......", "--moves", "5 9").stdout
    assert said.splitlines()[-1] == "X.O.X...O: X to move: 2 4 6 7 8"


def test_explain_and_perft_take_moves_too(tmp_path):
    told = inside(tmp_path, "explain", "first", "--game", "tic-tac-toe", "--moves", "1", status=1).stderr
    assert told == "Error: 'first' does not explain its moves\n"
    args = ("--game", "tic-tac-toe", "--moves", "1 3", "--json")
    found = json.loads(inside(tmp_path, "explain", "greedy", *args).stdout)
    assert found["state"] == "X.O......"
    # after two moves there are seven, and six after each
    assert inside(tmp_path, "perft", "tic-tac-toe", "2", "--moves", "1 3").stdout == "1 7\n2 42\n"


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ("1 1", "move 2: tic-tac-toe has no move '1' here; known: 2, 3, 4, 5, 6, 7, 8, 9"),
        ("1 2 4 5 7 8", "move 6 is '8': tic-tac-toe is over after the previous move; leave it out"),
    ],
)
def test_a_move_that_is_none_is_told_by_its_number(tmp_path, moves, said):
    for command in ("position tic-tac-toe", "perft tic-tac-toe 1", "explain greedy --game tic-tac-toe"):
        assert inside(tmp_path, *command.split(), "--moves", moves, status=1).stderr == f"Error: {said}\n"
