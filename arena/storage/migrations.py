"""The database's schema as a sequence of migrations; released migrations never change."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache

from arena.storage.sqlite import Database, Migrations

OWN_TABLE = "_sqlite_migrations"  # where sqlite-utils records the applied migrations
APPLICATION_ID = 0x4152454E  # 'AREN': marks a file as arena's

migrations = Migrations("arena")


@migrations(name="0001 tournaments")
def tournaments(db: Database) -> None:
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in SCHEMA_1.split(";"):
        db.execute(statement)


# Statements are split at semicolons, so comments contain none. The comment above a table or view describes
# it, followed by its columns as `-- column, column: text`; `descriptions.py` parses them.
SCHEMA_1 = """
-- What was played or evaluated: a game, who was entered, and how. Times are in UTC.
-- id: its number, never that of another
-- game: its name with options
-- format: who meets whom
-- seed: what all chance in it comes from
-- settings: all of them, JSON
-- versions: of whatever took part, JSON
-- rules: a digest of the source of the game's own modules
-- planned: how many matches are to be played
-- created: when it was begun
-- finished: when it was over, NULL until then
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

-- Who plays a game: an agent with its options.
-- id: what other tables know it by
-- game: its name with options
-- name: the agent with options that are not defaults
-- agent: its name without options
-- options: all of them, JSON
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    agent TEXT NOT NULL,
    options TEXT NOT NULL,
    UNIQUE (game, name)
) STRICT;

-- Every match, move by move.
-- tournament: in which it was played
-- number: its place in the schedule, from 0
-- round: of the schedule, from 0
-- first: the entry that moves first
-- second: the other entry
-- result: 1 the first player won, 0 drew, -1 lost
-- reason: how it ended: rules, resignation, adjudication, a draw's repetition, no capture or max plies, or
--   how the loser forfeited
-- detail: what is said of a forfeit, NULL where nobody forfeited who played
-- plies: moves of both, with those of the opening
-- opening: plies played before the agents began
-- moves: all of them, in the game's notation, parted by spaces
-- chance: 1 if an agent drew a random number, 0 if the match would go this way again, 2 if of sandboxed
--   entries one was seen to play differently after the same moves
-- first_seconds, second_seconds: spent by each agent on its moves
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

-- The sums of matches, as they were before matches could be forfeited unplayed.
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
-- tournament: in which it was played
-- rounds: how many were played
-- entry: who is rated
-- rating: in Elo points, 1500 before the first match
CREATE TABLE elo (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    rounds INTEGER NOT NULL,
    entry INTEGER NOT NULL REFERENCES entries (id),
    rating REAL NOT NULL,
    PRIMARY KEY (tournament, rounds, entry)
) STRICT, WITHOUT ROWID;

-- Matches with their entries by name.
-- tournament: in which it was played
-- number: its place in the schedule, from 0
-- round: of the schedule, from 0
-- game: its name with options
-- first: the entry that moves first, by name
-- second: the other entry
-- result: 1 the first player won, 0 drew, -1 lost
-- reason: how it ended
-- detail: what is said of a forfeit
-- plies: moves of both, with those of the opening
-- moves: all of them, in the game's notation, parted by spaces
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
-- What a pairing comes to exactly, in a tournament whose setting `exact` is true, which has no matches.
-- tournament: in which it was evaluated
-- first: the entry that moves first
-- second: the other entry
-- win, draw, loss: its probability for the first player, forfeits included
-- first_forfeit, second_forfeit: the probability that this player forfeits
-- plies: of a match, on average
-- first_moves, second_moves: of this player in a match, on average
-- first_blunders, second_blunders: of these, how many give away value
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

-- How entries fare against perfect play, where this was evaluated.
-- tournament: in which it was evaluated
-- entry: who plays
-- as_first, as_second: by how much of a match's score it falls short in this seat
-- fault: why it forfeits in some position, NULL if it never does
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
-- code: a digest of all the source that the game is made of, where `rules` is of its own modules alone
ALTER TABLE tournaments ADD COLUMN code TEXT NOT NULL DEFAULT 'unknown';

