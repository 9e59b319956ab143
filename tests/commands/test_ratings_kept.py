"""Ratings in the database: what was shown, of what, and whether results have come since."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import traceback
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import arena
from arena.commands.tournaments.metadata import metadata
from arena.storage.corrections import drop_played
from arena.storage.database import Store
from arena.storage.fits import Fit, Rated, keep, kept
from commands import inside
from paths import DATA
from records import query

SINCE = "SELECT DISTINCT tournament, results_since FROM leaderboard ORDER BY tournament"
OF_GAME = "FROM leaderboard WHERE tournament IS NULL AND system = 'maximum-likelihood' ORDER BY rank"


@pytest.fixture(autouse=True)
def db(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARENA_DB", raising=False)
    return tmp_path / "arena.db"


def play(seed=1, *entries, **asked):
    asked = {"game": "tic-tac-toe", "rounds": 5, "executor": "serial", **asked}
    return arena.tournament([*(entries or ("random", "first", "greedy"))], seed=seed, **asked)


def test_a_tournament_keeps_its_ratings(db):
    shown = play().leaderboard.rows
    asked = "SELECT entry, rank, ranks, rating, low, high, elo, matches, wins, draws, losses, forfeits, score"
    kept = query(db, f"{asked} FROM leaderboard WHERE tournament = 1 ORDER BY rank")
    told = json.loads(inside(db.parent, "leaderboard", "--tournament", "1", "--json").stdout)
    assert kept == [
        (
            row["entry"], i, row.ranks, *(round(row[name], 1) for name in ("rating", "low", "high", "elo")),
            *(row[name] for name in ("matches", "wins", "draws", "losses", "forfeits", "score")),
        )
        for i, row in enumerate(map(Told, told, shown), 1)
    ]  # fmt: skip


class Told(dict):
    """A row of JSON, with its ranks as they are shown."""

    def __init__(self, told, shown):
        super().__init__(told)
        self.ranks = shown.ranks


def test_a_leaderboard_keeps_those_of_the_game_and_of_what_they_are(db):
    play(seed=1)
    play(seed=2)
    assert query(db, f"SELECT 1 {OF_GAME}") == []
    (board,) = arena.leaderboard()
    assert [name for (name,) in query(db, f"SELECT entry {OF_GAME}")] == [row.entry for row in board.rows]
    fit = "SELECT id, confidence, matches, arena, notes FROM fits WHERE tournament IS NULL"
    ((id, *of),) = query(db, fit)
    assert of == [0.95, 60, arena.__version__, json.dumps(board.notes, ensure_ascii=False)]
    assert query(db, f"SELECT tournament, results, rated FROM fitted_to WHERE fit = {id}") == [
        (1, 30, 1),
        (2, 30, 1),
    ]


@pytest.mark.slow
def test_ratings_say_how_many_results_have_come_since(db):
    play(seed=1)
    arena.leaderboard()
    assert query(db, SINCE) == [(None, 0), (1, 0)]
    play(2, "random", "first", rounds=3)
    arena.tournament(["random", "first"], game="connect-four", rounds=1, seed=1, executor="serial")
    assert query(db, SINCE) == [(None, 6), (1, 0), (2, 0), (3, 0)]
    arena.leaderboard("tic-tac-toe")
    assert query(db, SINCE)[0] == (None, 0)
    assert query(db, f"SELECT entry, matches {OF_GAME}")[0] == ("greedy", 20)


def test_each_rating_system_has_its_own(db):
    play()
    arena.leaderboard()
    arena.leaderboard(rating="elo:k=24")
    arena.leaderboard(code="all")
    found = query(
        db, "SELECT system, count(*), count(low) FROM leaderboard WHERE tournament IS NULL GROUP BY 1"
    )
    assert found == [("elo:k=24", 3, 0), ("maximum-likelihood", 3, 3)]


@pytest.mark.slow
def test_what_is_exact_is_kept_apart(db):
    arena.tournament(["random", "first"], game="tic-tac-toe", exact=True, rounds=5)
    arena.tournament(["random", "first"], game="tic-tac-toe", rounds=5, seed=1, executor="serial")
    arena.leaderboard()
    asked = "SELECT exact, count(*), min(matches), max(results_since) FROM leaderboard"
    assert query(db, f"{asked} WHERE tournament IS NULL GROUP BY 1") == [(0, 2, 10, 0), (1, 2, 10, 0)]
    arena.tournament(["random", "greedy"], game="tic-tac-toe", exact=True, rounds=5)
    assert query(
        db, "SELECT exact, results_since FROM leaderboard WHERE tournament IS NULL AND rank = 1"
    ) == [
        (0, 0),
        (1, 2),
    ]


def test_the_same_again_writes_nothing(db):
    play()
    arena.leaderboard()
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE fits SET made = 'then'")
    before = db.read_bytes()
    arena.leaderboard()
    inside(db.parent, "leaderboard")
    assert db.read_bytes() == before
    assert [path.name for path in db.parent.iterdir()] == ["arena.db"]


def test_with_a_tournament_go_the_ratings_that_rest_on_it(db):
    play(seed=1)
    play(2, "random", "greedy")
    arena.leaderboard()
    arena.tournaments.remove(2)
    assert query(db, SINCE) == [(1, 0)]
    assert query(db, "SELECT (SELECT count(*) FROM fits), (SELECT count(*) FROM ratings)") == [(1, 3)]
    assert query(db, "PRAGMA foreign_key_check") == []


def test_with_results_that_are_taken_back_go_the_ratings(db):
    play()
    with closing(Store(db, write=True)) as store:
        random = store.entry_ids("tic-tac-toe")["random"]
        with store.transaction():
            assert drop_played(store, 1, random, 10)
    assert query(db, "SELECT * FROM leaderboard") == []


@pytest.mark.slow
def test_while_another_writes_the_leaderboard_is_shown_and_kept_later(db):
    play(seed=1)
    play(seed=2)
    with closing(sqlite3.connect(db)) as other:
        other.execute("BEGIN IMMEDIATE")
        (board,) = arena.leaderboard()
        other.rollback()
    assert len(board.rows) == 3
    assert query(db, f"SELECT 1 {OF_GAME}") == []
    arena.leaderboard()
    assert len(query(db, f"SELECT 1 {OF_GAME}")) == 3


def as_nobody(function):
    """The exit status of a process that calls a function, as nobody if this is root, who may write all."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        function()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


