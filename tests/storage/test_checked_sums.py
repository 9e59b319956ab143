"""Sums that contradict the matches are an error wherever they would be shown, resumed or merged."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing

import pytest

import arena
from arena.errors import ArenaError
from arena.storage.database import Store
from arena.storage.sums import PACKED, played_sums, remembered, state_of
from commands import inside
from records import query, sums_of
from tiers import slow, tiers

BOTS = """
from arena import Agent

class Raises(Agent):
    def choose(self, state, moves, rng):
        if rng.below(6) == 0:
            raise ValueError("no")
        return moves[-1]

class Cheats(Agent):
    def choose(self, state, moves, rng): return rng.choice([*moves, 99])
"""
HOW = {"game": "tic-tac-toe", "seed": 1, "executor": "serial", "progress": False}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Matches with and without chance, copies, forfeits, and what is forfeited unplayed; one that stopped."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "bots.py").write_text(BOTS)
        entries = ["first", "minimax:ties=first", "random", "bots.py::Raises", "bots.py::Cheats"]
        arena.tournament(entries, rounds=5, withdraw_after=3, isolate=False, db="arena.db", **HOW)
        arena.tournament(["first", "random"], rounds=4, openings="random:2", db="arena.db", **HOW)
        arena.tournament(["first", "random"], exact=True, db="arena.db", game="tic-tac-toe", progress=False)
    kinds = {kind for *_, kind in sums_of(folder / "arena.db")}
    assert kinds == {"chance", "fixed", "copy", "withdrawn"}
    return folder / "arena.db"


@pytest.fixture
def db(tmp_path, whole, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    shutil.copy(whole.parent / "bots.py", tmp_path)
    return shutil.copy(whole, tmp_path / "arena.db")


def altered(db, sql):
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(sql)


def recounted(db):
    """What the package counts, by tournament."""
    with closing(Store(db, any_sums=True)) as store:
        numbers = [number for (number,) in query(db, "SELECT id FROM tournaments")]
        return {
            (number, *key): counts for number in numbers for key, counts in played_sums(store, number).items()
        }


@pytest.mark.parametrize("least", [PACKED - 2, PACKED, *slow(0, 2**40)])
def test_matches_are_counted_as_by_an_independent_count(db, least):
    """Whatever the numbers of entries are."""
    altered(db, f"UPDATE matches SET first = first + {least}, second = second + {least}")
    altered(db, f"UPDATE entries SET id = id + {least}")
    assert recounted(db) == sums_of(db)


FORGERIES = {
    "a win more": "UPDATE pairings SET wins = wins + 1 WHERE kind = 'chance' AND tournament = 1",
    "a win in place of a loss": "UPDATE pairings SET (wins, losses) = (losses, wins)"
    " WHERE wins <> losses AND tournament = 1",
    "a pairing less": "DELETE FROM pairings WHERE first = 1 AND second = 3 AND tournament = 1",
    "a pairing more": "INSERT INTO pairings VALUES (1, 1, 1, 'chance', 1, 0, 0, 0, 0)",
    "no forfeits": "UPDATE pairings SET first_forfeits = 0, second_forfeits = 0",
    "a copy that counts": "UPDATE pairings SET kind = 'chance' WHERE kind = 'copy'",
    "a result": "UPDATE matches SET result = -result WHERE number = 9 AND result <> 0",
    "a match less": "DELETE FROM matches WHERE number = 7 AND tournament = 1",
    "a match of others": "UPDATE matches SET first = 3, second = 2 WHERE number = 3 AND tournament = 1",
    "a forfeit": "UPDATE matches SET reason = 'crash' WHERE number = 2 AND tournament = 2",
    "chance": "UPDATE matches SET chance = 1 - chance WHERE reason = 'rules' AND tournament = 1",
    "a copy that is none": "UPDATE matches SET moves = moves || ' 9' WHERE tournament = 1 AND number ="
    " (SELECT max(number) FROM matches WHERE chance = 0 AND reason = 'rules' AND tournament = 1)",
}
SHOWN = (
    "leaderboard",
    "leaderboard --json",
    "leaderboard --html page.html",
    "tournaments list",
    "tournaments show {0}",
    "tournaments show {0} --faults",
    "tournaments export {0}",
    "replay {0} 1",
    "tournament --resume {0} --executor serial",
    "tournament --add greedy --resume {0} --executor serial",
    "merge arena.db --output new.db",
)


@pytest.mark.parametrize("what", tiers(FORGERIES, quick=["a win more", "a match less"]))
def test_sums_that_contradict_matches_are_an_error_of_one_line_everywhere(db, what):
    altered(db, FORGERIES[what])
    number = 2 if "tournament = 2" in FORGERIES[what] else 1
    names = [name for (name,) in query(db, "SELECT name FROM entries")]
    for command in SHOWN:
        done = inside(db.parent, *command.format(number).split(), status=1)
        assert done.stderr.count("\n") == 1, (command, done.stderr)
        said = f"Error: tournament {number} of arena.db was altered: the sums of "
        assert done.stderr.startswith(said), (command, done.stderr)
        assert any(name in done.stderr for name in names)
        assert f"remove it: arena tournaments remove {number}" in done.stderr
    with pytest.raises(ArenaError, match="was altered: the sums of"):
        arena.leaderboard(db=db)
    inside(db.parent, "tournaments", "remove", str(number), "--yes")
    if number == 1:
        inside(db.parent, "leaderboard")


def right(db):
    return remembered(state_of(str(db)))


def test_what_was_right_is_remembered_until_the_file_changes(db):
    assert right(db) == set()
    inside(db.parent, "tournaments", "show", "2")
    assert right(db) == {2}
    arena.leaderboard(db=db)  # which keeps its ratings in the file
    assert right(db) == {1, 2, 3}
    before = os.stat(db)
    altered(db, "UPDATE pairings SET wins = wins + 1 WHERE tournament = 1")
    os.utime(db, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.stat(db).st_size == before.st_size
    assert right(db) == set()
    with pytest.raises(ArenaError, match=r"tournament 1 .* was altered"):
        arena.leaderboard(db=db)


def test_what_was_just_played_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    db = tmp_path / "new.db"
    for number in (1, 2):
        arena.tournament(["first", "random"], rounds=2, db=db, **HOW)
        assert right(db) == {*range(1, number + 1)}


def test_what_somebody_else_wrote_meanwhile_is_not_taken_for_right(db):
    with closing(Store(db, write=True)) as store:
        store.tournaments()
        altered(db, "UPDATE pairings SET wins = wins + 1 WHERE tournament = 2")
    assert right(db) == set()


def test_where_nothing_can_be_remembered_it_is_counted_each_time(db, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", "/dev/null/cache")
    for _ in range(2):
        arena.leaderboard(db=db)
    altered(db, "UPDATE pairings SET wins = wins + 1 WHERE tournament = 2")
    with pytest.raises(ArenaError, match=r"tournament 2 .* was altered"):
        arena.leaderboard(db=db)
