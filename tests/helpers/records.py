"""What is recorded in a database, read by SQL of our own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def rows(db: Path, tournament: int = 1) -> dict[str, list[tuple]]:
    """All that is recorded of a tournament but the times, table by table."""
    names = dict(query(db, "SELECT id, name FROM entries"))
    asked = {
        "matches": "SELECT number, round, first, second, result, reason, detail, plies, opening, moves,"
        " chance FROM matches WHERE tournament = ? ORDER BY number",
        "pairings": "SELECT first, second, kind, wins, draws, losses, first_forfeits, second_forfeits"
        " FROM pairings WHERE tournament = ? ORDER BY first, second, kind",
        "elo": "SELECT rounds, entry, rating FROM elo WHERE tournament = ? ORDER BY rounds, entry",
    }
    if query(db, "SELECT 1 FROM sqlite_schema WHERE name = 'faults'"):
        asked["faults"] = "SELECT * FROM faults WHERE tournament = ? ORDER BY number"
    if query(db, "SELECT 1 FROM sqlite_schema WHERE name = 'usage'"):
        asked["usage"] = "SELECT * FROM usage WHERE tournament = ? ORDER BY number, ply, name"
    found = {table: query(db, sql, tournament) for table, sql in asked.items()}
    return {**found, "entries": sorted(names.items())}


def query(db: Path, sql: str, *values: object) -> list[tuple]:
    """Rows of a database that is there, be it written to at the same time."""
    connection = sqlite3.connect(f"{Path(db).as_uri()}?mode=rw", uri=True, timeout=60)
    try:
        return connection.execute(sql, values).fetchall()
    finally:
        connection.close()


def played(db: Path, tournament: int = 1) -> int:
    """How many matches of a tournament are recorded; 0 if there is no such thing yet."""
    try:
        return query(db, "SELECT count(*) FROM matches WHERE tournament = ?", tournament)[0][0]
    except sqlite3.OperationalError:
        return 0


def sums_of(db: Path) -> dict[tuple, list[int]]:
    """Count the matches of a database by pairing; of matches that repeat each other one counts."""
    sums: dict[tuple, list[int]] = {}
    seen = set()
    start = ", start" if query(db, "SELECT 1 FROM pragma_table_info('matches') WHERE name = 'start'") else ""
    columns = f"tournament, first, second, result, reason, chance, moves{start}"
    for row in query(db, f"SELECT {columns} FROM matches ORDER BY tournament, number"):
        tournament, first, second, result, reason, chance, *moves = row
        forfeit = reason in ("illegal move", "crash", "clock", "stall", "withdrawn")
        kind = "withdrawn" if reason == "withdrawn" else "chance"
        if not chance and not forfeit:
            match = (tournament, first, second, *moves)
            kind = "copy" if match in seen else "fixed"
            seen.add(match)
        counts = sums.setdefault((tournament, first, second, kind), [0] * 5)
        counts[1 - result] += 1
        if forfeit and result:
            counts[3 if result == -1 else 4] += 1
    return sums


def check_sums(db: Path) -> None:
    """The sums by pairing are those of the matches."""
    assert sums_of(db) == {row[:4]: list(row[4:]) for row in query(db, "SELECT * FROM pairings")}


def add_up(db: Path) -> None:
    """Have the sums be those of the matches, which were altered."""
    sums = sums_of(db)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("DELETE FROM pairings")
        rows = [(*key, *counts) for key, counts in sums.items()]
        connection.executemany("INSERT INTO pairings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
