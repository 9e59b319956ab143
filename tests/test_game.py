"""What every game gets from `Game`."""

from __future__ import annotations

import random
from types import ModuleType

import grid_kernel
import numpy as np
import pytest

from arena import ArenaError, FastGame, Game
from arena.compiled import engine
from arena.plugins import registry

GAMES = [registry().spec("game", name).make() for name in registry().offers["game"]]
FAST_GRIDS = [game for game in GAMES if isinstance(game, FastGame) and "grid" in game.capabilities]


def test_a_plain_games_positions_are_read_from_its_moves():
    class Walk(Game):
        """Three steps, left or right."""

        name = "walk"

        def initial(self):
            return ("", 0)

        def moves(self, state):
            return ["l", "r"] if len(state[0]) < 3 else []

        def play(self, state, move):
            return (state[0] + move, 1 - state[1])

    assert Walk().read_position("l r") == ("lr", 0)
    assert Walk().read_position("") == ("", 0)
    with pytest.raises(ArenaError, match="walk has no move 'x' here"):
        Walk().read_position("l x")


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


@pytest.mark.parametrize("game", FAST_GRIDS, ids=str)
@pytest.mark.always(1)
def test_a_grid_is_the_same_compiled(game):
    kernels, cells = engine(game).kernels(grid_kernel), len(game.cells)
    work, out = np.zeros(game.max_moves, np.int64), np.zeros(cells + 2 * game.max_moves, np.int64)
    plain = [0] * len(out)
    for state in random_positions(game, 20):
        written = kernels.grid(state, cells, work, out)
        assert grid_kernel.grid(game.rules, state, cells, [0] * game.max_moves, plain) == written
        assert out[:written].tolist() == plain[:written]


def test_a_fast_game_without_rules_is_told_what_to_write():
    with pytest.raises(TypeError, match=r"^Bare has no module of rules; write: rules = sys.modules"):

        class Bare(FastGame):
            """The rules forgotten."""


def test_a_fast_game_above_its_rules_is_told_where_it_belongs():
    early = ModuleType("early")
    early.initial = early.to_move = early.value = len
    with pytest.raises(TypeError, match=r"^Early lacks moves, play, MAX_MOVES in its rules, early; in one f"):

        class Early(FastGame):
            """Some of its rules are yet to come."""

            rules = early
