"""Copy tournaments from one database to another."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from arena.results.fault_story import Story
from arena.results.record import Record, Used
from arena.rng import seed_text
from arena.storage import checksums
from arena.storage.database import BATCH, OF_TOURNAMENTS, Store, Tournament
from arena.storage.rows import USED_BY_ID

OF_ENTRIES = ("first", "second", "entry")  # columns that name an entry


def copy_tournament(source: Store, found: Tournament, to: Store) -> int:
    """Copy a tournament with all its records except ratings, and return its new number."""
    with to.transaction():
        made = copy_head(found, to)
        copy_tables(source, found, to, made, OF_TOURNAMENTS)
        checksums.restate(to, made)
    return made


def copy_head(found: Tournament, to: Store, **other: object) -> int:
    """Copy a tournament's own row, with the columns in `other` replaced, and return its new number."""
    row = {
        "game": found.game, "format": found.format, "seed": seed_text(found.seed),
        "settings": found.stated, "versions": json.dumps(found.versions), "rules": found.rules,
        "planned": found.planned, "created": found.created, "finished": found.finished, "code": found.code,
    }  # fmt: skip
    row |= other
    sql = f"INSERT INTO tournaments ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
    made = to.db.execute(sql, (*row.values(),)).lastrowid
    assert made is not None
    return made


def entries_there(source: Store, game: str, to: Store) -> dict[int, int]:
    """Add the entries of a game to another database, and return the new ids by the old ones."""
    rows = source.rows("SELECT name, agent, options FROM entries WHERE game = ? ORDER BY id", (game,))
    to.db.conn.executemany(
        "INSERT INTO entries (game, name, agent, options) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        ((game, *row) for row in rows),
    )
    here, there = source.entry_ids(game), to.entry_ids(game)
    return {id: there[name] for name, id in here.items()}


def copy_tables(source: Store, found: Tournament, to: Store, made: int, tables: Sequence[str]) -> None:
    """Copy a tournament's rows of some tables to the tournament `made` in another database."""
    ids = entries_there(source, found.game, to)
    for table in tables:
        for names, rows in batches(source, table, found.id):
            marks = ", ".join("?" * len(names))
            to.db.conn.executemany(
                f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})",
                (moved(dict(zip(names, row, strict=True)), made, ids) for row in rows),
            )


def batches(
    source: Store, table: str, tournament: int
) -> Iterator[tuple[Sequence[str], list[tuple[object, ...]]]]:
    """Yield the column names and a batch of a tournament's rows of a table, if the table exists."""
    names = [name for (name,) in source.rows("SELECT name FROM pragma_table_info(?)", (table,))]
    if not names:
        return
    sql = f"SELECT {', '.join(names)} FROM {table} WHERE tournament = ?"
    with source.telling(), closing(source.db.conn.execute(sql, (tournament,))) as cursor:
        while rows := cursor.fetchmany(BATCH):
            yield names, rows


def moved(row: dict[str, Any], tournament: int, ids: Mapping[int, int]) -> tuple[object, ...]:
    """Return a row with the tournament number and entry ids of another database.

    Args:
        row: Values by column.
        tournament: Number of the tournament in the other database.
        ids: Ids of entries in the other database, by their ids in this one.

    Raises:
        sqlite3.IntegrityError: If the row names an entry that the game does not have.
    """
    row["tournament"] = tournament
    for name in OF_ENTRIES:
        if name in row:
            if row[name] not in ids:
                raise sqlite3.IntegrityError(f"a row of tournament {tournament} is of no entry of its game")
            row[name] = ids[row[name]]
    return (*row.values(),)


def whole_records(source: Store, tournament: int, index: Mapping[int, int]) -> Iterator[Record]:
    """Yield the records of a tournament with stories and usage, in schedule order.

    Args:
        source: The database.
        tournament: Number of the tournament.
        index: The index of each entry, by id.
    """
    stories = {number: story for number, _, story in source.stories(tournament)}
    some: list[Record] = []
    for record in source.matches(tournament, index):
        some.append(record)
        if len(some) == BATCH:
            yield from with_notes(source, tournament, index, some, stories)
            some = []
    yield from with_notes(source, tournament, index, some, stories)


def with_notes(
    source: Store,
    tournament: int,
    index: Mapping[int, int],
    some: Sequence[Record],
    stories: Mapping[int, Story],
) -> Iterator[Record]:
    """Yield records with their stories and usage added."""
    used: dict[int, dict[tuple[int, int], dict[str, float]]] = {}
    if some and source.has("0005 usage"):
        rows = source.rows(
            "SELECT number, ply, entry, name, amount FROM usage"
            " WHERE tournament = ? AND number BETWEEN ? AND ? ORDER BY number, ply, name",
            (tournament, some[0].number, some[-1].number),
        )
        for number, ply, entry, name, amount in source.checked(rows, USED_BY_ID, f"tournament {tournament}"):
            used.setdefault(number, {}).setdefault((ply, index.get(entry, -1)), {})[name] = amount
    for record in some:
        usage = tuple(
            Used(ply, int(entry != record.first), amounts)
            for (ply, entry), amounts in used.get(record.number, {}).items()
        )
        yield record._replace(story=stories.get(record.number), usage=usage)
