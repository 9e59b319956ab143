"""`arena replay`: recorded matches, position by position."""

from __future__ import annotations

import json
import sqlite3

import pytest

import arena
from arena.registry.plugins import registry
from commands import inside
from records import add_up
from terminal import SEQUENCE
from tiers import slow, tiers
from typing_at import end_of, typing_at

FIRST, BEST = "first", "minimax:ties=first"
GAMES = list(registry().offers["game"])
CRASHING = """
from arena import Agent

class Crashing(Agent):
    def choose(self, state, moves, rng):
        if len(moves) < 8:
            raise ValueError("worn out")
        return moves[0]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tournament 1: `first` against `minimax`, which goes 1 5, 2 3, 4 7 each time from the first seat."""
    folder = tmp_path_factory.mktemp("replay")
    how = {"db": folder / "arena.db", "progress": False, "executor": "serial", "seed": 1}
    arena.tournament([FIRST, BEST], game="tic-tac-toe", rounds=3, **how)
    return folder


def test_all_positions_are_printed_and_mistakes_marked(folder):
    shown = inside(folder, "replay", "--lost-by", FIRST)
    lines = shown.stdout.splitlines()
    assert lines[:2] == [
        "Match 0 of tournament 1, tic-tac-toe: first (X) against minimax:ties=first (O)",
        "minimax:ties=first has won, after 6 plies",
    ]
    # after 1 5 2 3 X has to stop the diagonal on 7, and plays 4
    assert "5. X 4  first; a mistake, from drawn to lost" in lines
    at = lines.index("5. X 4  first; a mistake, from drawn to lost")
    assert lines[at - 3 : at] == ["X X O", "X O .", ". . ."]
    assert lines[-2:] == ["Mistakes of first (X): ply 5", "Mistakes of minimax:ties=first (O): none"]
    assert shown.stderr.startswith("Warning: 5 other matches fit, too: 1, 2, 3, 4, 5")


def test_an_entry_says_what_it_thinks(folder):
    said = inside(folder, "replay", "1", "0", "--explain", BEST).stdout
    assert "   minimax:ties=first would play 7 (score 0), not 4 (lost)" in said.splitlines()
    told = inside(folder, "replay", "--explain", FIRST, status=1).stderr
    assert told == "Error: 'first' does not explain its moves\n"


def test_json_has_positions_mistakes_and_thoughts(folder):
    found = json.loads(inside(folder, "replay", "1", "0", "--json", "--explain", BEST).stdout)
    assert (found["entries"], found["result"], found["reason"]) == ([FIRST, BEST], -1, "rules")
    assert [ply["move"] for ply in found["plies"]] == ["1", "5", "2", "3", "4", "7"]
    assert [ply["worth"] for ply in found["plies"]][3:5] == [
        {"before": 0, "after": 0},
        {"before": 0, "after": -1},
    ]
    assert found["plies"][4]["after"] == "XXOXO...."
    assert found["plies"][4]["explained"]["move"] == "7"


@pytest.mark.slow
def test_keys_step_through_it_at_a_terminal(folder):
    child = typing_at(folder, "replay", "1", "0")
    child.expect_exact("start: X to move")
    child.expect_exact(
        "0 of 6 plies; n next, b back, s start, e end, a number and Enter, m mistake, f turn, q quit"
    )
    for key, seen in (
        ("n", "1. X 1  first"),
        ("\x1b[C", "2. O 5  minimax:ties=first"),
        ("b", "1. X 1  first"),
        ("e", "6. O 7  minimax:ties=first"),
        ("s", "start: X to move"),
        ("m", "5. X 4  first; a mistake, from drawn to lost"),
        ("3\r", "3. X 2  first"),
        ("f", "3. X 2  first"),
        ("99\r", "6. O 7  minimax:ties=first"),
    ):
        child.send(key)
        child.expect_exact(seen)
        child.expect_exact("q quit")
    child.send("q")
    _, status = end_of(child)
    assert status == 0


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, *slow(80, 120, 200)])
def test_what_is_stepped_through_fits_the_terminal(folder, columns):
    child = typing_at(folder, "replay", "1", "0", "--explain", BEST, columns=columns)
    child.expect_exact("start: X to move")
    seen = ""
    for key in "nxme":
        child.expect(r"turn,\s+q\s+quit")
        seen += child.before
        child.send(key)
    child.expect(r"turn,\s+q\s+quit")
    seen += child.before
    child.send("q")
    assert end_of(child)[1] == 0
    lines = SEQUENCE.sub("", seen).split("\r\n")
    assert len(lines) > 40
    assert [line for line in lines if len(line) > columns] == []


