"""Whatever is forged in a database is found, or makes no difference that anybody is shown."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing

import pytest

import arena
from arena.errors import ArenaError
from commands import ended
from page_data import page_text
from records import query


class Raises(arena.Agent):
    """Fails now and then, and says what moves took."""

    def choose(self, state, moves, rng):
        if rng.below(4) == 0:
            raise ValueError("no")
        self.move_usage = {"nodes": len(moves), "score": -1.5}
        return moves[-1]


HOW = {"game": "tic-tac-toe", "executor": "serial", "progress": False, "db": "arena.db"}
SHOWN = (
    *("leaderboard --json", "leaderboard --rating elo", "leaderboard --cost", "leaderboard --diagnostics"),
    *(
        "leaderboard --code all",
        "leaderboard --html page.html",
        "tournaments list",
        "tournaments list --json",
    ),
    *(f"tournaments show {number}{how}" for number in range(1, 6) for how in ("", " --json", " --seats")),
    *("tournaments show 1 --faults", "tournaments show 4 --faults", "tournaments show 1 --usage --json"),
    *("tournaments show 1 --usage", "tournaments show 2 --markdown", "tournaments metadata"),
    *("tournaments export 1", "tournaments export 4", "tournaments export 2"),
    *("replay 1 0", "replay 2 1", "replay 4 5"),
)


OF_SEASONS = {  # tables without results of matches, which no other command reads
    "season", "season_events", "season_ratings", "season_steps", "season_updates", "players", "versions"
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A database that has rows of every kind."""
    folder = tmp_path_factory.mktemp("forged")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("ARENA_COMPILED", "0")
        entries = {"R": "random", "bot": Raises, "first": "first"}
        arena.tournament(entries, rounds=3, seed=1, withdraw_after=3, **HOW)
        arena.tournament(["random", "q-table:episodes=20"], rounds=3, seed=2, openings="random:2", **HOW)
        arena.tournament(["first", "random"], exact=True, **HOW)
        arena.tournament(["random", "greedy"], rounds=3, seed=3, **HOW)
        arena.resume(4, add=["first"], db="arena.db", executor="serial", progress=False)
        arena.tournament(["random", "first", "greedy"], format="swiss", rounds=2, seed=4, **HOW)
        for rating in ("maximum-likelihood", "elo"):
            arena.leaderboard(rating=rating, db="arena.db")
    for (table,) in tables(folder / "arena.db"):
        assert query(folder / "arena.db", f"SELECT count(*) FROM {table}") > [(0,)], table
    return folder


def tables(db):
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
    return [row for row in query(db, sql) if row[0] not in ("_sqlite_migrations", *OF_SEASONS)]


VALUES = (
    *(None, "", "text", "1", "NaN", "{}", "[1]", "2026-01-01T00:00:00+00:00", "\x1b[2J", "a" * 5000),
    *(-1, 0, 1, 2, 7, 2**31, 2**53, 2**63 - 1, -(2**63), 0.5, -0.0, 1e308, float("inf"), b"\xff\x00", b""),
)


def forged(db, rng):
    """Forge something that is drawn, and say what; None if it cannot be so."""
    kind = rng.choice(["cell"] * 14 + ["row less", "row more", "swapped", "schema", "type"])
    with closing(sqlite3.connect(db)) as connection:
        for pragma in ("ignore_check_constraints = ON", "foreign_keys = OFF", "writable_schema = ON"):
            connection.execute(f"PRAGMA {pragma}")
        table = rng.choice([name for (name,) in tables(db)])
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()
        row, other = rng.choice(rows), rng.choice(rows)
        i = rng.randrange(len(columns))
        here = " AND ".join(f'"{column}" IS ?' for column in columns)
        set_cell = f'UPDATE {table} SET "{columns[i]}" = ? WHERE {here}'
        said = f"{kind} of {table}: "
        try:
            with connection:
                if kind == "cell":
                    value = rng.choice([rng.choice(VALUES), rng.choice(rows)[i], altered(row[i], rng)])
                    unstrict(connection, set_cell, (value, *row))
                    said += f"{columns[i]} of {row!r:.80} is {value!r:.40}"
                elif kind == "row less":
                    connection.execute(f"DELETE FROM {table} WHERE {here}", row)
                    said += f"{row!r:.80}"
                elif kind == "row more":
                    more = [altered(value, rng) if rng.random() < 0.5 else value for value in row]
                    marks = ", ".join("?" * len(columns))
                    unstrict(connection, f"INSERT INTO {table} VALUES ({marks})", more)
                    said += f"{more!r:.80}"
                elif kind == "swapped":
                    connection.execute(set_cell, (other[i], *row))
                    connection.execute(set_cell, (row[i], *other))
                    said += f"{columns[i]} of {row!r:.60} and {other!r:.60}"
                elif kind == "schema":
                    sql = rng.choice(SCHEMA).format(table, columns[i])
                    connection.execute(sql)
                    said += sql
                else:
                    sql = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?"
                    swap = rng.choice(
                        [("INTEGER", "REAL"), ("TEXT", "BLOB"), (" STRICT", ""), ("NOT NULL", "")]
                    )
                    connection.execute(sql, (*swap, table))
                    said += f"{swap}"
        except (sqlite3.IntegrityError, sqlite3.OperationalError, OverflowError):
            return None
    return said


