"""The views: matches, crosstables and forfeits as whoever looks into a database finds them."""

from __future__ import annotations

import dataclasses
import sqlite3
from contextlib import closing

import pytest
from msgspec.structs import replace

from arena.api.reasons import WITHDRAWN
from arena.results.exact import Expected
from arena.results.fault_story import Story
from arena.results.record import Record
from arena.results.records import Records
from arena.results.settings import Settings
from arena.results.tally import Tally
from arena.storage.database import NewTournament, Store
from arena.storage.descriptions import descriptions
from arena.storage.migrations import migrations
from arena.storage.sqlite import Database
from arena.storage.sums import add_counts
from paths import DATA
from records import query

SETTINGS = Settings(format="round-robin", seed=1, entries=["a", "b", "c"], rounds=1, max_plies=100)
A, B, C = range(3)
STORY = Story("mine.py:12 in choose", "", "", "", "")


def match(number, first, second, result, moves, reason="rules", detail=None, chance=1, story=None):
    rest = 0.25, 0.5, None, story
    plies = len(moves.split())
    return Record(number, 0, first, second, result, reason, detail, plies, 1, moves, chance, *rest)


MATCHES = [
    match(0, A, B, 1, "1 2 3"),
    match(1, B, A, 1, "1 2 3 4"),
    match(2, A, B, 0, "1 3 2", "max plies"),
    match(3, B, A, -1, "2 1", "crash", "ValueError: no", story=STORY),
    match(4, A, B, -1, "3", "illegal move", "there is no move 9"),
    match(5, C, A, 1, "3 2 1", chance=0),
    match(6, C, A, 1, "3 2 1", chance=0),  # the same again
    match(7, A, C, 1, "", WITHDRAWN),
    match(8, A, A, 1, "1 2 1"),
]


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    """A tournament of which every match is known, and one that was evaluated."""
    path = tmp_path_factory.mktemp("views") / "arena.db"
    store = Store(path, write=True)
    entries = [(name, name, {}) for name in "abc"]
    pile = NewTournament(
        game="pile",
        settings=SETTINGS,
        entries=entries,
        versions={},
        rules="rules",
        planned=9,
        code="game",
        codes=dict.fromkeys("abc", "code"),
    )
    store.add_tournament(pile)
    tally = Tally()
    tally.add(MATCHES)
    with store.transaction():
        store.add_matches(1, [1, 2, 3], Records.of(MATCHES))
        add_counts(store, 1, [1, 2, 3], tally.counts)
    exact = {("a", "b"): Expected(0.5, 0.25, 0.25, 0, 0, 9.0, 5.0, 4.0, 1.0, 1.0)}
    settings = replace(SETTINGS, exact=True)
    store.add_tournament(dataclasses.replace(pile, settings=settings, planned=0, exact=exact))
    store.close()
    return path


def test_a_crosstable_has_both_seats_and_each_match_once(db):
    """What is a copy, unplayed, or of an entry against itself is not counted."""
    assert query(db, "SELECT * FROM crosstable ORDER BY entry, opponent") == [
        ("pile", 1, "a", "b", 5, 2, 1, 2, 1, 0.5),
        ("pile", 1, "a", "c", 1, 0, 0, 1, 0, 0.0),
        ("pile", 1, "b", "a", 5, 2, 1, 2, 1, 0.5),
        ("pile", 1, "c", "a", 1, 1, 0, 0, 0, 1.0),
    ]


def test_forfeited_matches_name_who_is_at_fault(db):
    asked = "SELECT number, entry, opponent, seat, reason, detail, place FROM forfeited_matches"
    assert query(db, f"{asked} ORDER BY number") == [
        (3, "b", "a", "first", "crash", "ValueError: no", "mine.py:12 in choose"),
        (4, "a", "b", "first", "illegal move", "there is no move 9", None),
    ]


def test_matches_are_readable(db):
    asked = "SELECT number, first, second, result, winner, reason, plies, opening, seconds, moves"
    found = query(db, f"{asked} FROM matches_readable WHERE game = 'pile' ORDER BY number")
    assert found[1:4] == [
        (1, "b", "a", "1-0", "b", "rules", 4, 1, 0.75, "1 2 3 4"),
        (2, "a", "b", "1/2-1/2", None, "max plies", 3, 1, 0.75, "1 3 2"),
        (3, "b", "a", "0-1", "a", "crash", 2, 1, 0.75, "2 1"),
    ]
    assert len(found) == len(MATCHES)


@pytest.mark.parametrize(
    ("asked", "way"),
    [
        ("forfeited_matches", "SCAN m USING INDEX forfeits"),
        ("forfeited_matches WHERE tournament = 1", "SEARCH m USING INDEX forfeits (tournament=?)"),
        (
            "forfeited_matches WHERE tournament = 1 AND number = 3",
            "SEARCH m USING INDEX forfeits (tournament=? AND number=?)",
        ),
        ("matches_readable WHERE tournament = 1 AND number = 3", "SEARCH m USING PRIMARY KEY (tournament=?"),
        ("crosstable WHERE tournament = 1", "SEARCH p USING PRIMARY KEY (tournament=?)"),
    ],
)
def test_views_are_quick_where_there_are_many_matches(db, asked, way):
    steps = [row[3] for row in query(db, f"EXPLAIN QUERY PLAN SELECT * FROM {asked}")]
    assert any(step.startswith(way) for step in steps), steps
    assert not any(step.startswith("SCAN m") and "INDEX" not in step for step in steps)


def columns_in(db):
    """The columns of each table and view of arena's own."""
    rows = query(
        db,
        "SELECT s.name, c.name FROM sqlite_schema s JOIN pragma_table_xinfo(s.name) c"
        " WHERE s.type IN ('table', 'view')",
    )
    found: dict[str, set[str]] = {}
    for name, column in rows:
        if not name.startswith(("_", "sqlite_")):
            found.setdefault(name, set()).add(column)
    return found


def test_each_table_and_view_and_each_of_its_columns_is_described(db):
    found = descriptions()
    assert {name: {*about.columns} for name, about in found.items()} == columns_in(db)
    for about in found.values():
        assert about.text.endswith(".")
        assert all(about.columns.values())


def test_folded_comments_are_one_text():
    found = descriptions()
    assert found["pairings"].columns["kind"].endswith("since an entry failed too often")
    assert found["matches"].columns["reason"].endswith("or how the loser forfeited")
    assert found["tournaments"].columns["code"].startswith("a digest of all the source")
    assert found["elo"].text == "Elo's course: each entry's rating after so many rounds of a tournament."


def test_what_a_release_made_is_made_the_same_by_its_migrations_now():
    """Comments may say more; the statements are the same to the letter."""
    asked = "SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL"
    released = dict(query(DATA / "release-0.1.0" / "arena.db", asked))
    assert {"tournaments", "entries", "matches", "forfeits", "pairings", "elo", "results"} < released.keys()
    with closing(sqlite3.connect(":memory:")) as connection:
        migrations.apply(Database(connection), stop_before="0003 codes")
        made = dict(connection.execute(asked))
    ours = [name for name in made if "_sqlite_" not in name]
    assert {name: made[name] for name in ours} == {name: released[name] for name in ours}
