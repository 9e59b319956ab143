"""The exit status of commands that play, as scripts see it."""

from __future__ import annotations

import json

import pytest

import arena
from arena.calls.results import ExactPairing, Forfeit, Pairing, all_forfeited
from commands import inside

AGENTS = """
from arena import Agent


class Zero(Agent):
    '''Divides by zero.'''

    def choose(self, state, moves, rng):
        return moves[1 // 0]


class Late(Agent):
    '''Fails at its second move.'''

    def choose(self, state, moves, rng):
        return moves[0] if len(moves) > 7 else moves[99]


class Last(Agent):
    '''Plays the last legal move.'''

    def choose(self, state, moves, rng):
        return moves[-1]
"""

HERE = ("--game", "tic-tac-toe", "--seed", "1", "--no-isolate", "--executor", "serial")
PLAIN = {"ARENA_COMPILED": "0"}  # which begins sooner
NOTHING = "Error: every match was forfeited, so there is no result; fix the errors in the warnings"


@pytest.fixture(autouse=True)
def agents(tmp_path):
    (tmp_path / "bots.py").write_text(AGENTS)


def tournament(folder, *entries, status, more=()):
    named = [word for entry in entries for word in ("--entry", f"bots.py::{entry}")]
    return inside(folder, "tournament", *named, "--rounds", "2", *HERE, *more, status=status, **PLAIN)


def test_a_tournament_in_which_nobody_plays_a_match_to_its_end_has_status_1(tmp_path):
    done = tournament(tmp_path, "Zero", "Late", status=1, more=["--json"])
    last = f"{NOTHING}; for details: arena tournaments show 1 --faults"
    assert done.stderr.splitlines()[-1] == last
    assert json.loads(done.stdout)["played"] == 4


def test_its_last_line_names_the_database(tmp_path):
    done = tournament(tmp_path, "Zero", "Last", status=1, more=["--db", "a b.db"])
    assert done.stderr.endswith("; for details: arena tournaments show 1 --faults --db 'a b.db'\n")
    again = inside(tmp_path, "tournament", "--resume", "1", "--db", "a b.db", status=1, **PLAIN)
    assert again.stderr.endswith(done.stderr.splitlines()[-1] + "\n")


def test_matches_forfeited_unplayed_measure_nothing_either(tmp_path):
    done = tournament(tmp_path, "Zero", "Last", status=1, more=["--withdraw-after", "1"])
    assert "Withdrawn for repeated failures" in done.stdout


def test_one_that_fails_among_others_leaves_status_0(tmp_path):
    done = tournament(tmp_path, "Zero", "Last", status=0, more=["--entry", "first", "--withdraw-after", "0"])
    assert "Warning: bots.py::Zero forfeited 8" in done.stderr
    assert NOTHING not in done.stderr


@pytest.mark.parametrize("more", [("--matches", "2"), pytest.param(("--exact",), marks=pytest.mark.slow)])
def test_a_match_without_a_match_to_its_end_has_status_1(tmp_path, more):
    here = HERE if "--exact" not in more else ("--game", "tic-tac-toe", "--executor", "serial")
    done = inside(tmp_path, "match", "bots.py::Zero", "first", *more, *here, status=1, **PLAIN)
    assert done.stderr.splitlines()[-1] == NOTHING
    assert "bots.py::Zero" in done.stdout


def test_from_python_it_is_a_property_and_no_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    how = {"matches": 2, "seed": 1, "isolate": False, "executor": "serial", "progress": False}
    assert arena.match("bots.py::Zero", "first", **how).forfeited
    assert not arena.match("bots.py::Last", "first", **how).forfeited


FAULT = Forfeit("a", 0, "crash", "")


@pytest.mark.parametrize(
    ("rows", "played", "forfeited"),
    [
        ([Pairing("a", "b", 0, 0, 2, 2, 0)], 2, True),
        ([Pairing("a", "b", 0, 0, 2, 1, 0)], 1, False),
        ([Pairing("a", "b", 0, 1, 1, 1, 0)], 1, False),  # a draw was played
        ([Pairing("a", "b", 0, 1, 1, 1, 0, unplayed=1)], 1, True),  # both withdrawn is a draw
        ([Pairing("a", "b", 0, 0, 2, 2, 0), Pairing("b", "a", 1, 0, 0, 0, 0)], 2, False),
        ([Pairing("a", "b", 0, 0, 0, 0, 0)], 0, False),
        ([], 0, False),
        ([ExactPairing("a", "b", 0.3, 0.0, 0.7, 1.0, 4.0, None, None)], 0, True),
        ([ExactPairing("a", "b", 0.3, 0.0, 0.7, 0.99, 4.0, None, None)], 0, False),
    ],
)
def test_what_counts_as_all_forfeited(rows, played, forfeited):
    assert all_forfeited(rows, [FAULT] * played) == forfeited
