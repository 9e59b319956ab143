"""`arena leaderboard --worst-case`: what is left to entries against their best replies."""

from __future__ import annotations

import csv
import json
import re

import pytest

import arena
from commands import inside

ENTRIES = ["random", "first", "minimax"]


@pytest.fixture
def played(tmp_path):
    """Matches at tic-tac-toe, and one pairing at connect four."""
    quiet = {"progress": False, "executor": "serial", "db": tmp_path / "arena.db", "seed": 1}
    arena.tournament(ENTRIES, game="tic-tac-toe", rounds=2, **quiet)
    arena.tournament(["first", "random"], game="connect-four", rounds=2, **quiet)
    return tmp_path


@pytest.mark.slow
def test_in_a_small_game_it_is_exact(played):
    """By the best scores against random moves: .9974 as first, .9624 as second, see test_exploiting.py."""
    (table,) = arena.leaderboard("tic-tac-toe", worst=1, db=played / "arena.db")
    worst = {row.entry: (row.worst_score, row.worst_exact) for row in table.rows}
    assert worst["minimax"] == (0.5, True)
    assert worst["first"] == (0.0, True)
    random = 1 - (arena.exploit("random", game="tic-tac-toe").replies[0].score + 0.9624338624338623) / 2
    assert worst["random"] == (pytest.approx(random, abs=1e-9), True)
    assert "worst score: the score" in table.hints()[0]


@pytest.mark.slow
def test_in_a_large_game_it_is_a_bound(played):
    (table,) = arena.leaderboard("connect-four", worst=15, db=played / "arena.db")
    worst = {row.entry: row for row in table.rows}
    assert (worst["first"].worst_score, worst["first"].worst_exact) == (0.0, True)
    assert not worst["random"].worst_exact
    assert 0 <= worst["random"].worst_score < 0.7


@pytest.mark.slow
def test_it_stands_in_tables_and_on_pages(played):
    ask = ("leaderboard", "tic-tac-toe", "--worst-case", "1")
    assert inside(played, *ask).stdout.splitlines()[0].split()[-2:] == ["worst", "score"]
    assert "| 50.0 % |" in inside(played, *ask, "--markdown").stdout
    rows = list(csv.DictReader(inside(played, *ask, "--csv").stdout.splitlines()))
    assert {row["entry"]: row["worst_score"] for row in rows}["minimax"] == "0.5"
    told = json.loads(inside(played, *ask, "--json").stdout)
    assert {row["entry"]: row["worst_score"] for row in told}["first"] == 0.0
    inside(played, *ask, "--html", "page.html", "--no-playable")
    page = (played / "page.html").read_text()
    assert "worst score" in page
    assert re.search(r"<td[^>]*>50\.0 %</td>", page)


@pytest.mark.slow
def test_without_it_there_is_no_column(played):
    (table,) = arena.leaderboard("tic-tac-toe", db=played / "arena.db")
    assert {row.worst_score for row in table.rows} == {None}
    assert "worst" not in str(table)
