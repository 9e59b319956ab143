"""Corrections of a tournament's records that later matches make necessary."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from arena.api.reasons import WITHDRAWN
from arena.results.record import COLUMNS, VARIED, Record
from arena.results.tally import Tally
from arena.storage import checksums
from arena.storage.file import File
from arena.storage.sums import add_counts


def mark_varied(file: File, tournament: int, entries: Collection[int]) -> None:
    """Mark the matches of entries that vary, so that none counts as a copy. Call `add_up` afterwards."""
    with checksums.less(file, tournament):
        file.db.conn.executemany(
            "UPDATE matches SET chance = ? WHERE tournament = ? AND chance = 0 AND ? IN (first, second)",
            ((VARIED, tournament, entry) for entry in entries),
        )


def drop_stories(file: File, tournament: int, numbers: Sequence[int]) -> None:
    """Delete the stories of these matches."""
    for number in numbers:
        checksums.add(file, tournament, -checksums.sum_of_story(file, tournament, number))
        file.db.execute("DELETE FROM faults WHERE tournament = ? AND number = ?", (tournament, number))


def drop_fits(file: File, tournament: int) -> None:
    """Delete the ratings that depend on a tournament's results."""
    file.db.execute(
        "DELETE FROM fits WHERE id IN (SELECT fit FROM fitted_to WHERE tournament = ?)", (tournament,)
    )


def drop_unused(file: File) -> None:
    """Delete the entries that are in no tournament."""
    file.db.execute(
        "DELETE FROM entries WHERE NOT EXISTS"
        " (SELECT 1 FROM pairings WHERE entries.id IN (first, second))"
        " AND NOT EXISTS (SELECT 1 FROM exact WHERE entries.id IN (first, second))"
        " AND NOT EXISTS (SELECT 1 FROM codes WHERE entries.id = entry)"
        " AND NOT EXISTS (SELECT 1 FROM tournaments, json_each(settings, '$.entries')"
        " WHERE tournaments.game = entries.game AND value = entries.name)"
    )


def drop_entry(file: File, tournament: int, entry: int) -> None:
    """Delete an entry from a tournament, with its matches; other matches are renumbered in the same order.

    Elo ratings are also deleted, since they depend on all matches.
    """
    its, values = "tournament = ? AND ? IN (first, second)", (tournament, entry)
    with checksums.less(file, tournament):
        for table in ("faults", "usage"):
            file.db.execute(
                f"DELETE FROM {table} WHERE tournament = ? AND number IN"
                f" (SELECT number FROM matches WHERE {its})",
                (tournament, *values),
            )
        file.db.execute(f"DELETE FROM matches WHERE {its}", values)
        rows = file.rows("SELECT number FROM matches WHERE tournament = ? ORDER BY number", (tournament,))
        moved = [(new, tournament, old) for new, (old,) in enumerate(rows) if new != old]
        for table in ("matches", "faults", "usage"):
            file.db.conn.executemany(
                f"UPDATE {table} SET number = ? WHERE tournament = ? AND number = ?", moved
            )
    file.db.execute(f"DELETE FROM pairings WHERE {its}", values)
    file.db.execute("DELETE FROM elo WHERE tournament = ?", (tournament,))
    for table in ("codes", "training"):
        file.db.execute(f"DELETE FROM {table} WHERE tournament = ? AND entry = ?", (tournament, entry))


def drop_played(file: File, tournament: int, entry: int, last: int) -> int:
    """Delete an entry's matches after match `last`, and return their number. Call `add_up` afterwards."""
    its = f"tournament = ? AND number > ? AND ? IN (first, second) AND reason <> '{WITHDRAWN}'"
    values = (tournament, last, entry)
    (dropped,) = file.rows(f"SELECT count(*) FROM matches WHERE {its}", values)[0]
    if not dropped:
        return 0
    drop_fits(file, tournament)
    with checksums.less(file, tournament):
        file.db.execute(f"DELETE FROM matches WHERE {its}", values)
        file.db.execute(
            "DELETE FROM faults WHERE tournament = ? AND number NOT IN"
            " (SELECT number FROM matches WHERE tournament = ? AND detail IS NOT NULL)",
            (tournament, tournament),
        )
        file.db.execute(
            "DELETE FROM usage WHERE tournament = ? AND number NOT IN"
            " (SELECT number FROM matches WHERE tournament = ?)",
            (tournament, tournament),
        )
    return int(dropped)


def add_up(file: File, tournament: int, entry: int) -> None:
    """Recompute the sums of an entry's pairings."""
    columns = ", ".join(COLUMNS)
    rows = file.db.execute(
        f"SELECT {columns} FROM matches WHERE tournament = ? AND ? IN (first, second) ORDER BY number",
        (tournament, entry),
    )
    tally = Tally()
    tally.add(Record(*row) for row in rows)
    file.db.execute("DELETE FROM pairings WHERE tournament = ? AND ? IN (first, second)", (tournament, entry))
    ids = {id: id for pair in tally.counts for id in pair[:2]}
    add_counts(file, tournament, ids, tally.counts)
