"""Matches for other programs."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys

import pytest

from commands import inside

TWO = ["--entry", "random", "--entry", "greedy", "--seed", "1", "--executor", "serial"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tournament of each of three games, the last one exact."""
    folder = tmp_path_factory.mktemp("export")
    inside(folder, "tournament", *TWO, "--game", "checkers", "--rounds", "3", "--openings", "random:3")
    inside(folder, "tournament", *TWO, "--game", "connect-four", "--rounds", "2")
    inside(folder, "tournament", *TWO, "--game", "tic-tac-toe", "--exact")
    return folder


def query(folder, sql):
    with sqlite3.connect(folder / "arena.db") as db:
        return db.execute(sql).fetchall()


@pytest.mark.slow
def test_json_has_a_line_for_each_match_as_it_is_recorded(folder):
    lines = inside(folder, "tournaments", "export", "1").stdout.splitlines()
    found = [json.loads(line) for line in lines]
    columns = "number, first, second, result, reason, plies, moves"
    rows = query(folder, f"SELECT {columns} FROM results WHERE tournament = 1 ORDER BY number")
    assert len(found) == len(rows) == 6
    for match, (number, first, second, result, reason, plies, moves) in zip(found, rows, strict=True):
        assert (match["number"], match["first"], match["second"]) == (number, first, second)
        assert (match["result"], match["reason"], match["opening"]) == (result, reason, 3)
        assert " ".join(match["moves"]) == moves
        assert len(match["moves"]) == plies


# by the description of PDN: tags of players, dates, black moves first at type 21; test_pdn.py has results
@pytest.mark.slow
def test_checkers_is_in_pdn(folder):
    text = inside(folder, "tournaments", "export", "1", "--notation").stdout
    games = re.split(r"\n\n+(?=\[Event)", text.strip())
    columns = "first, second, result, moves, round"
    rows = query(folder, f"SELECT {columns} FROM results WHERE tournament = 1 ORDER BY number")
    assert len(games) == len(rows)
    for game, (first, second, result, moves, round) in zip(games, rows, strict=True):
        head, body = game.split("\n\n")
        tags = dict(re.fullmatch(r'\[(\w+) "(.*)"\]', line).groups() for line in head.splitlines())
        won = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}[result]  # from black's side, who is first
        assert (tags["Black"], tags["White"], tags["Result"]) == (first, second, won)
        assert (tags["GameType"], tags["Round"], tags["Site"]) == ("21", str(round + 1), "?")
        assert re.fullmatch(r"\d{4}\.\d\d\.\d\d", tags["Date"])
        assert max(map(len, body.splitlines())) <= 79
        words = body.split()
        assert words[-1] == won
        assert [word for word in words[:-1] if not word.endswith(".")] == moves.split()
        assert [word for word in words[:-1] if word.endswith(".")] == [
            f"{i}." for i in range(1, len(moves.split()) // 2 + len(moves.split()) % 2 + 1)
        ]
        assert words[0] == "1."


def test_connect_four_is_in_digits(folder):
    lines = inside(folder, "tournaments", "export", "2", "--notation").stdout.splitlines()
    rows = query(folder, "SELECT moves FROM results WHERE tournament = 2 ORDER BY number")
    assert lines == [moves.replace(" ", "") for (moves,) in rows]
    assert all(re.fullmatch("[1-7]+", line) for line in lines)


def test_what_cannot_be_is_one_line(folder, tmp_path):
    said = inside(folder, "tournaments", "export", "3", status=1).stderr
    assert said == "Error: tournament 3 was evaluated exactly and has no matches\n"
    assert inside(folder, "tournaments", "export", "9", status=1).stderr.count("\n") == 1
    (tmp_path / "arena.db").write_bytes((folder / "arena.db").read_bytes())
    with sqlite3.connect(tmp_path / "arena.db") as db:
        db.execute("UPDATE matches SET moves = '1-2' WHERE tournament = 1 AND number = 2")
    said = inside(tmp_path, "tournaments", "export", "1", "--notation", status=1).stderr
    assert said.startswith("Error: match 2 is none of checkers as installed: ")
    assert said.count("\n") == 1


def test_names_stay_within_their_quotes(tmp_path):
    from arena_games.checkers.game_8x8 import Checkers

    tags = {
        "event": 'a "b" \\ c', "date": "2026.01.31", "round": "1", "first": 'x"]', "second": "y",
        "result": "1-0", "termination": "rules",
    }  # fmt: skip
    head = Checkers().match_text(tags, ["11-15"]).splitlines()
    assert head[0] == '[Event "a \\"b\\" \\\\ c"]'
    assert '[Black "x\\"]"]' in head
    assert head[-1] == "1. 11-15 1-0"


@pytest.mark.slow
def test_a_reader_may_have_enough(folder):
    command = f"{sys.executable} -m arena tournaments export 1 | head -n 1"
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
