"""The C yardstick plays by arena's rules: what is measured against it is the same work; so with the rest."""

from __future__ import annotations

import re
import shutil
import subprocess
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


@pytest.mark.slow
def test_learning_is_measured_and_shown_beside_the_published_program():
    command = [sys.executable, BENCHMARKS / "speed.py", "--only", "learn", "--quick"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in said.splitlines() if "games/s" in line
    ]
    (published,) = [row for row in rows if "published" in row[2]]
    assert published[0] == "tic-tac-toe, `q-table`"
    assert published[3] == "548 games/s"
    size = {"k": 1e3, "M": 1e6}
    rate, letter = re.fullmatch(r"([\d.]+) ([kM]) games/s", published[1]).groups()
    assert int(published[4].replace(",", "")) == pytest.approx(float(rate) * size[letter] / 548, rel=0.01)
    assert {row[0] for row in rows} >= {
        "tic-tac-toe, `double-q`",
        "connect-four, `q-table`, 20,000 games",
        "connect-four, `q-table`, 200,000 games",
    }


def test_the_learner_that_is_timed_has_learned_whenever_it_is(benchmarks):
    from lessons import Lessons

    lessons = Lessons(
        "tic-tac-toe", "q-table:opponent=self,epsilon=1,epsilon_drop=0,symmetries=false,episodes=20000"
    )
    learners = []
    for _ in range(2):
        assert lessons.rate() > 0
        learners.append(lessons.learner)
        assert lessons.positions() == 5477  # all that can be reached, known by count, but the first
    assert learners[0] is not learners[1]


def test_openspiels_learner_learns_in_either_seat(benchmarks, monkeypatch):
    learner = pytest.importorskip("open_spiel.python.algorithms.tabular_qlearner").QLearner
    import peers

    made = []
    begin = learner.__init__

    def noted(self, *args, **options):
        begin(self, *args, **options)
        made.append(self)

    monkeypatch.setattr(learner, "__init__", noted)
    episode = peers.spiel_learn("tic-tac-toe")
    for _ in range(20):
        episode()
    assert [one._player_id for one in made] == [0, 1]
    for one in made:
        assert any(value for moves in one._q_values.values() for value in moves.values())


def test_a_part_measured_anew_replaces_its_own_table_and_no_other(benchmarks):
    from speed import against_c, learning, replaced, starting, table, title
    from timing import Row

    def some(section, figure):
        return table(title(section), [Row("work", figure)])

    written = "\n\n".join(["\nOld machine.", some(against_c, "1 ms"), some(starting, "2 ms") + "\n"])
    added = replaced(written, {title(learning): some(learning, "3 ms")}, "New machine.")
    assert added.split("\n\nMeasured apart: New machine.\n\n") == [
        "\n\n".join(["Old machine.", some(against_c, "1 ms"), some(learning, "3 ms")]),
        some(starting, "2 ms"),
    ]
    again = replaced(added, {title(learning): some(learning, "4 ms")}, "Newer machine.")
    assert again == added.replace("3 ms", "4 ms").replace("New machine.", "Newer machine.")
