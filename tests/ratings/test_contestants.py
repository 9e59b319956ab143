"""An agent or a game that is edited between tournaments is another one from then on."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import pytest

import arena
from arena.errors import ArenaError
from arena.ratings.contestants import taken_for
from commands import arena as command
from commands import inside
from records import query

AGENT = """
from arena import Agent, hookimpl

class Picker(Agent):
    '''Plays one of the moves, always the same.'''

    def choose(self, state, moves, rng):
        return moves[{index}]

@hookimpl
def register_agents(register):
    register("picker", "picking:Picker")
"""
GAME = """
from arena import Game, hookimpl

class Race(Game):
    '''Who takes the last of some stones wins.'''

    def initial(self):
        return (0, {stones})

    def moves(self, state):
        for n in (1, 2, 3):
            if n <= state[1]:
                yield n

    def play(self, state, move):
        return (1 - state[0], state[1] - move)

    def to_move(self, state):
        return state[0]

    def value(self, state):
        return -1

@hookimpl
def register_games(register):
    register("race", "racing:Race")
"""
TWICE = ("--game", "tic-tac-toe", "--rounds", "5", "--seed", "1", "--executor", "serial")
OLDER = "10 of 20 matches were played with older code of picker and are left out; --code all shows them."


@pytest.fixture
def edited(tmp_path, plugin):
    """Two tournaments of one seed, between which an installed agent was edited, its version the same."""
    for index in (0, -1):
        environment = plugin(picking=AGENT.format(index=index))
        entries = ("--entry", "picker", "--entry", "minimax:ties=first")
        command(tmp_path, "tournament", *entries, *TWICE, **environment)
    return tmp_path


def rows(folder, *args):
    return json.loads(command(folder, "leaderboard", "--json", *args).stdout)


@pytest.mark.slow
def test_older_code_of_an_agent_is_left_out_and_a_line_says_so(edited):
    said = inside(edited, "leaderboard").stdout.splitlines()
    assert OLDER in said
    assert not any("move for move" in line and "20" in line for line in said)
    matches = {row["entry"]: row["matches"] for row in rows(edited)}
    assert matches == {"picker": 2, "minimax:ties=first": 2}  # without chance, from either seat


@pytest.mark.slow
def test_all_code_has_a_row_each(edited):
    found = {row["entry"]: row for row in rows(edited, "--code", "all")}
    ((old,), (new,)) = query(
        edited / "arena.db", "SELECT code FROM codes JOIN entries ON id = entry WHERE name = 'picker'"
    )
    assert old != new
    assert found["picker"]["code"] == new
    assert found[f"picker [{old[:4]}]"]["code"] == old
    assert {name: row["matches"] for name, row in found.items()} == {
        "picker": 2,
        f"picker [{old[:4]}]": 2,
        "minimax:ties=first": 4,
    }
    shown = inside(edited, "leaderboard", "--code", "all", "--markdown").stdout
    assert f"picker \\[{old[:4]}\\]" in shown


@pytest.mark.slow
def test_code_that_is_taken_back_is_the_same_contestant_again(edited, plugin):
    entries = ("--entry", "picker", "--entry", "minimax:ties=first")
    command(edited, "tournament", *entries, *TWICE, **plugin(picking=AGENT.format(index=0)))
    matches = {row["entry"]: row["matches"] for row in rows(edited)}
    assert matches == {"picker": 2, "minimax:ties=first": 2}
    assert "10 of 30 matches were played with older code of picker" in inside(edited, "leaderboard").stdout


@pytest.mark.slow
def test_layout_alone_makes_no_other_contestant(tmp_path, plugin):
    entries = ("--entry", "picker", "--entry", "minimax:ties=first")
    for source in (AGENT.format(index=0), "# new\n" + AGENT.format(index="(0)").replace("always", "ever")):
        command(tmp_path, "tournament", *entries, *TWICE, **plugin(picking=source))
    assert len(query(tmp_path / "arena.db", "SELECT DISTINCT code FROM codes")) == 2
    said = inside(tmp_path, "leaderboard").stdout
    assert "18 of 20 matches repeat others move for move and count once." in said
    assert "left out" not in said


@pytest.mark.slow
def test_entries_that_only_met_older_code_are_named(edited, plugin):
    entries = ("--entry", "picker", "--entry", "random")
    command(edited, "tournament", *entries, *TWICE, **plugin(picking=AGENT.format(index=-1)))
    command(
        edited,
        "tournament",
        *entries[:2],
        "--entry",
        "first",
        *TWICE,
        **plugin(picking=AGENT.format(index=1)),
    )
    said = inside(edited, "leaderboard").stdout
    assert (
        "30 of 40 matches were played with older code of picker and are left out, and with them "
        "minimax:ties=first, random; --code all shows them." in said
    )


@pytest.mark.slow
def test_which_code_played_is_shown(edited):
    shown = json.loads(inside(edited, "tournaments", "show", "1", "--json").stdout)
    found = dict(
        query(
            edited / "arena.db",
            "SELECT name, code FROM codes JOIN entries ON id = entry WHERE tournament = 1",
        )
    )
    assert shown["codes"] == found
    assert len(shown["code"]) == 16
    said = inside(edited, "tournaments", "show", "1").stdout
    codes = ", ".join(f"{name} {code[:4]}" for name, code in shown["codes"].items())
    assert f"  code: tic-tac-toe {shown['code'][:4]}; {codes}\n" in said


@pytest.mark.slow
def test_tournaments_are_removed_with_their_codes(edited):
    inside(edited, "tournaments", "remove", "1", "--yes")
    inside(edited, "tournaments", "remove", "2", "--yes")
    assert query(edited / "arena.db", "SELECT * FROM codes") == []
    assert query(edited / "arena.db", "SELECT * FROM entries") == []


@pytest.mark.slow
def test_one_tournament_alone_leaves_nothing_out(edited):
    for number in ("1", "2"):
        assert "left out" not in inside(edited, "leaderboard", "--tournament", number).stdout


@pytest.mark.slow
def test_older_rules_of_a_game_are_left_out_and_have_a_table_of_their_own(tmp_path, plugin):
    entries = ("--entry", "random", "--entry", "first", "--game", "race", "--rounds", "5", "--seed", "1")
    for stones in (7, 9):
        command(tmp_path, "tournament", *entries, **plugin(racing=GAME.format(stones=stones)))
    line = "10 of 20 matches were played under older rules of race and are left out; --code all shows them."
    assert line in inside(tmp_path, "leaderboard").stdout
    boards = arena.leaderboard(db=tmp_path / "arena.db", code="all")
    assert [(board.older, {row.matches for row in board.rows}) for board in boards] == [
        (False, {10}),
        (True, {10}),
    ]
    assert boards[1].title == f"race, older rules {boards[1].rules[:4]}"
    assert "race, older rules" in inside(tmp_path, "leaderboard", "--code", "all").stdout
    inside(tmp_path, "leaderboard", "--code", "all", "--html", "page.html")
    assert boards[1].title in (tmp_path / "page.html").read_text()


@pytest.mark.slow
def test_blunders_are_by_the_rules_that_were_played(tmp_path, plugin):
    entries = ("--entry", "random", "--entry", "first", "--game", "race", "--rounds", "5", "--seed", "1")
    for stones in (7, 9):
        environment = plugin(racing=GAME.format(stones=stones))
        command(tmp_path, "tournament", *entries, **environment)
    asked = ("leaderboard", "--blunders", "--code", "all")
    new, old = command(tmp_path, *asked, **environment).stdout.split("race, older rules ")
    told = "Blunders are not counted: these matches were played under other rules of race than are installed."
    assert "blunders" in new
    assert told not in new
    assert told in old


@pytest.mark.slow
def test_expected_loss_is_of_the_code_that_played(edited, plugin):
    source = AGENT.replace("    def choose", "    def distribution(self, state, moves):\n        return "
        "[int(move == moves[{index}]) for move in moves]\n\n    def choose")  # fmt: skip
    found = {
        row["entry"]: row["expected_loss"]
        for row in json.loads(
            command(
                edited, "leaderboard", "--blunders", "--code", "all", "--json",
                **plugin(picking=source.format(index=-1)),
            ).stdout
        )
    }  # fmt: skip
    assert len(found) == 3
    assert found.pop("minimax:ties=first") == 0
    assert set(found.values()) == {None}


def test_unknown_code_is_taken_for_what_came_next():
    recorded = {
        (1, "a"): "unknown", (2, "a"): "3f2a", (3, "a"): "unknown", (4, "a"): "8b00", (5, "a"): "unknown",
        (1, "b"): "unknown", (2, "b"): "unknown",
    }  # fmt: skip
    assert taken_for(recorded) == {
        (1, "a"): "3f2a", (2, "a"): "3f2a", (3, "a"): "8b00", (4, "a"): "8b00", (5, "a"): "unknown",
        (1, "b"): "unknown", (2, "b"): "unknown",
    }  # fmt: skip


@pytest.mark.slow
def test_exact_results_of_older_code_are_left_out(tmp_path, plugin):
    source = AGENT.replace("    def choose", "    def distribution(self, state, moves):\n        return "
        "[int(move == moves[{index}]) for move in moves]\n\n    def choose")  # fmt: skip
    for index in (0, -1):
        entries = ("--entry", "picker", "--entry", "random", "--game", "tic-tac-toe", "--exact")
        command(tmp_path, "tournament", *entries, **plugin(picking=source.format(index=index)))
    said = inside(tmp_path, "leaderboard").stdout
    assert "2 of 4 pairings were evaluated with older code of picker and are left out;" in said
    assert len(rows(tmp_path, "--code", "all")) == 3


@pytest.mark.slow
def test_what_was_begun_with_other_code_is_not_resumed(tmp_path, plugin):
    entries = ("--entry", "picker", "--entry", "minimax:ties=first")
    command(tmp_path, "tournament", *entries, *TWICE, **plugin(picking=AGENT.format(index=0)))
    resume = ("tournament", "--resume", "1")
    command(tmp_path, *resume, **plugin(picking="# laid out anew\n" + AGENT.format(index=0)))
    refused = command(tmp_path, *resume, status=1, **plugin(picking=AGENT.format(index=1))).stderr
    assert refused.startswith("Error: tournament 1 was begun with different code of 'picker', ")
    assert refused.endswith("; undo the change, or begin a new tournament\n")
    assert refused.count("\n") == 1


@pytest.mark.slow
def test_a_game_laid_out_anew_is_resumed_and_another_is_not(tmp_path, plugin):
    entries = ("--entry", "random", "--entry", "first", "--game", "race", "--rounds", "5", "--seed", "1")
    command(tmp_path, "tournament", *entries, **plugin(racing=GAME.format(stones=7)))
    resume = ("tournament", "--resume", "1")
    command(tmp_path, *resume, **plugin(racing=GAME.format(stones="(7)") + "\n# the end\n"))
    refused = command(tmp_path, *resume, status=1, **plugin(racing=GAME.format(stones=8))).stderr
    assert refused.startswith("Error: tournament 1 was begun under other rules of race; ")


@pytest.mark.slow
def test_classes_of_ones_own_are_told_apart_too(tmp_path, monkeypatch):
    """Three sources of a module, the last two of which differ in a comment alone."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    first, second = (AGENT.format(index=index) for index in (0, -1))
    db = tmp_path / "arena.db"
    for source in (first, second, "# a comment\n" + second):
        (tmp_path / "picking.py").write_text(source)
        monkeypatch.delitem(sys.modules, "picking", raising=False)
        importlib.invalidate_caches()
        entries = [importlib.import_module("picking").Picker, "minimax:ties=first"]
        arena.tournament(entries, game="tic-tac-toe", rounds=5, seed=1, executor="serial", db=db)
    del sys.modules["picking"]
    (board,) = arena.leaderboard(db=db)
    assert {row.matches for row in board.rows} == {2}
    assert board.notes[-1].startswith(
        "10 of 30 matches were played with older code of picker and are left out"
    )
    assert board.notes[0] == "18 of 20 matches repeat others move for move and count once."


