"""Databases that were edited by hand, damaged or cut off: one line that says so, and nothing written."""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.storage.database import Store
from commands import ended, inside
from records import query
from tiers import tiers

HOSTILE = (
    None,
    "",
    "text",
    "{",
    "[]",
    "null",
    '{"exact": 1}',
    '{"entries": [1], "published": [{}]}',
    "[" * 100_000,
    -1,
    0,
    7,
    2**62,
    2**63 - 1,
    -(2**63),
    0.5,
    -1e300,
    float("inf"),
    b"\xff\x00",
)
COMMANDS = (
    "tournaments list --json",
    "tournaments list",
    "tournaments show 1",
    "tournaments show 2 --json",
    "tournaments show 3",
    "leaderboard",
    "leaderboard --rating elo --json",
    "leaderboard --blunders --csv",
    "tournament --resume 3 --executor serial",
    "tournaments remove 2 --yes",
)
WRITERS = (
    "tournament --resume 3 --executor serial",
    "tournament --entry random --entry first --rounds 1 --executor serial",
    "match random first --matches 2 --record --executor serial",
    "tournaments remove 2 --yes",
)
TABLES = (
    *("tournaments", "entries", "matches", "pairings", "elo", "exact", "against_perfect"),
    *("fits", "fitted_to", "ratings"),
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A database of a tournament that was played, one that was evaluated, and one that was stopped."""
    folder = tmp_path_factory.mktemp("whole")
    entries = ("--entry", "random", "--entry", "first")
    inside(folder, "tournament", *entries, "--rounds", "3", "--seed", "1", "--executor", "serial")
    inside(folder, "tournament", *entries, "--rounds", "3", "--exact", "--executor", "serial")
    inside(folder, "tournament", *entries, "--rounds", "4", "--seed", "2", "--executor", "serial")
    with sqlite3.connect(folder / "arena.db") as db:
        db.execute("DELETE FROM matches WHERE tournament = 3 AND number > 4")
        db.execute("UPDATE pairings SET (wins, draws, losses) = (0, 0, 0) WHERE tournament = 3")
        sums = "(SELECT count(*) FROM matches m WHERE m.tournament = 3 AND m.first = pairings.first AND"
        for name, result in (("wins", 1), ("draws", 0), ("losses", -1)):
            db.execute(f"UPDATE pairings SET {name} = {sums} result = {result}) WHERE tournament = 3")
        db.execute("DELETE FROM elo WHERE tournament = 3 AND rounds > 2")
        db.execute("UPDATE tournaments SET finished = NULL WHERE id = 3")
    db.close()
    return folder / "arena.db"


def columns(db):
    return [(table, row[1]) for table in TABLES for row in query(db, f"PRAGMA table_info({table})")]


def loosened(db):
    """Without the schema's own checks: tables of the same columns that take anything."""
    with sqlite3.connect(db) as connection:
        for (view,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
            connection.execute(f"DROP VIEW {view}")
        for table in TABLES:
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            connection.execute(f"CREATE TABLE loose ({', '.join(names)})")
            connection.execute(f"INSERT INTO loose SELECT * FROM {table}")
            connection.execute(f"DROP TABLE {table}")
            connection.execute(f"ALTER TABLE loose RENAME TO {table}")
    connection.close()


@pytest.mark.parametrize(
    "times", [pytest.param(2, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.campaign)]
)
def test_a_column_may_hold_anything(tmp_path, whole, times):
    """Commands end by themselves, or with one line; values and commands are drawn."""
    shutil.copy(whole, tmp_path / "loose.db")
    loosened(tmp_path / "loose.db")
    rng = random.Random(1)
    failures = []
    for table, column in columns(whole):
        for value in rng.sample(HOSTILE, times):
            shutil.copy(tmp_path / "loose.db", tmp_path / "arena.db")
            with sqlite3.connect(tmp_path / "arena.db") as connection:
                connection.execute(f"UPDATE {table} SET {column} = ?", [value])
            connection.close()
            for command in rng.sample(COMMANDS, times):
                if fault := unlike_one_line(tmp_path, command):
                    failures.append((table, column, str(value)[:30], command, fault))
    assert not failures, "\n".join(map(str, failures[:20]))


CELLS = [
    ("tournaments", "settings", "{"),
    ("tournaments", "settings", '{"entries": [1]}'),
    ("tournaments", "settings", "[" * 100_000),
    ("tournaments", "versions", "[]"),
    ("tournaments", "planned", 10**6),
    ("tournaments", "planned", -3),
    ("entries", "name", "other"),
    ("matches", "first", 77),
    ("matches", "round", 5),
    ("pairings", "wins", -5),
    ("pairings", "wins", 2**62),
    ("elo", "rating", float("inf")),
    ("exact", "win", 2.5),
    ("exact", "plies", float("inf")),
    ("against_perfect", "as_first", -1e300),
]


@pytest.mark.parametrize(
    ("table", "column", "value"),
    tiers(
        CELLS,
        quick=[
            ("tournaments", "settings", "{"),
            ("tournaments", "versions"),
            ("matches", "first"),
            ("elo", "rating"),
        ],
    ),
)
def test_a_cell_that_arena_would_not_write_is_told_in_one_line(tmp_path, whole, table, column, value):
    shutil.copy(whole, tmp_path / "arena.db")
    with sqlite3.connect(tmp_path / "arena.db") as connection:
        row = "rowid = (SELECT max(rowid) FROM {0})" if table in ("tournaments", "entries") else "1"
        sql = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {row.format(table)}"
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(sql, [value])
    connection.close()
    faults = {command: unlike_one_line(tmp_path, command) for command in COMMANDS[:-1]}
    assert not any(faults.values()), faults
    assert any(ended(tmp_path, *command.split()).returncode for command in COMMANDS[:-1])


def unlike_one_line(folder, command):
    """What is wrong with how a command ends; an empty text if it ends well or with one line."""
    try:
        done = ended(folder, *command.split())
    except BaseException as error:
        return repr(error)[:300]
    told = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    if done.returncode == 0 and not told:
        return ""
    return "" if done.returncode == 1 and len(told) == 1 else f"{done.returncode} {done.stderr[-300:]}"


@pytest.mark.slow
def test_an_unaltered_one_is_gone_on_with(tmp_path, whole):
    shutil.copy(whole, tmp_path / "arena.db")
    for command in COMMANDS:
        inside(tmp_path, *command.split())
    assert query(tmp_path / "arena.db", "SELECT count(*) FROM matches WHERE tournament = 3") == [(8,)]


@pytest.mark.parametrize("share", [0.001, 0.2, 0.5, 0.99])
def test_what_is_cut_off_is_not_written_to(tmp_path, whole, share):
    content = whole.read_bytes()
    db = tmp_path / "arena.db"
    db.write_bytes(content[: max(int(len(content) * share), 16)])
    before = db.read_bytes()
    for command in (*COMMANDS, "tournament --entry random --entry first --rounds 1 --seed 1"):
        done = inside(tmp_path, *command.split(), status=1)
        assert done.stderr.count("\n") == 1
        assert "arena.db is damaged or truncated" in done.stderr
    assert db.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["arena.db"]


def test_where_the_columns_of_migrations_are_others_it_is_told_in_one_line(tmp_path, whole):
    (tmp_path / "arena.db").write_bytes(whole.read_bytes().replace(b"applied_at", b"bpplied_at"))
    for command in COMMANDS:
        done = inside(tmp_path, *command.split(), status=1)
        assert done.stderr.count("\n") == 1
        assert "arena.db is damaged or truncated" in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["arena.db"]


def test_settings_that_are_not_text_are_told_in_one_line(tmp_path, whole):
    content = whole.read_bytes()
    (tmp_path / "arena.db").write_bytes(content.replace(b'"format": "', b'"format": \xff'))
    for command in COMMANDS[:2]:
        done = inside(tmp_path, *command.split(), status=1)
        assert done.stderr.count("\n") == 1
        assert "arena.db is damaged or truncated" in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["arena.db"]


def test_a_cell_that_is_no_text_leaves_no_side_files(tmp_path, whole):
    content = whole.read_bytes()
    for at in [i for i in range(len(content)) if content.startswith(b"rules", i)][:5]:
        (tmp_path / "arena.db").write_bytes(content[:at] + b"\xff" + content[at + 1 :])
        inside(tmp_path, "leaderboard", "--blunders", "--csv", status=1)
        assert [path.name for path in tmp_path.iterdir()] == ["arena.db"]


@pytest.mark.parametrize(
    "text",
    [
        b"second_seconds",
        b"draws INTEGER",
        b"finished TEXT",
        b"tournaments (id)",
        b"rating REAL",
        b"place TEXT",
    ],
)
def test_where_a_table_has_other_columns_nothing_is_written(tmp_path, whole, text):
    content = whole.read_bytes()
    assert text in content
    content = content.replace(text, b"x" + text[1:])
    for command in WRITERS:
        (tmp_path / "arena.db").write_bytes(content)
        done = inside(tmp_path, *command.split(), status=1)
        assert done.stderr.count("\n") == 1
        assert re.match("Error: (arena.db is damaged|database arena.db: no such column)", done.stderr)
        assert (tmp_path / "arena.db").read_bytes() == content
        assert [path.name for path in tmp_path.iterdir()] == ["arena.db"]


@pytest.mark.parametrize(
    "number", [0, -1, 2**63, 10**20, 10**5000], ids=["0", "-1", "63 bits", "20 digits", "5000"]
)
def test_a_number_that_no_tournament_can_have_is_said_to_be_none(tmp_path, whole, number):
    store = Store(whole)
    with pytest.raises(ArenaError, match="has no tournament"):
        store.tournament(number)
    store.close()


@pytest.mark.parametrize("write", [False, True])
def test_a_pipe_or_a_device_is_no_database(tmp_path, write):
    os.mkfifo(tmp_path / "pipe.db")
    for path in (tmp_path / "pipe.db", Path("/dev/zero")):
        said = f"^{path} is a pipe or a device, not a database; name a file with db=$"
        with pytest.raises(ArenaError, match=said):
            Store(path, write=write)


def test_a_disk_that_fails_while_it_is_read_is_told_so(tmp_path):
    path, error = tmp_path / "a.db", sqlite3.OperationalError("disk I/O error")
    with closing(Store(path, write=True)) as store:
        assert str(store.told(error)).startswith(f"cannot write {path}: disk I/O error; what was recorded")
    with closing(Store(path)) as store:
        assert str(store.told(error)) == f"cannot read {path}: disk I/O error; use db= for another file"