-- Which code an entry played with in a tournament. Tournaments of before this was recorded have none.
-- tournament: in which it played
-- entry: who played
-- code: a digest of its source, 'unknown' if that cannot be had
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
-- What is told of a fault beside the match's reason and detail, of an entry's first ones in a tournament. Any
-- text may be empty.
-- tournament, number: the match
-- entry: who failed
-- place: file, line and function of the author's
-- position: in the game's notation
-- board: the position as the game draws it
-- traceback: Python's own, with the author's lines
-- printed: the last that the agent printed in the match
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

ALTER TABLE pairings RENAME TO pairings_before;

-- The sums of matches by who met whom, kept in the same transaction.
-- tournament: in which they were played
-- first: the entry that moves first
-- second: the other entry
-- kind: 'chance', or 'fixed' where no agent drew a random number, or 'copy' for a replay of such a match,
--   which counts for nothing, or 'withdrawn' for what is forfeited unplayed, since an entry failed too often
-- wins, draws, losses: of the first player, forfeits included
-- first_forfeits, second_forfeits: matches that this player forfeited
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
-- What moves took by their agents' own count, of agents that say so: tokens, nodes.
-- tournament, number: the match
-- ply: 1 is the first of the match, and one past its last where the agent forfeited
-- entry: who moved
-- name: what is counted
-- amount: from 0 to 2 to the power of 53, and a score as far below 0
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


@migrations(name="0006 training")
def training(db: Database) -> None:
    db.execute(SCHEMA_6)


