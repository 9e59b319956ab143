"""Learners that nobody has named are not waited for however long they take."""

from __future__ import annotations

import time

import pytest

import arena
from arena.commands.tournament import call as tournaments
from arena.compiler.activity import activity, compiling
from arena.registry.plugins import registry
from arena.storage import model_file
from arena.storage.model_file import About
from arena.training import jobs, learners
from arena.training.jobs import Job, TooLong, duration
from arena.training.learners import untrained


@pytest.fixture
def impatient(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("ARENA_COMPILED", "0")
    monkeypatch.setattr(jobs, "SEEN_SECONDS", 0.0)
    monkeypatch.setattr(tournaments, "PATIENCE", 0.01)


@pytest.mark.slow
def test_those_that_nobody_named_are_left_out_and_a_line_says_so(impatient):
    found = arena.tournament(game="tic-tac-toe", rounds=1, seed=1, executor="serial")
    entries = set(found.settings["entries"])
    left_out = set(found.settings["left_out"])
    assert {"q-table", "psv", "sarsa"} <= left_out
    assert {"random", "minimax", "greedy"} <= entries
    assert not entries & left_out
    assert found.played == found.planned == len(entries) * (len(entries) - 1)
    *lines, unfit = found.remarks()
    assert unfit.startswith("left out: transition-q needs abstract")
    told = {line.partition(" ")[0]: line for line in lines}
    assert told.keys() == left_out - {"transition-q"}
    for name, line in told.items():
        assert line.startswith(f"{name} is left out: would take about ")
        assert line.endswith(f' to train; train it first: arena.train("{name}", game="tic-tac-toe")')


def test_who_is_named_is_waited_for(impatient):
    found = arena.tournament(["q-table:episodes=300", "random"], rounds=1, seed=1, executor="serial")
    assert found.settings["entries"] == ["q-table:episodes=300", "random"]
    assert found.remarks() == []


def about(episodes, planned):
    fields = dict.fromkeys(About.__struct_fields__, "")
    return About(**{**fields, "episodes": episodes, "planned": planned})


@pytest.mark.parametrize(
    ("learned", "episodes", "patience", "given_up"),
    [(5.0, 100, 60.0, True), (5.0, 100, 500.0, False), (1.0, 100, 60.0, False), (5.0, 100, 0.0, False)],
)
def test_it_is_given_up_once_it_is_seen_what_the_rest_takes(learned, episodes, patience, given_up):
    job = Job.__new__(Job)
    job.about, job.pace, job.learned, job.error = about(episodes, 10_000), 100.0, learned, None
    job.hurry(patience)  # 9,900 episodes at 100 a second
    assert isinstance(job.error, TooLong) == given_up
    if given_up:
        assert str(job.error) == "would take about 99 s to train"


@pytest.mark.parametrize(
    ("seconds", "text"), [(3, "3 s"), (119, "119 s"), (121, "2 min"), (7000, "117 min"), (10_800, "3 h")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_what_is_compiled_meanwhile_says_nothing_of_how_long_it_takes(monkeypatch, tmp_path):
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path))
    spec, game = registry().spec("agent", "q-table:episodes=3"), registry().spec("game", "tic-tac-toe")
    begun = model_file.about_learner(untrained(spec, game), {})

    def compiles(learner, numbers, tally, stall_seconds):
        with compiling("q-table"), compiling("a part of it"):
            time.sleep(0.2)
        time.sleep(0.01)

    monkeypatch.setattr(learners, "learn_watched", compiles)
    before, start = activity.compiling, time.perf_counter()
    done = learners.train_slice(spec, game, begun, 1, False, 0.0)
    compiled, taken = activity.compiling - before, time.perf_counter() - start
    assert 0.2 <= compiled <= taken
    assert 0 < done.learning <= taken - compiled
