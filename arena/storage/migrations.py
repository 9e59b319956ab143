"""The database's schema, one migration after another; a released one never changes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from typing import Any

from arena.storage.sqlite import Database, Migrations

APPLICATION_ID = 0x4152454E  # 'AREN', which marks a file as arena's

migrations = Migrations("arena")


@migrations(name="0001 tournaments")
def tournaments(db: Database) -> None:
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in SCHEMA_1.split(";"):
        db.execute(statement)


# statements are parted by semicolons, which comments therefore do without
SCHEMA_1 = """
-- game: its name with options. settings: all of them, versions: of whatever took part, both JSON.
-- rules: a digest of the source of the game. planned: matches to be played. Times are in UTC.
CREATE TABLE tournaments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    game TEXT NOT NULL,
    format TEXT NOT NULL,
    seed INTEGER NOT NULL,
    settings TEXT NOT NULL,
    versions TEXT NOT NULL,
    rules TEXT NOT NULL,
    planned INTEGER NOT NULL,
    created TEXT NOT NULL,
    finished TEXT
) STRICT;

-- name: the agent with options that are not defaults. options: all of them, JSON.
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    agent TEXT NOT NULL,
    options TEXT NOT NULL,
    UNIQUE (game, name)
) STRICT;

-- first, second: entries. result: 1 the first player won, 0 drew, -1 lost. reason: rules, max plies,
-- or how the loser forfeited. opening: plies played before the agents began. chance: 1 if an agent
-- drew a random number, 0 if the match would go this way again.
CREATE TABLE matches (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL,
    round INTEGER NOT NULL,
    first INTEGER NOT NULL REFERENCES entries (id),
    second INTEGER NOT NULL REFERENCES entries (id),
    result INTEGER NOT NULL CHECK (result IN (-1, 0, 1)),
    reason TEXT NOT NULL,
    detail TEXT,
    plies INTEGER NOT NULL,
    opening INTEGER NOT NULL,
    moves TEXT NOT NULL,
    chance INTEGER NOT NULL,
    first_seconds REAL NOT NULL,
    second_seconds REAL NOT NULL,
    PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;

-- Forfeits, which are few, found without a look at all the rest.
CREATE INDEX forfeits ON matches (tournament, number) WHERE detail IS NOT NULL;

-- The sums of matches, kept in the same transaction. kind: 'chance', or 'fixed' where no agent drew a
-- random number, or 'copy' for a replay of such a match, which counts for nothing.
CREATE TABLE pairings (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    first INTEGER NOT NULL REFERENCES entries (id),
    second INTEGER NOT NULL REFERENCES entries (id),
    kind TEXT NOT NULL CHECK (kind IN ('chance', 'fixed', 'copy')),
    wins INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    first_forfeits INTEGER NOT NULL,
    second_forfeits INTEGER NOT NULL,
    PRIMARY KEY (tournament, first, second, kind)
) STRICT, WITHOUT ROWID;

-- Elo's course: each entry's rating after so many rounds of a tournament.
CREATE TABLE elo (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    rounds INTEGER NOT NULL,
    entry INTEGER NOT NULL REFERENCES entries (id),
    rating REAL NOT NULL,
    PRIMARY KEY (tournament, rounds, entry)
) STRICT, WITHOUT ROWID;

-- Matches with their entries by name, for whoever looks around.
CREATE VIEW results AS
SELECT m.tournament, m.number, m.round, t.game, a.name AS first, b.name AS second,
       m.result, m.reason, m.detail, m.plies, m.moves
FROM matches m
JOIN tournaments t ON t.id = m.tournament
JOIN entries a ON a.id = m.first
JOIN entries b ON b.id = m.second
"""


@migrations(name="0002 exact results")
def exact_results(db: Database) -> None:
    for statement in SCHEMA_2.split(";"):
        db.execute(statement)


SCHEMA_2 = """
-- What a pairing comes to exactly, in a tournament whose setting `exact` is true, which has no matches. win,
-- draw, loss: their chances for the first player, forfeits among them. plies, moves, blunders: of a match on
-- average, blunders being moves that give away value.
CREATE TABLE exact (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    first INTEGER NOT NULL REFERENCES entries (id),
    second INTEGER NOT NULL REFERENCES entries (id),
    win REAL NOT NULL,
    draw REAL NOT NULL,
    loss REAL NOT NULL,
    first_forfeit REAL NOT NULL,
    second_forfeit REAL NOT NULL,
    plies REAL NOT NULL,
    first_moves REAL NOT NULL,
    second_moves REAL NOT NULL,
    first_blunders REAL NOT NULL,
    second_blunders REAL NOT NULL,
    PRIMARY KEY (tournament, first, second)
) STRICT, WITHOUT ROWID;

-- By how much an entry's score falls short of perfect play against perfect play, from either seat. fault: why
-- it forfeits in some position, if it does.
CREATE TABLE against_perfect (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    entry INTEGER NOT NULL REFERENCES entries (id),
    as_first REAL NOT NULL,
    as_second REAL NOT NULL,
    fault TEXT,
    PRIMARY KEY (tournament, entry)
) STRICT, WITHOUT ROWID
"""


@migrations(name="0003 codes")
def codes(db: Database) -> None:
    for statement in SCHEMA_3.split(";"):
        db.execute(statement)


SCHEMA_3 = """
-- code: a digest of all the source that the game is made of, where `rules` is of its own modules alone.
ALTER TABLE tournaments ADD COLUMN code TEXT NOT NULL DEFAULT 'unknown';

-- Which code an entry played with in a tournament: a digest of its source, 'unknown' if that cannot be had.
-- Tournaments of before have none.
CREATE TABLE codes (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    entry INTEGER NOT NULL REFERENCES entries (id),
    code TEXT NOT NULL,
    PRIMARY KEY (tournament, entry)
) STRICT, WITHOUT ROWID
"""


@migrations(name="0004 faults")
def faults(db: Database) -> None:
    for statement in SCHEMA_4.split(";"):
        db.execute(statement)


SCHEMA_4 = """
-- What is told of a fault beside the match's reason and detail, of an entry's first ones in a tournament.
-- place: file, line and function of the author's. position: in the game's notation, board: as the game draws
-- it. printed: the last that the agent printed in the match. Any of these may be empty.
CREATE TABLE faults (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL,
    entry INTEGER NOT NULL REFERENCES entries (id),
    place TEXT NOT NULL,
    position TEXT NOT NULL,
    board TEXT NOT NULL,
    traceback TEXT NOT NULL,
    printed TEXT NOT NULL,
    PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;

-- The sums of matches as before, and those of another kind, 'withdrawn': what is forfeited unplayed, for an
-- entry had failed too often. A match's reason may be 'withdrawn', too.
ALTER TABLE pairings RENAME TO pairings_before;

CREATE TABLE pairings (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    first INTEGER NOT NULL REFERENCES entries (id),
    second INTEGER NOT NULL REFERENCES entries (id),
    kind TEXT NOT NULL CHECK (kind IN ('chance', 'fixed', 'copy', 'withdrawn')),
    wins INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    first_forfeits INTEGER NOT NULL,
    second_forfeits INTEGER NOT NULL,
    PRIMARY KEY (tournament, first, second, kind)
) STRICT, WITHOUT ROWID;

INSERT INTO pairings SELECT * FROM pairings_before;

DROP TABLE pairings_before
"""


@migrations(name="0005 usage")
def usage(db: Database) -> None:
    for statement in SCHEMA_5.split(";"):
        db.execute(statement)


SCHEMA_5 = """
-- What moves took by their agents' own count, of agents that say so: tokens, nodes. ply: 1 is the first of
-- the match, and one past its last where the agent forfeited. amount: from 0 to 2 to the power of 53.
CREATE TABLE usage (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL,
    ply INTEGER NOT NULL,
    entry INTEGER NOT NULL REFERENCES entries (id),
    name TEXT NOT NULL,
    amount REAL NOT NULL,
    PRIMARY KEY (tournament, number, ply, name)
) STRICT, WITHOUT ROWID
"""


@migrations(name="0007 training")
def training(db: Database) -> None:
    db.execute(SCHEMA_7)


SCHEMA_7 = """
-- What the learners within an entry had learned when a tournament began. learner: its text. model: the key of
-- what it has learned. seconds: that it took, by the clock, in all its shards.
CREATE TABLE training (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    entry INTEGER NOT NULL REFERENCES entries (id),
    learner TEXT NOT NULL,
    model TEXT NOT NULL,
    episodes INTEGER NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (tournament, entry, learner)
) STRICT, WITHOUT ROWID
"""


def shape(db: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Columns and references of each table and view, by its name."""
    names = db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
    return {
        name: [
            *db.execute("SELECT * FROM pragma_table_xinfo(?)", (name,)),
            *db.execute("SELECT * FROM pragma_foreign_key_list(?)", (name,)),
        ]
        for (name,) in names.fetchall()
        if not name.startswith(("_", "sqlite_"))  # which are others'
    }


@cache
def shape_after(applied: int) -> dict[str, list[tuple[Any, ...]]]:
    """The same of a database in which so many migrations were applied, from the first on."""
    with closing(sqlite3.connect(":memory:")) as connection:
        db = Database(connection)
        later = [migration.name for migration in migrations._migrations[applied:]]
        migrations.apply(db, stop_before=later)
        return shape(db)