@pytest.mark.slow
def test_ctrl_c_leaves_it_politely(folder):
    child = typing_at(folder, "replay")
    child.expect_exact("q quit")
    child.send("\x03")
    seen, status = end_of(child)
    assert "Traceback" not in seen
    assert status == 0


@pytest.mark.parametrize("name", tiers(GAMES, quick=["tic-tac-toe"]))
def test_every_match_of_a_tournament_replays_in_every_game(tmp_path, name):
    db = tmp_path / "arena.db"
    how = {"db": db, "progress": False, "executor": "serial", "seed": 3}
    arena.tournament([FIRST, "random", "greedy"], game=name, rounds=2, openings="random:2", **how)
    with sqlite3.connect(db) as opened:
        rows = opened.execute("SELECT number, plies, moves FROM matches").fetchall()
    opened.close()
    assert len(rows) == 12
    for number, plies, moves in rows:
        found = arena.replay(1, number, db=db)
        assert " ".join(ply.move for ply in found.plies) == moves
        assert (len(found.states), found.unread) == (plies + 1, [])
        assert [ply.opening for ply in found.plies[:3]] == [True, True, False]
        assert not found.game.moves(found.states[-1]) or found.reason != "rules"


@pytest.mark.slow
def test_what_forfeited_is_shown_with_its_story(tmp_path):
    (tmp_path / "crashing.py").write_text(CRASHING)
    args = (
        "match",
        "crashing.py",
        "first",
        "--game",
        "tic-tac-toe",
        "--matches",
        "1",
        "--record",
        "--seed",
        "1",
    )
    inside(tmp_path, *args, status=1)
    said = inside(tmp_path, "replay").stdout
    assert "first has won, because the other forfeited by crash: ValueError: worn out, after 2 plies" in said
    assert "  place: crashing.py:7 in choose" in said.splitlines()
    found = json.loads(inside(tmp_path, "replay", "--json").stdout)
    assert (found["reason"], found["fault"]["place"]) == ("crash", "crashing.py:7 in choose")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("1", "9" * 30), f"tournament 1 has no match {'9' * 30}"),
        (("1", "99"), "tournament 1 of arena.db has no match 99; on record: matches 0 to 5"),
        (
            ("--lost-by", "nobody"),
            "tournament 1 has no entry 'nobody'; its entries are first, minimax:ties=first",
        ),
        (("--lost-by", BEST), "minimax:ties=first has lost no match of tournament 1"),
        (
            ("1", "2", "--lost-by", FIRST),
            "a match, 2, and lost_by, first, exclude each other; pass one of them",
        ),
        (("--db", "none.db"), "there is no database none.db; play a tournament first, or use --db"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line(folder, args, said):
    assert inside(folder, "replay", *args, status=1).stderr == f"Error: {said}\n"


def test_moves_that_the_rules_do_not_know_are_told(tmp_path):
    db = tmp_path / "arena.db"
    arena.match(FIRST, "greedy", game="tic-tac-toe", matches=1, seed=1, db=db, executor="serial")
    with sqlite3.connect(db) as opened:
        opened.execute("UPDATE matches SET moves = '1 5 x 9', result = 0")
    opened.close()
    add_up(db)
    found = arena.replay(db=db)
    assert [ply.move for ply in found.plies] == ["1", "5"]
    said = (
        "ply 3, 'x', is not legal by the installed rules of tic-tac-toe; "
        "the match was played under other rules"
    )
    assert found.remarks() == [said]


def test_a_large_game_without_a_solver_is_judged_only_if_that_is_asked_for(tmp_path):
    db = tmp_path / "arena.db"
    arena.match(FIRST, "random", game="checkers", matches=1, seed=1, db=db, executor="serial")
    assert "Mistakes" not in inside(tmp_path, "replay").stdout
