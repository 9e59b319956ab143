"""The C yardstick plays by arena's rules: what is measured against it is the same work; so with the rest."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from arena.registry.plugins import registry
from arena.testing.matches import random_match
from arena_agents.tabular.q_backprop import QBackprop
from paths import DATA, ROOT
from published_psv import published_move, published_state

BENCHMARKS = ROOT / "benchmarks"
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
def tasks(benchmarks, request):
    from tasks import Tasks

    return Tasks(request.param)


@pytest.mark.parametrize(
    ("game", "depth", "lines"),
    [("connect-four", 6, 117649), ("connect-four", 9, 39394572), ("checkers", 7, 179740)],  # published
)
@pytest.mark.slow
def test_the_yardstick_counts_the_published_lines(yardstick, game, depth, lines):
    assert yardstick("perft", game, depth) == [lines]


@pytest.mark.slow
def test_yardstick_and_compiled_code_search_the_same_tree_to_the_same_value(yardstick, tasks):
    from tasks import opening, reached

    game = tasks.game
    for plies in (0, 5, 10, 20):
        state = reached(game, opening(game, plies, seed=plies))
        for depth in range(7):
            assert yardstick("alpha-beta", game, depth, *state) == tasks.alpha_beta(depth, state)


@pytest.mark.slow
def test_yardstick_and_compiled_code_play_the_same_matches_at_random(yardstick, tasks):
    for seed in (0, 1, 2**63 - 1):
        assert yardstick("playouts", tasks.game, 500, seed) == tasks.playouts(500, seed)


@pytest.mark.slow
def test_yardstick_and_compiled_code_grow_the_same_trees(yardstick, tasks):
    from tasks import opening, reached

    game = tasks.game
    for plies in (0, 5, 20):
        state = reached(game, opening(game, plies, seed=plies))
        for playouts in (1, 7, 3000):
            assert yardstick("uct", game, playouts, 5, *state) == tasks.uct(playouts, 5, state)


@pytest.mark.slow
def test_compiled_matches_have_the_streams_that_arena_derives(tasks):
    from arena.rng import below, derive

    game = tasks.game
    plies = results = 0
    for match in range(5):
        stream, state = [derive(7, match), 0], game.initial()
        while moves := game.moves(state):
            state = game.play(state, moves[below(stream, len(moves))])
            plies += 1
        results += game.value(state) * (1 if game.to_move(state) == 0 else -1)
    assert tasks.playouts(5, 7) == [plies, results]


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


@pytest.mark.slow
def test_the_learner_that_is_timed_has_learned_whenever_it_is(benchmarks):
    from timed_training import TimedTraining

    training = TimedTraining(
        "tic-tac-toe", "q-table:opponent=self,epsilon=1,epsilon_drop=0,symmetries=false,episodes=20000"
    )
    learners = []
    for _ in range(2):
        assert training.rate() > 0
        learners.append(training.learner)
        assert training.positions() == 5477  # all that can be reached, known by count, but the first
    assert learners[0] is not learners[1]


OPENINGS = {  # of tic-tac-toe, with what they are worth to X, as every textbook has it
    ".........": 0,
    "X........": 0,
    "X...O....": 0,
    "XO.......": 1,
    "X.O......": 1,
    "X.......O": 1,
    "O...X....": 0,
    ".O..X....": 1,
    "XX..O....": 0,
    "XX.O.O...": 1,
}
ZERO_SUM = "opponent=optimal,gamma=1,win=1,loss=-1"


@pytest.mark.parametrize("name", ["value-iteration", "policy-iteration"])
@pytest.mark.slow
def test_what_is_timed_over_all_positions_is_done_whenever_it_is(benchmarks, name):
    from iterations import Iteration

    iteration = Iteration("tic-tac-toe", f"{name}:{ZERO_SUM}")
    learners = []
    for measure in (lambda: iteration.whole(1e-9), iteration.rate):
        assert measure() > 0
        learners.append(iteration.learner)
        values = iteration.values()
        assert len(values) == 5478  # all that can be reached
        assert {text: values[text] for text in OPENINGS} == OPENINGS
    assert learners[0] is not learners[1]


@pytest.mark.slow
def test_what_has_not_converged_is_no_measurement(benchmarks):
    from iterations import Iteration

    with pytest.raises(SystemExit, match="at tic-tac-toe has not converged; give it more episodes"):
        Iteration("tic-tac-toe", "value-iteration:episodes=1")


@pytest.mark.parametrize("once", ["", "once"])
def test_openspiels_values_are_those_of_what_is_timed(benchmarks, tmp_path, once):
    pytest.importorskip("pyspiel")
    from iterations import Iteration

    (tmp_path / "cvxpy.py").write_text("raise ImportError('this is not needed')")
    command = [sys.executable, BENCHMARKS / "peers.py", "spiel_values", "0", "tic-tac-toe", once]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    said = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
    values = json.loads(said)
    assert {text: values[text] for text in OPENINGS} == OPENINGS
    iteration = Iteration("tic-tac-toe", f"value-iteration:{ZERO_SUM}")
    iteration.agree(values)
    with pytest.raises(SystemExit, match=r"XO\.+: worth 1.0, beside it -1"):
        iteration.agree({**values, "XO.......": -1})
    del values["XO......."]
    with pytest.raises(SystemExit, match=r"XO\.+: worth 1.0, beside it None"):
        iteration.agree(values)


@pytest.mark.slow
def test_iteration_is_measured_and_shown_beside_the_published_program():
    command = [sys.executable, BENCHMARKS / "speed.py", "--only", "iteration", "--quick"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in said.splitlines()]
    rows = {row[0]: row for row in cells if len(row) == 5}
    assert rows["checkers-4x4, 4,302 positions found"][2:4] == ["published program", "4.10 s"]
    sweep = rows["checkers-4x4, `value-iteration:published=true`, a sweep"]
    assert sweep[2:4] == ["published program", "17.5 s"]
    time, unit = sweep[1].split()
    seconds = float(time) * {"ms": 1e-3, "µs": 1e-6}[unit]
    assert int(sweep[4].replace(",", "")) == pytest.approx(17.5 / seconds, rel=0.01)
    assert any("checkers-4x4, `policy-iteration`" in work for work in rows)


@pytest.fixture
def published(benchmarks):
    """A learner with the table of the program published with Prior State Voting."""
    rows = [
        (published_state(state), published_move(move), value)
        for state, moves in json.loads((DATA / "psv_model_60.json").read_text())["q_table"].items()
        for move, value in moves
        if value
    ]
    states, moves, values = (np.array(part) for part in zip(*rows, strict=True))
    learner = QBackprop(registry().spec("game", "checkers").make())
    learner.recall({"states": states, "moves": moves, "values": values.reshape(-1, 1)})
    learner.name = "q-backprop"
    return learner


@pytest.mark.slow
def test_the_scan_and_the_votes_that_are_timed_are_those_of_the_published_program(published):
    from votes import Scan, Voter

    stated = json.loads((DATA / "psv_scores_60.json").read_text())["positions"][:20]
    states = [published_state(position["state"]) for position in stated]
    chosen = [published_move(position["chosen"]) for position in stated]
    voter, scan = Voter(published), Scan(published)
    assert voter.choose(states) == chosen
    for state, position in zip(states, stated, strict=True):
        means = {published_move(move["move"]): move["mean"] for move in position["moves"]}
        assert scan.scores(state) == pytest.approx(means, abs=1e-12)
    assert scan.rate(states, chosen) > 0
    others = [min(scores, key=scores.get) for scores in map(scan.scores, states)]
    with pytest.raises(SystemExit, match="not the best of the scan"):
        scan.rate(states, others)
    assert min(voter.rate(states), voter.matches_rate(10)) > 0


def test_positions_to_vote_in_are_not_in_the_table_and_leave_a_choice(published):
    from votes import unknown

    game = published.game
    known = set(map(tuple, published.model()["states"].tolist()))
    found = unknown([published], 20)
    assert known.isdisjoint(found)
    assert min(len(game.moves(state)) for state in found) == 2
    met = [state for seed in range(20) for state in random_match(game, seed) if len(game.moves(state)) > 1]
    assert found == [state for state in met if state not in known]
    assert len(found) < len(met)


@pytest.mark.campaign
def test_voting_is_measured_and_shown_beside_the_published_program():
    command = [sys.executable, BENCHMARKS / "speed.py", "--only", "vote", "--quick"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in said.splitlines()]
    rows = [row for row in cells if len(row) == 5]
    beside = {row[2]: row for row in rows}
    assert beside["published program, 105,023 positions"][3] == "4.00 s"
    assert beside["scan of these, in Python"][0] == beside["published program, 105,023 positions"][0]
    matches = {row[0]: row[3] for row in rows if "a match after" in row[0]}
    assert matches == {
        "`psv`, a match after 5,000 games": "148 s",
        "`psv`, a match after 40,000 games": "1018 s",
    }
    assert "330 games/s" in [row[3] for row in rows if row[0] == "`q-backprop`, 10,000 games"]


def test_times_are_shown_in_a_unit_that_fits(benchmarks):
    from timing import each

    assert [each(rate) for rate in (1e6, 2e3, 50, 0.25)] == ["1.00 µs", "500 µs", "20.0 ms", "4.00 s"]


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


def test_the_readmes_table_of_speed_has_what_its_script_measures(benchmarks):
    import page
    import readme

    _, written, _ = page.parts(readme.README, "readme.py")
    assert written.startswith(readme.HEAD + "\n")
    rows = written.removeprefix(readme.HEAD).strip().splitlines()
    assert len(rows) == len(readme.WORK)
    size = {"": 1, "k ": 1e3, "M ": 1e6}
    for row, (work, (unit, _, _)) in zip(rows, readme.WORK.items(), strict=True):
        pattern = rf"\| {re.escape(work)} \| (\S+) ([kM] |){unit}/s \| (\S+) ([kM] |){unit}/s \| (\S+) \|"
        plain, plain_size, fast, fast_size, times = re.fullmatch(pattern, row).groups()
        shown = float(fast) * size[fast_size] / (float(plain) * size[plain_size])
        assert float(times.replace(",", "")) == pytest.approx(shown, rel=0.02)


@pytest.mark.slow
def test_what_the_readmes_table_is_measured_by_is_the_readmes(benchmarks, tmp_path, monkeypatch):
    import readme

    for name, text in readme.modules().items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    for _, _, make in readme.WORK.values():
        make()(2)


# --- a command timed from the outside ---------------------------------------------------------------------


def test_a_rate_is_never_negative_however_long_the_command_takes_to_start(benchmarks):
    from timing import Command

    class Busy(Command):
        """A thousand matches a second, after a start whose seconds come from a list."""

        def __init__(self, starts):
            self.game, self.few, self.many, self.starts = "nim", 20, 1020, iter(starts)

        def run(self, matches):
            return next(self.starts) + matches / 1000

    assert Busy([0.5, 0.5, 0.5]).rate() == pytest.approx(1000)
    late = Busy([3.0, 0.5, 0.5, *[0.5] * 9])  # the few took longer than the many
    assert late.rate() == pytest.approx(1000)
    assert late.many > 1020
    with pytest.raises(SystemExit, match="nim: start-up takes as long as 261,120 matches"):
        Busy(1e6 - i for i in range(99)).rate()
