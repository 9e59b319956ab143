"""A learner that fails, hangs or ends its process costs itself alone, whichever of its methods it is."""

from __future__ import annotations

import json
import re

import pytest

from commands import arena
from records import query

LEARNERS = """
import os, time
import numpy as np
from arena import Learner, hookimpl

class Sound(Learner):
    "Learns nothing, and plays the first move."
    def choose(self, state, moves, rng): return moves[0]
    def learn(self, episode, rng): return 0
    def model(self): return {"numbers": np.zeros(1)}
    def recall(self, model): pass
    episodes: int = 3

KINDS = {
    "prepare-raises": ("prepare", "raise ValueError('no board')"),
    "prepare-exits": ("prepare", "os._exit(0)"),
    "prepare-hangs": ("prepare", "time.sleep(10**6)"),
    "learn-raises": ("learn", "raise ValueError('no idea')"),
    "learn-exits": ("learn", "os._exit(0)"),
    "learn-hangs": ("learn", "time.sleep(10**6)"),
    "learn-interrupts": ("learn", "raise KeyboardInterrupt"),
    "model-raises": ("model", "raise ValueError('no model')"),
    "model-of-objects": ("model", "return {'things': np.array([object()])}"),
}

def class_of(method, body):
    space = {"os": os, "time": time, "np": np}
    exec(f"def {method}(self, *given):\\n    {body}", space)
    return type(Sound)(method.title(), (Sound,), {method: space[method], "__doc__": "At fault."})

for name, (method, body) in KINDS.items():
    cls = class_of(method, body)
    cls.__qualname__ = cls.__name__ = name.title().replace("-", "")
    cls.__module__ = __name__
    globals()[cls.__name__] = cls

@hookimpl
def register_agents(register):
    for name in KINDS:
        register(name, "learners_here:" + name.title().replace("-", ""))
"""
LATE = r"no episode within 2 s(, at [^ ]*:\d+ in \w+)?; if it needs longer, raise --stall-seconds"
FAULTS = {
    "prepare-raises": "ValueError: no board",
    "prepare-exits": "the process ended itself with status 0",
    "prepare-hangs": LATE,
    "learn-raises": "ValueError: no idea",
    "learn-exits": "the process ended itself with status 0",
    "learn-hangs": LATE,
    "learn-interrupts": ".*KeyboardInterrupt",
    "model-raises": "ValueError: no model",
}


@pytest.fixture(scope="module")
def learners(plugin):
    return plugin(learners_here=LEARNERS)


WHERE = r"(, at [^ ]*:\d+ in \w+)?"


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.slow
def test_to_train_one_is_an_error_in_one_line(tmp_path, learners, name):
    env = {**learners, "ARENA_MODELS": str(tmp_path / "models")}
    done = arena(tmp_path, "train", name, "--stall-seconds", "2", status=1, **env)
    told = rf"Error: {name} failed while learning: {FAULTS[name]}{WHERE}"
    assert re.fullmatch(told, done.stderr.splitlines()[-1])
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_bare_tournament_goes_on_with_all_of_them_installed(tmp_path, learners):
    """They forfeit, and nobody else is touched."""
    env = {**learners, "ARENA_MODELS": str(tmp_path / "models")}
    named = [word for name in ("random", "first", *FAULTS) for word in ("--entry", name)]
    args = ("--rounds", "1", "--seed", "1", "--stall-seconds", "2", "--json", "--db", "a.db")
    args = ("--keep-going", *args)
    done = arena(tmp_path, "tournament", *named, *args, **env)
    said = json.loads(done.stdout)
    forfeits = {row["entry"]: row["forfeits"] for row in [*said["leaderboard"], *said["unrated"]]}
    assert forfeits.pop("random") == forfeits.pop("first") == 0
    assert forfeits.keys() == FAULTS.keys()
    for name, fault in FAULTS.items():
        assert re.search(
            rf"^Warning: {name} failed while learning: {fault}{WHERE}; it will forfeit$", done.stderr, re.M
        )
    assert "Traceback" not in done.stderr
    alone = arena(tmp_path, "tournament", *named[:4], *args[:-1], "alone.db", **env)
    sql = (
        "SELECT first, second, result, moves FROM results WHERE first IN ('random', 'first')"
        " AND second IN ('random', 'first') ORDER BY first"
    )
    assert query(tmp_path / "a.db", sql) == query(tmp_path / "alone.db", sql)
    assert json.loads(alone.stdout)["played"] == 2


@pytest.mark.slow
def test_a_learner_is_not_made_in_the_process_that_was_started(tmp_path, learners):
    env = {**learners, "ARENA_MODELS": str(tmp_path / "models")}
    args = ("match", "random", "prepare-exits", "--matches", "2", "--seed", "1")
    failed = "prepare-exits failed while learning: the process ended itself with status 0"
    assert f"Error: {failed};" in arena(tmp_path, *args, status=1, **env).stderr
    done = arena(tmp_path, *args, "--keep-going", status=1, **env)
    assert f"Warning: {failed}" in done.stderr
    assert "prepare-exits forfeited 2" in done.stderr