@pytest.mark.skipif(os.name != "posix", reason="needs users")
def test_what_cannot_be_written_to_has_a_leaderboard_all_the_same(db):
    play(seed=1)
    play(seed=2)

    def look():
        assert not os.access(folder / "arena.db", os.W_OK)
        (board,) = arena.leaderboard(db=folder / "arena.db")
        assert len(board.rows) == 3

    with TemporaryDirectory() as made:  # which anybody can reach, unlike pytest's own
        folder = Path(made)
        shutil.copy(db, folder)
        before = db.read_bytes()
        (folder / "arena.db").chmod(0o444)
        folder.chmod(0o555)
        assert as_nobody(look) == 0
        assert (folder / "arena.db").read_bytes() == before
        folder.chmod(0o755)


def test_a_database_without_tables_for_them_is_left_as_it_is(db):
    shutil.copy(DATA / "release-0.1.0" / "arena.db", db)  # which had none
    before = db.read_bytes()
    assert arena.leaderboard()
    assert db.read_bytes() == before
    assert "leaderboard" not in metadata()["databases"]["arena"]["tables"]
    number = play(seed=2).number  # whose writer brings it up to date
    assert query(db, SINCE) == [(number, 0)]
    arena.leaderboard()
    assert query(db, SINCE) == [(None, 0), (number, 0)]


def test_a_note_that_is_no_whole_text_is_kept_all_the_same(db):
    play()
    row = Rated("random", "code", 1, None, None, 1500.0, None, None, None, 1.0, 2.0, 3.0, 0.0, 0.0)
    fit = Fit("tic-tac-toe", None, False, "odd", 0.95, 3.0, ["\udc80 – \u202e"], {1: 30}, [1], [row])
    with closing(Store(db, write=True)) as store:
        keep(store, [fit])
        assert kept(store, fit)
    assert query(db, "SELECT notes FROM fits WHERE system = 'odd'") == [(r'["\udc80 – \u202e"]',)]


@pytest.mark.slow
def test_a_tournament_ends_well_while_another_writes(db):
    play()
    fit = Fit("tic-tac-toe", None, False, "late", 0.95, 3.0, [], {1: 30}, [1], [])
    with closing(Store(db, write=True)) as store, closing(sqlite3.connect(db)) as other:
        other.execute("BEGIN IMMEDIATE")
        keep(store, [fit])
        assert not kept(store, fit)
        other.rollback()
        keep(store, [fit])
        assert kept(store, fit)


class Failing(arena.Agent):
    """Fails."""

    def choose(self, state, moves, rng):
        raise ValueError("no")


def test_matches_that_were_not_played_are_kept_apart(db):
    play(1, Failing, "random", withdraw_after=2)
    arena.leaderboard()
    asked = "SELECT entry, matches, losses, forfeits, unplayed, score FROM leaderboard WHERE rank = 2"
    assert query(db, f"{asked} AND tournament IS NULL") == [("failing", 2, 2, 2, 8, 0.0)]
    assert query(db, "SELECT entry, matches, losses, forfeits FROM crosstable WHERE entry = 'failing'") == [
        ("failing", 2, 2, 2)
    ]