SCRIPT = """
import arena, helping

class Mine(arena.Agent):
    '''Plays.'''

    def choose(self, state, moves, rng):
        return moves[helping.index({index})]

if __name__ == "__main__":
    arena.tournament([Mine, "minimax:ties=first"], game="tic-tac-toe", rounds=2, seed=1, executor="serial")
"""


@pytest.mark.slow
def test_a_class_of_a_script_and_what_it_imports_there_are_told_apart(tmp_path):
    helper = "def index(i):\n    return {}\n"
    for index, what in (("0", "i"), ("(0)", "(i)"), ("1", "i"), ("1", "-i")):
        (tmp_path / "mine.py").write_text(SCRIPT.format(index=index))
        (tmp_path / "helping.py").write_text(helper.format(what))
        subprocess.run([sys.executable, "mine.py"], cwd=tmp_path, check=True, capture_output=True)
    codes = [
        code
        for (code,) in query(
            tmp_path / "arena.db",
            "SELECT code FROM codes JOIN entries ON id = entry WHERE agent = 'mine' ORDER BY tournament",
        )
    ]
    assert codes[0] == codes[1]
    assert len(set(codes)) == 3
    assert "unknown" not in codes


def test_another_word_for_code_is_an_error_in_one_line(tmp_path):
    with pytest.raises(ArenaError, match="code is 'newest', but must be 'latest' or 'all'"):
        arena.leaderboard(code="newest", db=tmp_path / "arena.db")
