"""What every game gets from `Game`."""

from __future__ import annotations

import random

import numpy as np
import pytest

from arena import Agent, ArenaError, Game, Rng, option
from arena.registry.plugins import registry
from tiers import tiers

GAMES = [registry().spec("game", name).make() for name in registry().offers["game"]]


class Walk(Game):
    """Three steps, left or right."""

    name = "walk"

    def initial(self):
        return ("", 0)

    def moves(self, state):
        return ["l", "r"] if len(state[0]) < 3 else []

    def play(self, state, move):
        return (state[0] + move, 1 - state[1])


def test_unless_a_game_says_otherwise_its_positions_are_read_from_its_moves():
    assert Walk().read_position("l r") == ("lr", 0)
    assert Walk().read_position("") == ("", 0)
    with pytest.raises(ArenaError, match="walk has no move 'x' here"):
        Walk().read_position("l x")
    with pytest.raises(ArenaError, match=f"walk has no move '{20 * 'x'}…' here"):
        Walk().read_position(30 * "x")


def random_positions(game, matches):
    rng = random.Random(1)
    for _ in range(matches):
        state = game.initial()
        yield state
        for _ in range(200):
            if not (moves := game.moves(state)):
                break
            state = game.play(state, rng.choice(moves))
            yield state


class Onlooker(Agent):
    """Notes all that a game with a grid says of a position.

    pieces: int64 [cells]. anchors, shapes: int64 [max_moves], of the moves there are.
    """

    def prepare(self):
        self.pieces = np.zeros(len(self.game.cells), np.int64)
        self.anchors, self.shapes = np.zeros((2, self.game.max_moves), np.int64)

    def choose(self, state, moves, rng):
        for cell in range(len(self.game.cells)):
            self.pieces[cell] = self.game.piece(state, cell)
        for i, move in enumerate(moves):
            self.anchors[i] = self.game.anchor(state, move)
            self.shapes[i] = self.game.shape(state, move)
        return moves[-1]


@pytest.mark.parametrize(
    "game", tiers([game for game in GAMES if "grid" in game.capabilities], quick=["tic-tac-toe"]), ids=str
)
def test_a_grid_is_the_same_compiled(game):
    onlooker = Onlooker(game)
    for state in random_positions(game, 20):
        if moves := game.moves(state):
            assert onlooker.choose(state, moves, Rng()) == moves[-1]
            n = len(moves)
            assert onlooker.pieces.tolist() == [game.piece(state, cell) for cell in range(len(game.cells))]
            assert onlooker.anchors[:n].tolist() == [game.anchor(state, move) for move in moves]
            assert onlooker.shapes[:n].tolist() == [game.shape(state, move) for move in moves]


class Count(Game):
    """Count up by what may be added, to 9."""

    steps: int = option(2, "the most that may be added", low=1)
    feature_names = ("left",)

    def initial(self):
        return (0, 0)

    def moves(self, state):
        yield from range(1, min(self.steps, 9 - state[0]) + 1)

    def play(self, state, move):
        return (state[0] + move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1

    def features(self, state):
        yield 9.0 - state[0]


def test_what_a_game_yields_comes_as_a_list():
    game = Count(steps=3)
    assert game.moves((0, 0)) == [1, 2, 3]
    assert game.moves((8, 0)) == [1]
    assert game.moves((9, 1)) == []
    assert game.features((4, 0)) == [5.0]


class Words(Count):
    """Longer positions later on."""

    def play(self, state, move):
        return (*state, move) if len(state) > 3 else (state[0] + move, 1 - state[1])

    def initial(self):
        return (0, 0, 0, 0)


class Texts(Count):
    """Moves are not numbers."""

    def moves(self, state):
        return ["1", "2"] if state[0] < 8 else []

    def play(self, state, move):
        return (state[0] + int(move), 1 - state[1])


class Huge(Count):
    """Positions are numbers that are soon too large."""

    def play(self, state, move):
        return (state[0] + move, 1 - state[1] + 2**63)

    def to_move(self, state):
        return state[1] & 1


def test_a_game_is_flat_if_its_positions_are_tuples_of_one_number_of_ints_and_moves_ints():
    assert all(game.flat for game in [*GAMES, Count()])
    assert not any(game.flat for game in (Walk(), Words(), Texts(), Huge()))
