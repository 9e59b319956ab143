"""What commands do where little is said: a folder of agents, the newest tournament, an opponent."""

import json

import pytest

import arena
from commands import inside

BOT = """
from arena import Agent

class Bot(Agent):
    'Plays the first move.'

    def choose(self, state, moves, rng):
        return moves[0]
"""
QUIET = {"rounds": 1, "seed": 1, "executor": "serial", "progress": False}


@pytest.fixture
def bots(tmp_path, monkeypatch):
    """A folder of agents, and of much that is none."""
    monkeypatch.chdir(tmp_path)
    names = ("alice.py", "deep/bob.py", "tests/carol.py", ".hidden/dave.py", "__pycache__/eve.py", ".fay.py")
    for name in (*names, "test_gus.py", "hal_test.py", "conftest.py", "__init__.py", "notes.txt"):
        (tmp_path / "bots" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bots" / name).write_text(BOT)
    return tmp_path / "bots"


@pytest.mark.slow
def test_a_folder_stands_for_the_agents_in_it(bots):
    found = arena.tournament(["random", "bots/"], isolate=False, **QUIET)
    assert found.settings["entries"] == ["random", "alice.py", "bob.py"]


def test_a_folder_alone_is_enough_and_a_file_without_an_agent_is_left_out(bots):
    (bots / "none.py").write_text("x = 1\n")
    words = ["tournament", "bots/", "--rounds", "1", "--executor", "serial", "--no-isolate", "--json"]
    done = inside(bots.parent, *words)
    assert json.loads(done.stdout)["settings"]["entries"] == ["alice.py", "bob.py"]
    assert "Warning: none.py is left out: bots/none.py has no agent" in done.stderr


def test_an_empty_folder_is_an_error_in_one_line(tmp_path):
    (tmp_path / "empty").mkdir()
    done = inside(tmp_path, "tournament", "empty", status=1)
    assert (
        done.stderr
        == "Error: empty has no agents: it has no *.py except tests; name another folder, or files\n"
    )


@pytest.mark.slow
def test_the_newest_tournament_is_shown_and_exported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arena.tournament(["random", "first"], **QUIET)
    arena.tournament(["first", "random"], **QUIET)
    for words in (["show"], ["show", "--faults"], ["export"]):
        newest, second = (inside(tmp_path, "tournaments", *words, *more) for more in ([], ["2"]))
        assert newest.stdout == second.stdout
    assert (
        inside(tmp_path, "tournaments", "show").stdout != inside(tmp_path, "tournaments", "show", "1").stdout
    )


def test_play_alone_names_a_strong_opponent(tmp_path):
    first = inside(tmp_path, "play").stdout.splitlines()[0]
    assert first == "tic-tac-toe: you are X against perfect; 'help' says what to type."
