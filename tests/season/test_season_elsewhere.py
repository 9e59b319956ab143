"""A season that goes on elsewhere: on another machine, in another folder, by another clock."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta

import pytest

import arena
from season_term import HEAD, StopAfter, dump, met

HOW = {"progress": False, "executor": "serial"}
TOML = """game = "tic-tac-toe"
baselines = ["random"]
rounds = 3
seed = 5
openings = "random:1"
site = "public"
coach_seconds = 0
"""
BEHIND = timedelta(days=40)
# runs arena as on a machine of another name, whose clock shows a time 40 days ago
ELSEWHERE = f"""
import datetime, os, socket, sys, time
import arena.storage.database as database
class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.now(tz) - datetime.timedelta(days={BEHIND.days})
database.datetime = Clock
behind = time.time
time.time = lambda: behind() - {BEHIND.total_seconds()}
socket.gethostname = lambda: "elsewhere"
from arena.cli import main
sys.argv = ["arena", *sys.argv[1:]]
main()
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a season's file and two players, `anna` and `ben`."""
    folder = tmp_path / "here"
    (folder / "bots").mkdir(parents=True)
    monkeypatch.chdir(folder)
    (folder / "season.toml").write_text(TOML)
    bot(folder, "anna", "rng.choice(moves)")
    bot(folder, "ben", "moves[-1]")
    return folder


def bot(folder, name, move):
    (folder / "bots" / f"{name}.py").write_text(f"{HEAD}        return {move}\n")


def elsewhere(folder, zone, *words):
    return subprocess.run(
        [sys.executable, "-c", ELSEWHERE, "season", *words],
        cwd=folder,
        env={**os.environ, "TZ": zone, "HOME": str(folder.parent / "home"), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )


def begun(folder):
    with closing(sqlite3.connect(folder / "season.db")) as db:
        return db.execute("SELECT begun, ended FROM season_updates ORDER BY number").fetchall()


@pytest.mark.slow
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
def test_a_copied_folder_goes_on_where_the_clock_is_behind(home, tmp_path, zone):
    """Both copies play the same update: only what is missing, and the same but for dates."""
    arena.season(".", **HOW)
    there = tmp_path / "another machine" / "x"
    shutil.copytree(home, there)
    shutil.rmtree(home.parent / "home", ignore_errors=True)
    for folder in (home, there):
        bot(folder, "carl", "moves[0]")
        bot(folder, "anna", "rng.choice([move for move in moves])")
    done = elsewhere(there, zone, "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "update 2, 18 matches" in done.stdout
    assert "Warning: the clock shows" in done.stderr
    assert set(met(there / "season.db").values()) == {3}
    arena.season(".", **HOW)
    one, other = (dump(folder / "season.db") for folder in (home, there))
    for table in one:
        assert one[table] == other[table], table
    (first, _), (second, ended) = begun(there)
    assert second < first  # the true reading of that clock
    assert second <= ended
    assert abs(datetime.fromisoformat(second) + BEHIND - datetime.now(UTC)) < timedelta(minutes=30)
    page = (there / "public" / "history.html").read_text()
    assert page.index("Update 2") < page.index("Update 1")  # by their order, not by dates
    again = elsewhere(there, zone, "history")
    assert again.stdout.index("Update 1") < again.stdout.index("Update 2")


@pytest.mark.slow
def test_an_interrupted_update_is_completed_elsewhere_and_verifies(home, tmp_path):
    (home / "season.toml").write_text(TOML.replace("rounds = 3", "rounds = 40") + "trust = true\n")
    for times in range(6, 30):
        with suppress(arena.Stopped):
            arena.season(".", **HOW, stop=StopAfter(times))
        if (played := sum(met(home / "season.db").values())) > 0:
            break
    assert 0 < played < 240
    there = tmp_path / "there"
    shutil.copytree(home, there)
    bot(there, "ben", "moves[0]")  # too late for the update that was interrupted
    done = elsewhere(there, "Asia/Tokyo", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert set(met(there / "season.db").values()) == {40}
    found = arena.verify(there / "season.db", sample=5, seed=1, progress=False)
    assert not found.differences
    assert all(start <= end for start, end in begun(there))


@pytest.mark.slow
def test_without_the_code_of_old_versions_the_season_goes_on(home, tmp_path):
    arena.season(".", **HOW)
    bot(home, "ben", "moves[0]")
    arena.season(".", **HOW)
    there = tmp_path / "there"
    shutil.copytree(home, there)
    shutil.rmtree(there / "season-code")
    bot(there, "anna", "rng.choice([move for move in moves])")
    done = elsewhere(there, "UTC", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "anna 2" in done.stdout
