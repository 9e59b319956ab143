"""A term in fast motion: what is played, whatever the interruptions."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress

import pytest

import arena
from season_term import Folder, StopAfter, dump, matches, met, records_left, updates

ROUNDS = 2
HOW = {"progress": False, "executor": "serial"}


def toml(folder, more=""):
    folder.mkdir(exist_ok=True)
    (folder / "season.toml").write_text(
        f'game = "tic-tac-toe"\nbaselines = ["random"]\nrounds = {ROUNDS}\nseed = 5\nopenings = "random:1"\n'
        f"trust = true\n{more}"
    )


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    toml(tmp_path)
    return tmp_path


def nightly(folder: Folder, nights: int, kills: random.Random | None, home) -> list:
    """Play a term; with `kills`, calls are interrupted amid matches, and the next comes after more edits."""
    found = []
    stopped = 0
    for night in range(nights):
        if night:
            folder.night()
        if kills and night < nights - 1:
            before = updates(home / "season.db") if night else 0
            with suppress(arena.Stopped):
                arena.season(home, **HOW, stop=StopAfter(kills.randrange(6, 16)))
            if records_left(home / "season.db") and updates(home / "season.db") > before:
                stopped += 1
                continue
        found.append(arena.season(home, **HOW))
    assert stopped >= max(1, nights // 8) or not kills, "too few nights were interrupted amid their matches"
    return found


def term(home, nights, seed, kills):
    folder = Folder(home / "bots", seed)
    return nightly(folder, nights, kills, home)


@pytest.mark.parametrize(
    "nights",
    [4, pytest.param(8, marks=pytest.mark.slow), pytest.param(40, marks=pytest.mark.campaign)],
)
def test_a_term_with_interruptions_equals_one_without(tmp_path, monkeypatch, nights):
    for name in ("calm", "killed"):
        toml(tmp_path / name)
    monkeypatch.chdir(tmp_path / "calm")
    calm = term(tmp_path / "calm", nights, 3, None)
    monkeypatch.chdir(tmp_path / "killed")
    killed = term(tmp_path / "killed", nights, 3, random.Random(1))
    one, other = (dump(tmp_path / name / "season.db") for name in ("calm", "killed"))
    assert one.keys() == other.keys()
    for table in one:
        assert one[table] == other[table], table
    assert [row.player for row in calm[-1].rows] == [row.player for row in killed[-1].rows]


@pytest.mark.slow
def test_each_night_plays_exactly_what_is_missing(home):
    folder = Folder(home / "bots", 7)
    for night in range(5):
        if night:
            folder.night()
        found = arena.season(home, **HOW)
        playing = [row for row in found.rows if row.status in ("plays", "broken") and row.version]
        versions = {row.player: arena.seasons.player(row.player).versions for row in playing}
        codes = {player: {facts["version"]: facts for facts in each} for player, each in versions.items()}
        current = []
        for row in playing:  # a version that plays like one before has the matches of that
            facts = codes[row.player][row.version]
            facts = codes[row.player][facts["same_as"] or row.version]
            current.append((facts["entry"], facts["code"]))
        played = met(home / "season.db")
        assert set(played.values()) <= {ROUNDS}  # never more than wanted
        for one in current:
            for other in current:
                if one != other:
                    assert played[*one, *other] == ROUNDS
        before = matches(home / "season.db")
        again = arena.season(home, **HOW)
        assert (again.updated, matches(home / "season.db")) == (False, before)


@pytest.mark.slow
def test_a_killed_night_is_completed_with_the_files_it_began_with(tmp_path):
    for name in ("calm", "killed"):
        toml(tmp_path / name, "")
        file = tmp_path / name / "season.toml"
        file.write_text(file.read_text().replace("rounds = 2", "rounds = 60").replace("true", "false"))
        Folder(tmp_path / name / "bots", 3)
    words = [sys.executable, "-m", "arena", "season", "--workers", "1"]
    db = tmp_path / "killed" / "season.db"
    with subprocess.Popen(words, cwd=tmp_path / "killed", stderr=subprocess.DEVNULL) as night:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (db.exists() and played(db)):
            time.sleep(0.05)
        night.kill()
    assert records_left(db) > 0
    for file in sorted((tmp_path / "killed" / "bots").glob("*.py"))[:2]:
        file.write_text("def (:\n")
    for name in ("calm", "killed"):
        subprocess.run(words, cwd=tmp_path / name, check=True, capture_output=True)
    one, other = (dump(tmp_path / name / "season.db") for name in ("calm", "killed"))
    for table in ("matches", "pairings", "elo", "versions", "players", "tournaments", "season_ratings"):
        assert one[table] == other[table], table


def played(db):
    """Return whether a database has matches; it may be without tables as yet."""
    try:
        return matches(db) > 0
    except sqlite3.OperationalError:
        return False