SCHEMA = (
    "CREATE TRIGGER t AFTER INSERT ON {0} BEGIN DELETE FROM {0}; END",
    "CREATE VIEW v AS SELECT {1} FROM {0}",
    "CREATE TABLE t (a)",
    'CREATE INDEX i ON {0} ("{1}")',
    "DROP VIEW leaderboard",
    "DROP VIEW crosstable",
    "DROP INDEX forfeits",
    "ALTER TABLE {0} ADD COLUMN more TEXT",
    "ALTER TABLE {0} RENAME TO other",
    "DROP TABLE {0}",
)


def unstrict(connection, sql, values):
    """Write what a strict table does not take."""
    strict = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql LIKE '%STRICT%'").fetchall()
    connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '') WHERE type = 'table'")
    connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ', WITHOUT', ' WITHOUT') WHERE 1")
    version = connection.execute("PRAGMA schema_version").fetchone()[0]
    connection.execute(f"PRAGMA schema_version = {version + 1}")
    connection.execute(sql, values)
    for name, text in strict:
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (text, name))
    connection.execute(f"PRAGMA schema_version = {version + 2}")


def altered(value, rng):
    """Something like it."""
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        return rng.choice([value[:at] + "x" + value[at:], value[:at], value[::-1], value.upper()])
    if isinstance(value, int | float):
        return value + rng.choice([-1, 1, 2, 0.25, 10])
    return rng.choice(VALUES)


def shown(folder, commands=SHOWN):
    """What commands say, and that each ends well or with one line."""
    found = {}
    for command in commands:
        done = ended(folder, *command.split())
        said = done.stderr.strip().splitlines()
        errors = [line for line in said if line.startswith("Error: ")]
        assert done.returncode == len(errors) <= 1, (command, done.stderr)
        page = page_text((folder / "page.html").read_text()) if "--html" in command else ""
        found[command] = done.returncode, done.stdout, page
    return found


def found_by_verify(folder):
    """What is said to differ; an empty text if nothing is."""
    try:
        how = {"executor": "serial", "progress": False, "sample": 10**6, "stall_seconds": 20.0}
        done = arena.verify(folder / "arena.db", own=[Raises], **how)
    except ArenaError as error:
        return str(error)
    return (
        ""
        if done.agrees
        else "; ".join([*(d.line for d in done.differences), *(o.line for o in done.others)])
    )


@pytest.fixture
def copied(tmp_path, folder, monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", "0")
    monkeypatch.chdir(tmp_path)
    return lambda: shutil.copy(folder / "arena.db", tmp_path / "arena.db")


@pytest.mark.slow
def test_a_fault_of_a_match_in_which_nobody_failed_is_named(tmp_path, copied):
    with closing(sqlite3.connect(copied())) as connection, connection:
        connection.execute("UPDATE faults SET number = 77 WHERE number = (SELECT min(number) FROM faults)")
    done = ended(tmp_path, "tournaments", "show", "1", "--faults")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    said = (
        "the fault of match 77 of tournament 1 was altered, or is damaged: raises did not fail in that match"
    )
    assert said in done.stderr
    assert found_by_verify(tmp_path)


@pytest.mark.slow
def test_what_is_not_forged_is_not_accused(tmp_path, copied):
    copied()
    assert found_by_verify(tmp_path) == ""


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(204)])
def test_a_forgery_is_found_or_makes_no_difference(tmp_path, copied, seeds):
    whole, missed, told = None, [], 0
    for seed in seeds:
        rng = random.Random(seed)
        what = None
        while what is None:
            copied()
            what = forged(tmp_path / "arena.db", rng)
        if found_by_verify(tmp_path):
            told += 1
            shown(tmp_path, rng.sample(SHOWN, 1))
            continue
        if whole is None:
            after = (tmp_path / "arena.db").read_bytes()
            copied()
            whole = shown(tmp_path)
            (tmp_path / "arena.db").write_bytes(after)
        if shown(tmp_path) != whole:
            missed.append((seed, what))
    assert not missed
    assert told >= len(seeds) // 2
