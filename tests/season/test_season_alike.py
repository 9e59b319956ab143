"""New versions of a player that play exactly like the one before."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

import arena
from arena.cli.commands import cli
from arena.texts import at_the_command_line
from season_term import HEAD, StopAfter, dump, matches

HOW = {"progress": False, "executor": "serial"}
TOML = """game = "tic-tac-toe"
baselines = ["random"]
rounds = 3
seed = 5
openings = "random:1"
trust = true
"""
SAME = "rng.choice([move for move in moves])"  # anna's play, written otherwise


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a season's file and two players, `anna` and `ben`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "season.toml").write_text(TOML)
    (tmp_path / "bots").mkdir()
    bot("anna", "rng.choice(moves)")
    bot("ben", "moves[-1]")
    return tmp_path


def bot(name, move):
    with open(f"bots/{name}.py", "w") as file:
        file.write(f"{HEAD}        return {move}\n")


def update(**options):
    return arena.season(".", **HOW, **options)


def row(found, player):
    return next(row for row in found.rows if row.player == player)


def facts(found):
    """Return the standings, but for the numbers of versions."""
    return [(row.player, row.ranks, row.rating, row.low, row.high, row.matches) for row in found.rows]


def run(*words):
    with at_the_command_line():
        return CliRunner().invoke(cli, words)


def test_an_edit_that_changes_no_move_plays_nothing_and_keeps_the_rating(home):
    before = update()
    played = matches(home / "season.db")
    bot("anna", SAME)
    found = update()
    assert (found.played, found.missing, matches(home / "season.db")) == (0, 0, played)
    assert found.news == ["Edited, but plays as before: anna 2 (like anna 1)"]
    assert row(found, "anna").version == 2
    assert facts(found) == facts(before)
    assert update().updated is False


def test_an_edit_that_changes_a_move_plays_all_matches(home):
    update()
    bot("anna", "rng.choice(moves[::-1])")
    found = update()
    assert found.played == 12  # anna against random and ben, 3 times from each seat
    assert row(found, "anna").matches == 12
    assert [one["same_as"] for one in arena.seasons.player("anna").versions] == [None, None]


@pytest.mark.slow
def test_an_edit_that_shows_in_few_matches_is_found(home):
    bot("anna", "moves[0]")
    update()
    with closing(sqlite3.connect("season.db")) as db:
        played = db.execute("SELECT first, moves FROM results WHERE 'anna.py' IN (first, second)").fetchall()
    free = {}  # number of matches in which anna had to choose from that many places
    for first, moves in played:
        for ply in range(first != "anna.py", len(moves.split()), 2):
            free[9 - ply] = free.get(9 - ply, 0) + (ply > 0)
    fewest = min(one for one in free if one > 1)
    assert 0 < free[fewest] < len(played)
    bot("anna", f"moves[0] if len(moves) > {fewest} - 1 else moves[-1]")
    assert "plays as before" in update().news[0]
    bot("anna", f"moves[0] if len(moves) > {fewest} else moves[-1]")
    assert update().played == 12


@pytest.mark.slow
def test_others_are_rated_as_if_the_file_had_not_been_edited(tmp_path, monkeypatch):
    """Two seasons differ in an edit that changes no move; all later matches and ratings are the same."""
    found = {}
    for name in ("edited", "left"):
        (tmp_path / name / "bots").mkdir(parents=True)
        (tmp_path / name / "season.toml").write_text(TOML)
        monkeypatch.chdir(tmp_path / name)
        bot("anna", "rng.choice(moves)")
        bot("ben", "moves[-1]")
        update()
        if name == "edited":
            bot("anna", SAME)
        bot("carl", "moves[len(moves) // 2]")
        second = update()
        bot("dora", "moves[0]")
        found[name] = [facts(second), facts(update())], dump(tmp_path / name / "season.db")["matches"]
    assert found["edited"] == found["left"]


@pytest.mark.slow
def test_workers_and_interruptions_change_nothing(tmp_path, monkeypatch):
    dumps = []
    for how in ({"executor": "serial"}, {"workers": 2}, {"executor": "serial", "stops": 40}):
        monkeypatch.chdir(tmp_path)
        folder = tmp_path / str(len(dumps))
        (folder / "bots").mkdir(parents=True)
        (folder / "season.toml").write_text(TOML.replace("rounds = 3", "rounds = 20"))
        monkeypatch.chdir(folder)
        bot("anna", "rng.choice(moves)")
        bot("ben", "moves[-1]")
        stops = how.pop("stops", 0)
        arena.season(".", progress=False, **how)
        bot("anna", SAME)
        bot("ben", "moves[-1] if len(moves) > 2 else moves[0]")
        bot("carl", "moves[0]")
        stopped = 0
        for times in range(1, stops):
            try:
                arena.season(".", progress=False, stop=StopAfter(times), **how)
            except arena.Stopped:
                stopped += 1
        assert stopped >= stops // 4
        arena.season(".", progress=False, **how)
        dumps.append(dump(folder / "season.db"))
    assert [one[-1] for one in dumps[0]["versions"]].count(None) == 5  # all but the second version of anna
    for table in ("matches", "pairings", "elo", "versions", "season_events", "season_ratings"):
        assert dumps[0][table] == dumps[1][table] == dumps[2][table], table


def test_rollback_forgets_that_a_version_plays_alike(home):
    update()
    before = dump(home / "season.db")
    bot("anna", SAME)
    update()
    arena.seasons.rollback()
    after = dump(home / "season.db")
    assert {table: after[table] for table in before if table.startswith(("season", "version"))} == {
        table: before[table] for table in before if table.startswith(("season", "version"))
    }
    assert "plays as before" in update().news[0]


@pytest.mark.slow
def test_a_file_that_goes_back_and_forth_plays_nothing_again(home):
    update()
    bot("anna", SAME)
    update()
    bot("carl", "moves[0]")
    assert update().played == 18
    bot("anna", "rng.choice(moves)")
    found = update()
    assert (found.played, found.missing, found.news) == (0, 0, ["Back to an old version: anna 1"])
    assert row(found, "anna").matches == 18
    bot("anna", SAME)
    assert update().played == 0


@pytest.mark.slow
def test_an_edit_after_one_without_effect_is_compared_with_both(home):
    update()
    bot("anna", SAME)
    update()
    bot("carl", "moves[0]")
    update()
    bot("anna", "rng.choice([*moves])")
    assert update().news == ["Edited, but plays as before: anna 3 (like anna 1)"]
    bot("anna", "moves[1 % len(moves)]")
    found = update()
    assert (found.played, row(found, "anna").matches) == (18, 18)
    (step,) = [one.step for one in found.rows if one.step]
    assert step.low <= step.difference <= step.high


@pytest.mark.slow
def test_a_version_after_one_that_is_out_plays(home):
    bot("anna", "moves[100]")
    assert row(update(), "anna").status == "out"
    bot("anna", "moves[99 + 1]")
    found = update()
    assert found.played > 0
    assert row(found, "anna").status == "out"


def test_an_opponent_can_be_deleted_and_a_player_with_versions_that_play_alike(home):
    update()
    bot("anna", SAME)
    bot("carl", "moves[0]")
    update()
    (home / "bots" / "ben.py").unlink()
    arena.seasons.delete("ben")
    assert row(arena.seasons.status(), "anna").matches == 12
    (home / "bots" / "anna.py").unlink()
    arena.seasons.delete("anna")
    assert {one.player for one in arena.seasons.status().rows} == {"random", "carl"}


def test_json_csv_and_pages_say_so(home):
    (home / "season.toml").write_text(TOML + 'site = "public"\ncoach_seconds = 0\n')
    update()
    bot("anna", SAME)
    assert arena.season(".", dry_run=True, progress=False).news == ["Changed: anna 2"]
    update()
    bot("carl", "moves[0]")
    update()
    told = json.loads(run("season", "status", "anna", "--json").stdout)
    assert [(one["version"], one["same_as"]) for one in told["versions"]] == [(2, 1), (1, None)]
    assert {one["opponent"]: one["won"] + one["drawn"] + one["lost"] for one in told["results"]} == {
        "random": 6, "ben 1": 6, "carl 1": 6
    }  # fmt: skip
    assert "2 (like 1)" in run("season", "status", "anna").output
    page = (home / "public" / "players" / "anna.html").read_text()
    assert "2 (like 1)" in page
    assert "#pairing-0-" in page
    assert "anna 2" in (home / "public" / "players" / "carl.html").read_text()
    lines = run("season", "export").stdout.splitlines()
    assert [line.split(",")[3] for line in lines if ",anna," in line] == ["1", "2"]


def test_a_season_of_before_is_read_and_goes_on(home):
    update()
    with closing(sqlite3.connect("season.db")) as db, db:
        db.execute("ALTER TABLE versions DROP COLUMN same_as")
        db.execute("DELETE FROM _sqlite_migrations WHERE name = '0013 versions that play alike'")
    assert row(arena.seasons.status(), "anna").matches == 12
    assert arena.season(".", dry_run=True, progress=False).news == []
    bot("anna", SAME)
    assert "plays as before" in update().news[0]
