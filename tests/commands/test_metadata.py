"""What is said of a database to Datasette is of what is there, and Datasette shows it."""

from __future__ import annotations

import asyncio
import html
import json

import pytest

import arena
from commands import inside
from records import query

KEYS = {"description", "columns", "units", "label_column", "sort_desc", "facets", "hidden"}


@pytest.fixture
def db(tmp_path, monkeypatch):
    """A database of each kind of result, with ratings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARENA_DB", raising=False)
    entries = "random", "first"
    arena.tournament(entries, game="tic-tac-toe", rounds=2, seed=1, executor="serial", db="found.db")
    arena.tournament(entries, game="tic-tac-toe", rounds=2, exact=True, db="found.db")
    arena.leaderboard(db="found.db")
    return tmp_path / "found.db"


def told(db):
    """What the command prints."""
    return json.loads(inside(db.parent, "tournaments", "metadata", "--db", db.name).stdout)


def test_the_command_prints_what_the_call_gives_by_the_name_of_the_file(db):
    assert told(db) == arena.tournaments.metadata("found.db")
    assert [*told(db)["databases"]] == ["found"]


def test_each_table_view_and_column_named_is_there_and_described(db):
    tables = told(db)["databases"]["found"]["tables"]
    there = {
        name: [column for (column,) in query(db, "SELECT name FROM pragma_table_xinfo(?)", name)]
        for (name,) in query(db, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
    }
    assert tables.pop("_sqlite_migrations") == {"hidden": True}
    assert tables.keys() == {name for name in there if "sqlite_" not in name}
    for name, about in tables.items():
        assert about.keys() <= KEYS
        assert about["description"]
        assert [*about["columns"]] == there[name]
        named = [
            about.get("label_column"),
            about.get("sort_desc"),
            *about.get("facets", ()),
            *about.get("units", ()),
        ]
        assert {*filter(None, named)} <= {*there[name]}


def test_units_are_those_of_times(db):
    tables = told(db)["databases"]["found"]["tables"]
    of_matches = {"seconds": "s", "first_seconds": "s", "second_seconds": "s"}
    assert tables["matches_readable"]["units"] == of_matches
    assert [name for name, about in tables.items() if "units" in about] == [
        "matches",
        "training",
        "matches_readable",
        "season_updates",
    ]


def test_columns_that_others_added_are_left_to_them(db):
    query(db, "ALTER TABLE tournaments ADD COLUMN mine TEXT")
    assert "mine" not in told(db)["databases"]["found"]["tables"]["tournaments"]["columns"]


def test_datasette_shows_each_table_and_view_with_its_descriptions(db):
    app = pytest.importorskip("datasette.app", reason="datasette is not installed")
    said = told(db)
    served = app.Datasette([str(db)], metadata=said)

    async def pages():
        await served.invoke_startup()
        return {name: await served.client.get(path) for name, path in paths.items()}

    tables = said["databases"]["found"]["tables"]
    paths = {"": "/found", **{name: f"/found/{name}" for name in tables}}
    for name, page in asyncio.run(pages()).items():
        assert page.status_code == 200, name
        text = html.unescape(page.text)
        about = tables.get(name, said["databases"]["found"])
        for sentence in (about.get("description", ""), *about.get("columns", {}).values()):
            assert sentence in text
