"""Whoever waits for plain Python is told once what it costs, and which line to change."""

from __future__ import annotations

import pytest

from arena import Agent, match
from commands import arena_compiled

COST = "which is much slower than compiled code"
SLEEPS = '''
import time
from arena import Agent


class Sleeper(Agent):
    """Plays the first move, after a while."""

    def choose(self, state, moves, rng):
        time.sleep(0.3)
        return moves[0]
'''
LEARNS = '''
import time
from arena import Learner, option


class Dreamer(Learner):
    """Learns nothing, slowly."""

    episodes: int = option(8, "episodes")

    def choose(self, state, moves, rng):
        return moves[0]

    def learn(self, episode, rng):
        time.sleep(0.3)
        return 0

    def model(self):
        return {}

    def recall(self, model):
        pass
'''
TEXTS = '''
import time
from arena import Game


class Counting(Game):
    """Whoever takes the last of five coins wins; positions are texts."""

    def initial(self):
        return "oooooA"

    def moves(self, state):
        time.sleep(0.05)
        return [1, 2][: len(state) - 1]

    def to_move(self, state):
        return int(state[-1] == "B")

    def play(self, state, move):
        return state[move:-1] + ("A" if state[-1] == "B" else "B")

    def value(self, state):
        return -1
'''


def notes(done):
    """The lines of advice."""
    return [line for line in done.stderr.splitlines() if line.startswith("Note: ")]


def test_the_author_of_a_file_is_told_once_for_all_matches(tmp_path):
    (tmp_path / "sleeper.py").write_text(SLEEPS)
    done = arena_compiled(tmp_path, "match", "sleeper.py", "random", "--matches", "8")
    assert notes(done) == [
        f"Note: sleeper.py: choose runs as plain Python, {COST}: "
        "sleeper.py, line 10: time.sleep does not compile; see docs/compiling.md"
    ]


@pytest.mark.slow
def test_a_program_that_reads_json_is_not(tmp_path):
    (tmp_path / "sleeper.py").write_text(SLEEPS)
    done = arena_compiled(tmp_path, "match", "sleeper.py", "random", "--matches", "4", "--json")
    assert notes(done) == []


def test_nor_is_one_whose_agent_is_quick(tmp_path):
    (tmp_path / "quick.py").write_text(SLEEPS.replace("0.3", "0.0"))
    done = arena_compiled(tmp_path, "match", "quick.py", "random", "--matches", "8")
    assert notes(done) == []


@pytest.mark.slow
def test_nor_one_who_wants_plain_python(tmp_path):
    (tmp_path / "sleeper.py").write_text(SLEEPS)
    done = arena_compiled(tmp_path, "match", "sleeper.py", "first", "--matches", "4", ARENA_COMPILED="0")
    assert notes(done) == []


class Napper(Agent):
    """Plays the first move, after a while."""

    def choose(self, state, moves, rng):
        import time

        time.sleep(0.3)
        return moves[0]


class Dozer(Napper):
    """The same in this process."""


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "executor"), [(Napper, "processes"), (Dozer, "serial")])
def test_in_python_the_author_of_a_class_is_told_once(agent, executor, capfd):
    for _ in range(2):
        match(agent, "random", game="tic-tac-toe", matches=4, executor=executor, progress=False)
    (line,) = (line for line in capfd.readouterr().err.splitlines() if line.startswith("Note: "))
    assert f": choose runs as plain Python, {COST}: test_told_plain.py, line " in line


@pytest.mark.slow
def test_the_author_of_rules_is_told_that_a_text_of_a_fixed_length_compiles(tmp_path):
    (tmp_path / "counting.py").write_text(TEXTS)
    done = arena_compiled(tmp_path, "match", "random", "first", "--game", "counting.py", "--matches", "20")
    assert notes(done) == [
        "Note: counting.py: the rules run as plain Python: counting.py, line 19: "
        "play returns 'ooooB' after 'oooooA', which is of length 5, and not of 6 as initial is; "
        "a text of a fixed length compiles, "
        "and plays about 100 times as fast; see docs/compiling.md"
    ]


@pytest.mark.slow
def test_the_author_of_a_learner_is_told_while_it_learns(tmp_path):
    (tmp_path / "dreamer.py").write_text(LEARNS)
    env = {"ARENA_MODELS": str(tmp_path / "models")}
    done = arena_compiled(tmp_path, "train", "dreamer.py", **env)
    assert notes(done) == [
        f"Note: dreamer.py: learn runs as plain Python, {COST}: "
        "dreamer.py, line 15: time.sleep does not compile; see docs/compiling.md"
    ]