SCHEMA_6 = """
-- What the learners within an entry had learned when a tournament began.
-- tournament: in which the entry played
-- entry: who played
-- learner: the entry, or one that it names, with its options
-- model: the key of what it has learned
-- episodes: from how many games it had learned
-- seconds: that learning took, by the clock, in all its shards
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


@migrations(name="0007 ratings and views")
def ratings_and_views(db: Database) -> None:
    for statement in SCHEMA_7.split(";"):
        db.execute(statement)


SCHEMA_7 = """
-- What ratings were fitted to. 'arena leaderboard' keeps those of a game over all its tournaments, or with
-- --tournament of one alone, as the end of a tournament does. Of each of these and each rating system the
-- newest stay. Tables with older code, of --code all, are not kept, nor is any while the file cannot be
-- written to. When results are taken out of the database, so are the ratings that rest on them.
-- id: what other tables know it by
-- game: its name with options
-- tournament: the only one that was rated, NULL for all of the game
-- exact: 1 of what was evaluated exactly, 0 of what was played
-- system: the rating system, with its options
-- confidence: of the intervals, and of all ranges of ranks together, where the system has them
-- matches: how many are rated, each counted once, or of exact results how many they stand for
-- arena: the version that rated
-- notes: what there is to know of the table, a list of sentences, JSON
-- made: when it was first found to be so, in UTC
CREATE TABLE fits (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    tournament INTEGER REFERENCES tournaments (id),
    exact INTEGER NOT NULL CHECK (exact IN (0, 1)),
    system TEXT NOT NULL,
    confidence REAL NOT NULL,
    matches REAL NOT NULL,
    arena TEXT NOT NULL,
    notes TEXT NOT NULL,
    made TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX scopes ON fits (game, coalesce(tournament, 0), exact, system);

-- The tournaments that were at hand when ratings were made.
-- fit: which ratings
-- tournament: one that was at hand
-- results: how many matches, or exactly evaluated pairings, it had
-- rated: 0 if all were left out, for they are under older rules of the game
CREATE TABLE fitted_to (
    fit INTEGER NOT NULL REFERENCES fits (id) ON DELETE CASCADE,
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    results INTEGER NOT NULL,
    rated INTEGER NOT NULL CHECK (rated IN (0, 1)),
    PRIMARY KEY (fit, tournament)
) STRICT, WITHOUT ROWID;

-- Ratings as they were last made, which the view leaderboard has by name.
-- fit: what they were fitted to
-- entry: who is rated
-- code: a digest of the source that it played with, 'unknown' if that is not on record
-- rank: its place in the table, 1 the best
-- best_rank, worst_rank: what the results leave open, NULL if the system does not know
-- rating: in Elo points, about a mean of 1500
-- low, high: the ends of its interval, NULL if that is open, or there is none
-- elo: Elo's rating after its last tournament, match by match, NULL without matches
-- wins, draws, losses: what is rated, forfeits included, or of exact results what they come to on average
-- forfeits: among the losses
-- unplayed: matches besides, which are not rated, for it was withdrawn, or the other was
CREATE TABLE ratings (
    fit INTEGER NOT NULL REFERENCES fits (id) ON DELETE CASCADE,
    entry INTEGER NOT NULL REFERENCES entries (id),
    code TEXT NOT NULL,
    rank INTEGER NOT NULL,
    best_rank INTEGER,
    worst_rank INTEGER,
    rating REAL NOT NULL,
    low REAL,
    high REAL,
    elo REAL,
    wins REAL NOT NULL,
    draws REAL NOT NULL,
    losses REAL NOT NULL,
    forfeits REAL NOT NULL,
    unplayed REAL NOT NULL,
    PRIMARY KEY (fit, entry)
) STRICT, WITHOUT ROWID;

-- Ratings as they were last made, best first. Where results_since is above 0 they are not of all there is,
-- and 'arena leaderboard' makes them anew.
-- game: its name with options
-- tournament: the only one that was rated, NULL for all of the game
-- exact: 1 of what was evaluated exactly, 0 of what was played
-- system: the rating system, with its options
-- rank: its place in the table, 1 the best
-- ranks: those that the results leave open, such as 2–4
-- entry: who is rated
-- rating: in Elo points, about a mean of 1500
-- low, high: the ends of its interval, NULL if that is open, or there is none
-- elo: Elo's rating after its last tournament, match by match
-- matches: how many are rated, each counted once, or of exact results how many they stand for
-- score: won and half of drawn, of 1
-- wins, draws, losses: of these matches, forfeits included
-- forfeits: among the losses
-- unplayed: matches besides, which are not rated, for it was withdrawn, or the other was
-- results_since: matches, or exactly evaluated pairings, that have come to the database since
-- made: when the ratings were first found to be so, in UTC
CREATE VIEW leaderboard AS
WITH held AS MATERIALIZED (
    SELECT tournament, 0 AS exact, sum(wins + draws + losses) AS results FROM pairings GROUP BY tournament
    UNION ALL
    SELECT tournament, 1, count(*) FROM exact GROUP BY tournament
), since AS MATERIALIZED (
    SELECT f.id AS fit, sum(h.results - coalesce(o.results, 0)) AS results
    FROM fits f
    JOIN tournaments t ON t.game = f.game AND coalesce(f.tournament, t.id) = t.id
    JOIN held h ON h.tournament = t.id AND h.exact = f.exact
    LEFT JOIN fitted_to o ON o.fit = f.id AND o.tournament = t.id
    GROUP BY f.id
), counted AS (
    SELECT *, wins + draws + losses AS matches FROM ratings
)
SELECT f.game, f.tournament, f.exact, f.system, r.rank,
       CASE WHEN r.best_rank < r.worst_rank THEN r.best_rank || '–' || r.worst_rank ELSE r.rank || '' END
           AS ranks,
       e.name AS entry, round(r.rating, 1) AS rating, round(r.low, 1) AS low, round(r.high, 1) AS high,
       round(r.elo, 1) AS elo,
       iif(f.exact, round(r.matches, 2), CAST(r.matches AS INTEGER)) AS matches,
       CASE WHEN r.matches > 0 THEN round((r.wins + r.draws / 2) / r.matches, 4) END AS score,
       iif(f.exact, round(r.wins, 2), CAST(r.wins AS INTEGER)) AS wins,
       iif(f.exact, round(r.draws, 2), CAST(r.draws AS INTEGER)) AS draws,
       iif(f.exact, round(r.losses, 2), CAST(r.losses AS INTEGER)) AS losses,
       iif(f.exact, round(r.forfeits, 2), CAST(r.forfeits AS INTEGER)) AS forfeits,
       CAST(r.unplayed AS INTEGER) AS unplayed,
       coalesce(s.results, 0) AS results_since, f.made
FROM counted r
JOIN fits f ON f.id = r.fit
JOIN entries e ON e.id = r.entry
LEFT JOIN since s ON s.fit = f.id
ORDER BY f.game, f.tournament, f.exact, f.system, r.rank;

-- Who fared how against whom, tournament by tournament, from the entry's side, over both seats. What repeats
-- other matches of its tournament move for move, what is forfeited unplayed, and entries against themselves
-- are not counted. Exact results are in the table exact.
-- game: its name with options
-- tournament: in which they met
-- entry, opponent: each pair is there twice, once from either side
-- matches: how many are counted
-- wins, draws, losses: of the entry, forfeits included
-- forfeits: of the entry, among the losses
-- score: of the entry, won and half of drawn, of 1
CREATE VIEW crosstable AS
WITH sums AS (
    SELECT p.tournament, iif(back, p.second, p.first) AS entry, iif(back, p.first, p.second) AS opponent,
           sum(iif(back, p.losses, p.wins)) AS wins, sum(p.draws) AS draws,
           sum(iif(back, p.wins, p.losses)) AS losses,
           sum(iif(back, p.second_forfeits, p.first_forfeits)) AS forfeits
    FROM pairings p
    CROSS JOIN (SELECT 0 AS back UNION ALL SELECT 1)
    WHERE p.kind IN ('chance', 'fixed') AND p.first <> p.second
    GROUP BY p.tournament, entry, opponent
)
SELECT t.game, s.tournament, a.name AS entry, b.name AS opponent, s.wins + s.draws + s.losses AS matches,
       s.wins, s.draws, s.losses, s.forfeits,
       round((s.wins + s.draws / 2.0) / (s.wins + s.draws + s.losses), 4) AS score
FROM sums s
LEFT JOIN tournaments t ON t.id = s.tournament
LEFT JOIN entries a ON a.id = s.entry
LEFT JOIN entries b ON b.id = s.opponent;

-- Matches that somebody forfeited who played, with who is at fault.
-- game: its name with options
-- tournament, number: the match
-- entry: who is at fault, and lost
-- opponent: who won
-- seat: of who is at fault, first or second
-- reason: illegal move, crash, clock or stall
-- detail: what is said of it
-- place: file, line and function of the author's, of an entry's first faults in a tournament that have one
-- plies: moves of both up to there, with those of the opening
-- moves: all of them, in the game's notation, parted by spaces
CREATE VIEW forfeited_matches AS
SELECT t.game, m.tournament, m.number, iif(m.result = 1, b.name, a.name) AS entry,
       iif(m.result = 1, a.name, b.name) AS opponent, iif(m.result = 1, 'second', 'first') AS seat,
       m.reason, m.detail, f.place, m.plies, m.moves
FROM matches m INDEXED BY forfeits
LEFT JOIN tournaments t ON t.id = m.tournament
LEFT JOIN entries a ON a.id = m.first
LEFT JOIN entries b ON b.id = m.second
LEFT JOIN faults f ON f.tournament = m.tournament AND f.number = m.number
WHERE m.detail IS NOT NULL;

-- Matches in words.
-- game: its name with options
-- tournament: in which it was played
-- number: its place in the schedule, from 0
-- round: of the schedule, from 0
-- first: the entry that moves first, by name
-- second: the other entry
-- result: 1-0 the first player won, 1/2-1/2 a draw, 0-1 the second won
-- winner: who won, NULL for a draw
-- reason: how it ended
-- detail: what is said of a forfeit
-- plies: moves of both, with those of the opening
-- opening: plies played before the agents began
-- seconds: spent by both agents on their moves
-- first_seconds, second_seconds: spent by each agent on its moves
-- moves: all of them, in the game's notation, parted by spaces
CREATE VIEW matches_readable AS
SELECT t.game, m.tournament, m.number, m.round, a.name AS first, b.name AS second,
       CASE m.result WHEN 1 THEN '1-0' WHEN 0 THEN '1/2-1/2' ELSE '0-1' END AS result,
       CASE m.result WHEN 1 THEN a.name WHEN -1 THEN b.name END AS winner,
       m.reason, m.detail, m.plies, m.opening, m.first_seconds + m.second_seconds AS seconds,
       m.first_seconds, m.second_seconds, m.moves
FROM matches m
LEFT JOIN tournaments t ON t.id = m.tournament
LEFT JOIN entries a ON a.id = m.first
LEFT JOIN entries b ON b.id = m.second
"""


@migrations(name="0008 starts")
def starts(db: Database) -> None:
    for statement in SCHEMA_8.split(";"):
        db.execute(statement)


SCHEMA_8 = """
-- start: the position that the match began in, in the game's notation, NULL for the game's own start
ALTER TABLE matches ADD COLUMN start TEXT;

DROP VIEW results;

-- Matches with their entries by name.
-- tournament: in which it was played
-- number: its place in the schedule, from 0
-- round: of the schedule, from 0
-- game: its name with options
-- first: the entry in the first seat, by name, which plays the game's first side
-- second: the other entry
-- result: 1 the first player won, 0 drew, -1 lost
-- reason: how it ended
-- detail: what is said of a forfeit
-- plies: moves of both, with those of the opening
-- moves: all of them, in the game's notation, parted by spaces
-- start: the position that they begin in, NULL for the game's own start
CREATE VIEW results AS
SELECT m.tournament, m.number, m.round, t.game, a.name AS first, b.name AS second,
       m.result, m.reason, m.detail, m.plies, m.moves, m.start
FROM matches m
JOIN tournaments t ON t.id = m.tournament
JOIN entries a ON a.id = m.first
JOIN entries b ON b.id = m.second;

DROP VIEW forfeited_matches;

-- Matches that somebody forfeited who played, with who is at fault.
-- game: its name with options
-- tournament, number: the match
-- entry: who is at fault, and lost
-- opponent: who won
-- seat: of who is at fault, first or second
-- reason: illegal move, crash, clock or stall
-- detail: what is said of it
-- place: file, line and function of the author's, of an entry's first faults in a tournament that have one
-- plies: moves of both up to there, with those of the opening
-- moves: all of them, in the game's notation, parted by spaces
-- start: the position that they begin in, NULL for the game's own start
CREATE VIEW forfeited_matches AS
SELECT t.game, m.tournament, m.number, iif(m.result = 1, b.name, a.name) AS entry,
       iif(m.result = 1, a.name, b.name) AS opponent, iif(m.result = 1, 'second', 'first') AS seat,
       m.reason, m.detail, f.place, m.plies, m.moves, m.start
FROM matches m INDEXED BY forfeits
LEFT JOIN tournaments t ON t.id = m.tournament
LEFT JOIN entries a ON a.id = m.first
LEFT JOIN entries b ON b.id = m.second
LEFT JOIN faults f ON f.tournament = m.tournament AND f.number = m.number
WHERE m.detail IS NOT NULL;

DROP VIEW matches_readable;

-- Matches in words.
-- game: its name with options
-- tournament: in which it was played
-- number: its place in the schedule, from 0
-- round: of the schedule, from 0
-- first: the entry in the first seat, by name, which plays the game's first side
-- second: the other entry
-- result: 1-0 the first player won, 1/2-1/2 a draw, 0-1 the second won
-- winner: who won, NULL for a draw
-- reason: how it ended
-- detail: what is said of a forfeit
-- plies: moves of both, with those of the opening
-- opening: plies played before the agents began
-- seconds: spent by both agents on their moves
-- first_seconds, second_seconds: spent by each agent on its moves
-- moves: all of them, in the game's notation, parted by spaces
-- start: the position that they begin in, NULL for the game's own start
CREATE VIEW matches_readable AS
SELECT t.game, m.tournament, m.number, m.round, a.name AS first, b.name AS second,
       CASE m.result WHEN 1 THEN '1-0' WHEN 0 THEN '1/2-1/2' ELSE '0-1' END AS result,
       CASE m.result WHEN 1 THEN a.name WHEN -1 THEN b.name END AS winner,
       m.reason, m.detail, m.plies, m.opening, m.first_seconds + m.second_seconds AS seconds,
       m.first_seconds, m.second_seconds, m.moves, m.start
FROM matches m
LEFT JOIN tournaments t ON t.id = m.tournament
LEFT JOIN entries a ON a.id = m.first
LEFT JOIN entries b ON b.id = m.second
"""


@migrations(name="0009 seeds of 128 bits")
def large_seeds(db: Database) -> None:
    for statement in SCHEMA_9.split(";"):
        db.execute(statement)


# An INTEGER of SQLite has 64 bits.
SCHEMA_9 = """
ALTER TABLE tournaments RENAME COLUMN seed TO seed_before;

-- seed: what all chance in it comes from, in decimal, or 0x and 32 digits from 2 to the power of 53 on
ALTER TABLE tournaments ADD COLUMN seed TEXT NOT NULL DEFAULT '0';

UPDATE tournaments SET seed = iif(
    seed_before < 1 << 53, CAST(seed_before AS TEXT), printf('0x%032x', seed_before)
);

ALTER TABLE tournaments DROP COLUMN seed_before
"""


@migrations(name="0010 checksums")
def checksums(db: Database) -> None:
    db.execute(SCHEMA_10)


SCHEMA_10 = """
-- What a tournament's rows add up to where no others determine them, by which 'arena verify' finds what was
-- altered by hand. It is no signature: whoever alters rows can make it anew. Tournaments of before have none.
-- tournament: which one
-- facts: digests of its rows in other tables, JSON, by table
-- played: a sum of digests of the numbers of its matches, of faults and usage, 16 hexadecimal digits
CREATE TABLE checksums (
    tournament INTEGER PRIMARY KEY REFERENCES tournaments (id),
    facts TEXT NOT NULL,
    played TEXT NOT NULL
) STRICT
"""


@migrations(name="0011 seasons")
def seasons(db: Database) -> None:
    for statement in SCHEMA_11.split(";"):
        db.execute(statement)


SCHEMA_11 = """
-- The season that lives in this database, if there is one: a standing ladder of the players in a folder.
-- id: 1, as a database has at most one season
-- game: its name with options
-- seed: what all chance in it comes from, in decimal, or 0x and 32 digits
-- settings: as they were at its last update, JSON
-- created: when it was begun, in UTC
CREATE TABLE season (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    game TEXT NOT NULL,
    seed TEXT NOT NULL,
    settings TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;

-- The players of the season. A player is a file, and has a version for each code that it played with.
-- id: what other tables know it by
-- name: of the file, without .py, or as the file states it
-- baseline: 1 for an agent that the settings name, about which ratings are anchored, else 0
CREATE TABLE players (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    baseline INTEGER NOT NULL CHECK (baseline IN (0, 1))
) STRICT;

-- The updates of the season: calls of 'arena season' at which something was new or was played.
-- number: from 1, in their order
-- tournament: its matches, NULL if none were to be played
-- stopped: why it played only part of its matches, NULL if it played all
-- begun, ended: in UTC, ended is NULL until its ratings are made
-- seconds: that its matches took, by the clock, in all its runs
CREATE TABLE season_updates (
    number INTEGER PRIMARY KEY,
    tournament INTEGER REFERENCES tournaments (id),
    stopped TEXT,
    begun TEXT NOT NULL,
    ended TEXT,
    seconds REAL NOT NULL
) STRICT;

-- The versions of each player, one for each code.
-- id: what other tables know it by
-- player: whose it is
-- number: from 1, in the order of their first updates
-- entry: what it plays as, an agent with its options
-- code: a digest of its source, and of the modules beside it that it imports
-- file: where its code is kept, in the folder beside the database, empty for an installed agent
-- since: the update that it came with
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    player INTEGER NOT NULL REFERENCES players (id),
    number INTEGER NOT NULL,
    entry TEXT NOT NULL,
    code TEXT NOT NULL,
    file TEXT NOT NULL,
    since INTEGER NOT NULL REFERENCES season_updates (number),
    UNIQUE (player, number),
    UNIQUE (player, entry, code)
) STRICT;

-- What an update found or decided of each player, if it was news.
-- season_update: the update
-- player: of whom
-- kind: new, changed, reverted, back, gone, broken, mended, unable or out
-- version: the version that plays from then on, or that is out, NULL if there is none
-- detail: more in words, empty if there is no more
CREATE TABLE season_events (
    season_update INTEGER NOT NULL REFERENCES season_updates (number),
    player INTEGER NOT NULL REFERENCES players (id),
    kind TEXT NOT NULL,
    version INTEGER REFERENCES versions (id),
    detail TEXT NOT NULL,
    PRIMARY KEY (season_update, player, kind)
) STRICT, WITHOUT ROWID;

-- Ratings as they were at the end of each update, of the versions that played in it.
-- season_update: the update
-- version: who is rated
-- rating: in Elo points, where the baselines have a mean of 1500
-- low, high: the ends of its 95 % interval, NULL if that is open
-- matches: that the rating rests on
CREATE TABLE season_ratings (
    season_update INTEGER NOT NULL REFERENCES season_updates (number),
    version INTEGER NOT NULL REFERENCES versions (id),
    rating REAL NOT NULL,
    low REAL,
    high REAL,
    matches REAL NOT NULL,
    PRIMARY KEY (season_update, version)
) STRICT, WITHOUT ROWID;

-- How far a player's new version is above its last one, from the joint fit at the end of an update.
-- season_update: the update that the new version came with
-- version: the new version
-- before: the version that played before
-- difference: in Elo points
-- low, high: the ends of its 95 % interval, NULL if that is open
-- sure: 1 if it is above or below beyond chance, over all comparisons of the season together, else 0
CREATE TABLE season_steps (
    season_update INTEGER NOT NULL REFERENCES season_updates (number),
    version INTEGER NOT NULL REFERENCES versions (id),
    before INTEGER NOT NULL REFERENCES versions (id),
    difference REAL NOT NULL,
    low REAL,
    high REAL,
    sure INTEGER NOT NULL CHECK (sure IN (0, 1)),
    PRIMARY KEY (season_update, version)
) STRICT, WITHOUT ROWID
"""


@migrations(name="0012 ranks of seasons")
def ranks_of_seasons(db: Database) -> None:
    for statement in SCHEMA_12.split(";"):
        db.execute(statement)


SCHEMA_12 = """
-- best: the best rank that it may have among the versions rated in the update, with 95 % confidence for the
-- ranges of ranks of all together, NULL if that was not computed
ALTER TABLE season_ratings ADD COLUMN best INTEGER;

-- worst: the worst rank, likewise
ALTER TABLE season_ratings ADD COLUMN worst INTEGER
"""


@migrations(name="0013 versions that play alike")
def versions_that_play_alike(db: Database) -> None:
    db.execute(SCHEMA_13)


SCHEMA_13 = """
-- same_as: the earliest version of the player that it plays exactly like, whose results count as its own,
--   too, NULL if it is like none
ALTER TABLE versions ADD COLUMN same_as INTEGER REFERENCES versions (id)
"""

SCHEMAS = (
    *(SCHEMA_1, SCHEMA_2, SCHEMA_3, SCHEMA_4, SCHEMA_5, SCHEMA_6, SCHEMA_7, SCHEMA_8, SCHEMA_9, SCHEMA_10),
    *(SCHEMA_11, SCHEMA_12, SCHEMA_13),
)


def shape(db: Database) -> dict[str, list[tuple[object, ...]]]:
    """Return columns and foreign keys of each table and view, by name."""
    names = db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
    return {
        name: [
            *db.execute("SELECT * FROM pragma_table_xinfo(?)", (name,)),
            *db.execute("SELECT * FROM pragma_foreign_key_list(?)", (name,)),
        ]
        for (name,) in names.fetchall()
        if not name.startswith(("_", "sqlite_"))  # tables of sqlite-utils and SQLite
    }


@cache
def shape_after(applied: frozenset[str]) -> dict[str, list[tuple[object, ...]]]:
    """Return the `shape` of a database with these migrations applied."""
    with made_by(applied) as db:
        return shape(db)


@contextmanager
def made_by(applied: frozenset[str]) -> Iterator[Database]:
    """Create an empty database in memory with these migrations applied."""
    with closing(sqlite3.connect(":memory:")) as connection:
        db = Database(connection)
        for migration in migrations._migrations:
            if migration.name in applied:
                migration.fn(db)
        yield db


def statements(db: Database) -> dict[tuple[str, str], str]:
    """Return the SQL that created a database's tables, views, indexes and triggers, by kind and name."""
    rows = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    return {
        (kind, name): f"{of} {' '.join(str(sql).split())}"
        for kind, name, of, sql in rows
        if not str(name).startswith("sqlite_") and (of != OWN_TABLE or kind == "trigger")
    }


@cache
def statements_after(applied: frozenset[str]) -> dict[tuple[str, str], str]:
    """Return the `statements` of a database with these migrations applied."""
    with made_by(applied) as db:
        return statements(db)
