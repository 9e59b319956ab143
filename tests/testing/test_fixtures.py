"""The fixtures that pytest has wherever arena is installed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from paths import TESTS

FILE = """
from functools import partial
from broken import Careful, Divides, Heaps, Points

def test_a_sound_game(check_game): check_game(Heaps)
def test_a_sound_game_by_name(check_game): check_game("tic-tac-toe", matches=5, positions=50)
def test_a_sound_agent(check_agent): check_agent(Careful, Heaps, matches=4, options={"luck": 10})
def test_a_broken_game(check_game): check_game(Points)
def test_a_broken_agent(check_agent): check_agent(Divides, Heaps)
def test_no_option(check_agent): check_agent(partial(Careful, luck=500), Heaps)
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What pytest says of an author's file of tests."""
    folder = tmp_path_factory.mktemp("author")
    (folder / "test_mine.py").write_text(FILE)
    env = {**os.environ, "PYTHONPATH": str(TESTS / "helpers"), "ARENA_COMPILED": "0", "COLUMNS": "200"}
    command = ["-m", "pytest", "-p", "arena.fixtures", "-p", "no:cacheprovider", "-v", "test_mine.py"]
    done = subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True)
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a_sound_game", "a_sound_game_by_name", "a_sound_agent"])
def test_what_keeps_its_promises_passes(said, name):
    assert f"test_mine.py::test_{name} PASSED" in said


@pytest.mark.slow
def test_each_promise_that_is_broken_is_told_and_no_traceback(said):
    assert said.count(" FAILED ") == 3
    told = """
points fails 1 of 24 checks
broken  `value` is 1, 0 or -1 where there are no moves
        value is -2, not 1, 0 or -1, in (0, 0, 0)
        after 1 2 11 12
        0+0:0
        Give the outcome for the player to move: 1 for won, 0 for drawn, -1 for lost.
"""
    assert told in said
    assert "\ndivides at heaps fails 1 of 8 checks\nbroken  It plays legal moves" in said
    assert "\noption 'luck' of careful takes a whole number from 0 to 100, not '500'\n" in said
    assert "Traceback" not in said
    assert "pytest_fixtures.py" not in said.partition("FAILURES")[2]


def test_they_cost_nothing_until_they_are_used():
    code = (
        "import sys, pytest, arena.pytest_fixtures; print(*(m for m in sys.modules if m.startswith('arena')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"arena", "arena.version", "arena.pytest_fixtures"}
