"""The C yardstick plays by arena's rules: what is measured against it is the same work."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
GAMES = ("connect-four", "checkers")

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")


@pytest.fixture(scope="module")
def benchmarks():
    """The folder's modules can be imported, as they can when one of them is run."""
    sys.path.insert(0, str(BENCHMARKS))
    yield
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def yardstick(benchmarks, tmp_path_factory):
    import yardstick

    program = yardstick.Yardstick(tmp_path_factory.mktemp("yardstick"))
    return lambda *args: program.run(*args)[0]


@pytest.fixture(scope="module", params=GAMES)
def kernels(benchmarks, request):
    from kernels import Kernels

    return Kernels(request.param)


@pytest.mark.parametrize(
    ("game", "depth", "lines"),
    [("connect-four", 6, 117649), ("connect-four", 9, 39394572), ("checkers", 7, 179740)],  # published
)
def test_the_yardstick_counts_the_published_lines(yardstick, game, depth, lines):
    assert yardstick("perft", game, depth) == [lines]


def test_yardstick_and_kernels_search_the_same_tree_to_the_same_value(yardstick, kernels):
    from kernels import opening, reached

    game = kernels.game
    for plies in (0, 5, 10, 20):
        state = reached(game, opening(game, plies, seed=plies))
        for depth in range(7):
            assert yardstick("alpha-beta", game, depth, *state) == kernels.alpha_beta(depth, state)


def test_yardstick_and_kernels_play_the_same_matches_at_random(yardstick, kernels):
    for seed in (0, 1, 2**63 - 1):
        assert yardstick("playouts", kernels.game, 500, seed) == kernels.playouts(500, seed)


def test_the_kernel_plays_the_streams_that_arena_derives(kernels):
    from arena.rng import below, derive

    game = kernels.game
    plies = results = 0
    for match in range(5):
        stream, state = [derive(7, match), 0], game.initial()
        while moves := game.moves(state):
            state = game.play(state, moves[below(stream, len(moves))])
            plies += 1
        results += game.value(state) * (1 if game.to_move(state) == 0 else -1)
    assert kernels.playouts(5, 7) == [plies, results]
