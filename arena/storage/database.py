"""The database: SQLite through sqlite-utils, readable while it is written, safe for several writers."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.results.code import UNKNOWN_CODE
from arena.results.exact import AgainstPerfect, Expected
from arena.results.record import Record
from arena.results.tally import Counts
from arena.storage.migrations import APPLICATION_ID, migrations
from arena.storage.sqlite import Database

DATABASE = "arena.db"  # unless another is named
PATIENCE = 60.0  # seconds to wait for another writer
CHECKPOINT = 2.0  # seconds that the file itself may lag behind


@dataclass(frozen=True)
class Tournament:
    """A row of `tournaments`, its JSON read, and how many of its matches have been played.

    code: which code of the game was played, codes: of each entry, by name; UNKNOWN_CODE where none is on
    record.
    """

    id: int
    game: str
    format: str
    seed: int
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    rules: str
    planned: int
    created: str
    finished: str | None
    played: int
    code: str
    codes: Mapping[str, str]

    @property
    def exact(self) -> bool:
        """Whether it was evaluated, and has results without matches."""
        return bool(self.settings.get("exact"))


class Store:
    """An open database. Every method raises ArenaError, in one line, for what is wrong with the file."""

    def __init__(self, path: str | Path, *, write: bool = False) -> None:
        """Open it; with `write`, make it or bring its schema up to date where need be."""
        self.path = str(path)
        self.due = 0.0  # when to bring the file itself up to date
        with self.telling():
            self.db = Database(self.connect(write))
            self.check()
            if write:
                self.prepare()
            elif not migrations.applied(self.db):
                raise ArenaError(f"{self.path} holds no arena tournaments yet; play one: arena tournament")

    def connect(self, write: bool) -> sqlite3.Connection:
        path = Path(self.path)
        if self.path == ":memory:" or self.path.startswith("file:"):
            raise ArenaError(f"{self.path!r} is no file, and results would be lost; name a file with --db")
        if path.is_dir() or not self.path:
            raise ArenaError(f"{self.path!r} is a folder, not a database; name a file with --db")
        if write:
            folder = path.parent
            if not folder.is_dir():
                raise ArenaError(
                    f"cannot write {self.path}: there is no folder {folder}; make it, or use --db"
                )
            if not os.access(path if path.exists() else folder, os.W_OK):
                raise ArenaError(f"cannot write {self.path}: no permission; use --db for another place")
            return sqlite3.connect(self.path, timeout=PATIENCE, check_same_thread=False)
        if not path.exists():
            raise ArenaError(f"there is no database {self.path}; play a tournament first, or use --db")
        address = path.absolute().as_uri()
        if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
            # not read-only, for SQLite to clear its side files away; but nothing is changed
            conn = sqlite3.connect(f"{address}?mode=rw", uri=True, timeout=PATIENCE)
            conn.execute("PRAGMA query_only = ON")
            return conn
        try:
            conn = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=PATIENCE)
            conn.execute("SELECT 1 FROM sqlite_schema").fetchone()
        except sqlite3.OperationalError:  # a folder that cannot be written has no room for side files
            conn = sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)
        return conn

    def check(self) -> None:
        """ArenaError unless the file is ours, and not from a newer arena."""
        tables = self.db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        application = self.db.execute("PRAGMA application_id").fetchone()[0]
        if tables and application != APPLICATION_ID:
            raise ArenaError(f"{self.path} is a database, but not arena's; use --db for another file")
        known = {m.name for m in migrations.pending(self.db)} | {m.name for m in migrations.applied(self.db)}
        ours = {m.name for m in migrations._migrations}
        if newer := sorted(known - ours):
            raise ArenaError(f"{self.path} was written by a newer arena ({newer[-1]}); upgrade arena")

    def prepare(self) -> None:
        """Settings of the connection, and migrations, one process at a time."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.db.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:  # which does not wait while others open it too
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.execute("PRAGMA foreign_keys = ON")
        if migrations.pending(self.db):
            self.db.conn.execute("BEGIN IMMEDIATE")
            with self.db.conn:
                self.check()
                migrations.apply(self.db)
            self.checkpoint()

    @contextmanager
    def telling(self) -> Iterator[None]:
        """SQLite's errors as one line that names the file."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if "not a database" in str(error):
                raise ArenaError(f"{self.path} is not a database; use --db for another file") from error
            if "unable to open" in str(error):
                raise ArenaError(f"cannot open {self.path}; use --db for another place") from error
            raise ArenaError(f"database {self.path}: {error}") from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Begin with a write, so that SQLite waits for other writers."""
        with self.telling():
            with self.db.atomic():
                yield
            if time.monotonic() > self.due:
                self.checkpoint()

    def checkpoint(self) -> None:
        """Bring the file itself up to date, for whoever copies it without its side files.

        It never waits: what somebody else's reading or writing holds up comes with a later one.
        """
        self.db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        self.due = time.monotonic() + CHECKPOINT

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self.telling():
            return self.db.execute(sql, values).fetchall()

    def close(self) -> None:
        self.db.close()

    # --- writing --------------------------------------------------------------------------------------

    def add_tournament(
        self,
        game: str,
        settings: Mapping[str, Any],
        entries: Sequence[tuple[str, str, Mapping[str, Any]]],
        versions: Mapping[str, str],
        rules: str,
        planned: int,
        code: str,
        codes: Mapping[str, str],
        exact: Mapping[tuple[str, str], Expected] | None = None,
        against_perfect: Mapping[str, AgainstPerfect] | None = None,
    ) -> int:
        """A new tournament's number. entries: name, agent and options of each.

        code: of the game. codes: of the entries, by name. exact, against_perfect: the results, by
        entries' names, of one that was evaluated, and so is finished.
        """
        self.due = 0.0
        with self.transaction():
            row = (game, settings["format"], settings["seed"], json.dumps(settings))
            made = self.db.execute(
                "INSERT INTO tournaments"
                " (game, format, seed, settings, versions, rules, planned, created, code)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, json.dumps(versions), rules, planned, now(), code),
            ).lastrowid
            for name, agent, options in entries:
                self.db.execute(
                    "INSERT INTO entries (game, name, agent, options) VALUES (?, ?, ?, ?)"
                    " ON CONFLICT DO NOTHING",
                    (game, name, agent, json.dumps(options, default=str)),  # a spec as its text
                )
            assert made is not None
            ids = self.entry_ids(game)
            self.db.conn.executemany(
                "INSERT INTO codes VALUES (?, ?, ?)",
                ((made, ids[name], of_entry) for name, of_entry in codes.items()),
            )
            if exact is not None:
                self.db.conn.executemany(
                    f"INSERT INTO exact VALUES ({', '.join('?' * 13)})",
                    ((made, ids[first], ids[second], *result) for (first, second), result in exact.items()),
                )
                self.db.conn.executemany(
                    "INSERT INTO against_perfect VALUES (?, ?, ?, ?, ?)",
                    ((made, ids[name], *found) for name, found in (against_perfect or {}).items()),
                )
                self.finish(made)
        return made

    def add_matches(self, tournament: int, ids: Sequence[int], records: Iterable[Record]) -> None:
        """Records of a tournament; ids: the entry of each index."""
        self.db.conn.executemany(
            f"INSERT INTO matches VALUES ({', '.join('?' * 14)})",
            ((tournament, r[0], r[1], ids[r[2]], ids[r[3]], *r[4:]) for r in records),
        )

    def add_counts(
        self, tournament: int, ids: Sequence[int], counts: Mapping[tuple[int, int, str], Counts]
    ) -> None:
        """Add to the sums of pairings."""
        columns = [field.name for field in fields(Counts)]
        self.db.conn.executemany(
            "INSERT INTO pairings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            + ", ".join(f"{column} = {column} + excluded.{column}" for column in columns),
            (
                (tournament, ids[first], ids[second], kind, *astuple(counted))
                for (first, second, kind), counted in counts.items()
            ),
        )

    def add_elo(self, tournament: int, ids: Sequence[int], rounds: int, ratings: Sequence[float]) -> None:
        self.db.conn.executemany(
            "INSERT INTO elo VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            ((tournament, rounds, id, rating) for id, rating in zip(ids, ratings, strict=True)),
        )

    def finish(self, tournament: int) -> None:
        self.due = 0.0
        self.db.execute("UPDATE tournaments SET finished = ? WHERE id = ?", (now(), tournament))

    def remove(self, tournament: int) -> None:
        """A tournament with all its matches, and entries that played in no other."""
        with self.transaction():
            for table in ("matches", "pairings", "elo", "exact", "against_perfect", "codes"):
                self.db.execute(f"DELETE FROM {table} WHERE tournament = ?", (tournament,))
            self.db.execute("DELETE FROM tournaments WHERE id = ?", (tournament,))
            self.db.execute(
                "DELETE FROM entries WHERE NOT EXISTS"
                " (SELECT 1 FROM pairings WHERE entries.id IN (first, second))"
                " AND NOT EXISTS (SELECT 1 FROM exact WHERE entries.id IN (first, second))"
                " AND NOT EXISTS (SELECT 1 FROM codes WHERE entries.id = entry)"
                " AND NOT EXISTS (SELECT 1 FROM tournaments, json_each(settings, '$.entries')"
                " WHERE tournaments.game = entries.game AND value = entries.name)"
            )

    # --- reading --------------------------------------------------------------------------------------

    def tournaments(self, where: str = "1", values: Sequence[Any] = ()) -> list[Tournament]:
        """Tournaments in the order they were begun."""
        recorded = self.has("0003 codes")
        code = "code" if recorded else f"'{UNKNOWN_CODE}'"
        rows = self.rows(
            "SELECT id, game, format, seed, settings, versions, rules, planned, created, finished,"
            " (SELECT coalesce(sum(wins + draws + losses), 0) FROM pairings WHERE tournament = id),"
            f" {code} FROM tournaments WHERE {where} ORDER BY id",
            values,
        )
        codes: dict[int, dict[str, str]] = {}
        if recorded:
            sql = "SELECT tournament, name, code FROM codes JOIN entries ON id = entry WHERE tournament IN"
            for id, name, played in self.rows(f"{sql} (SELECT id FROM tournaments WHERE {where})", values):
                codes.setdefault(id, {})[name] = played
        found = []
        for id, game, format, seed, settings, versions, *rest in rows:
            said, known = json.loads(settings), codes.get(id, {})
            of_entries = {name: known.get(name, UNKNOWN_CODE) for name in said["entries"]}
            facts = (id, game, format, seed, said, json.loads(versions), *rest, of_entries)
            found.append(Tournament(*facts))
        return found

    def has(self, migration: str) -> bool:
        """Whether the file has a migration; one of before that cannot be written has not."""
        return any(applied.name == migration for applied in migrations.applied(self.db))

    def tournament(self, id: int) -> Tournament:
        if found := self.tournaments("id = ?", (id,)):
            return found[0]
        raise ArenaError(f"{self.path} has no tournament {id} (see 'arena tournaments list')")

    def unfinished(self) -> Tournament:
        """The last one begun that has matches left."""
        if found := self.tournaments("finished IS NULL"):
            return found[-1]
        raise ArenaError(f"{self.path} has no unfinished tournament to resume")

    def pairings(self, tournament: int) -> list[tuple[str, str, str, Counts]]:
        """first, second, kind and counts of a tournament's pairings, by name."""
        rows = self.rows(
            "SELECT a.name, b.name, kind, wins, draws, losses, first_forfeits, second_forfeits"
            " FROM pairings p"
            " JOIN entries a ON a.id = p.first JOIN entries b ON b.id = p.second"
            " WHERE tournament = ? ORDER BY p.first, p.second, kind",
            (tournament,),
        )
        return [(first, second, kind, Counts(*counts)) for first, second, kind, *counts in rows]

    def exact(self, tournament: int) -> dict[tuple[str, str], Expected]:
        """What the pairings of a tournament that was evaluated come to, by first and second entry."""
        if not self.has("0002 exact results"):
            return {}
        rows = self.rows(
            f"SELECT a.name, b.name, {', '.join(Expected._fields)} FROM exact e"
            " JOIN entries a ON a.id = e.first JOIN entries b ON b.id = e.second"
            " WHERE tournament = ? ORDER BY e.first, e.second",
            (tournament,),
        )
        return {(first, second): Expected(*result) for first, second, *result in rows}

    def against_perfect(self, tournament: int) -> dict[str, AgainstPerfect]:
        """How the entries of a tournament that was evaluated fare against perfect play, by name."""
        if not self.has("0002 exact results"):
            return {}
        rows = self.rows(
            "SELECT name, as_first, as_second, fault FROM against_perfect JOIN entries ON id = entry"
            " WHERE tournament = ? ORDER BY id",
            (tournament,),
        )
        return {name: AgainstPerfect(*found) for name, *found in rows}

    def forfeits(self, tournament: int) -> Iterator[tuple[str, int, str, str]]:
        """Who forfeited, which match, how and why, in schedule order."""
        with self.telling():
            yield from self.db.conn.execute(
                "SELECT name, number, reason, detail FROM matches"
                " JOIN entries ON id = CASE result WHEN 1 THEN second ELSE first END"
                " WHERE tournament = ? AND detail IS NOT NULL ORDER BY number",
                (tournament,),
            )

    def matches(self, tournament: int, index: Mapping[int, int]) -> Iterator[Record]:
        """Records in schedule order; index: the place of each entry by its id."""
        with self.telling():
            columns = ", ".join(Record._fields)
            sql = f"SELECT {columns} FROM matches WHERE tournament = ? ORDER BY number"
            for number, round, first, second, *rest in self.db.conn.execute(sql, (tournament,)):
                yield Record(number, round, index[first], index[second], *rest)

    def entry_ids(self, game: str) -> dict[str, int]:
        """The entries of a game, by name."""
        return dict(self.rows("SELECT name, id FROM entries WHERE game = ?", (game,)))

    def last_elo(self, tournament: int) -> dict[str, float]:
        """Elo by entry as far as a tournament has got."""
        return dict(
            self.rows(
                "SELECT name, rating FROM elo JOIN entries ON id = entry WHERE tournament = ? AND"
                " rounds = (SELECT max(rounds) FROM elo WHERE tournament = ?)",
                (tournament, tournament),
            )
        )


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
