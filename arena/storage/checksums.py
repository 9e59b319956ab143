"""Checksums of data that cannot be derived from other rows: a tournament's settings, times, faults and usage.

They detect rows altered by hand or by a failing disk. They are not signatures: anyone who alters rows can
recompute them. Only replaying the matches proves a result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from arena.results.fault_story import Story
from arena.storage.rows import CHECKED, MATCH_NUMBERS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arena.results.records import Facts, Records
    from arena.storage.file import File

NEEDED = "0010 checksums"  # the migration that creates the table
BATCH = 10_000  # rows read at once
BITS = (1 << 64) - 1
OF_ENTRY = "JOIN entries e ON e.id = {0}.entry WHERE tournament = ? ORDER BY 1, 2, 3"
# queries of a tournament's rows, by table, with entries by name since ids differ between databases
FACTS_OF = {
    "tournaments": "SELECT game, format, seed, settings, versions, rules, planned, created, finished, code"
    " FROM tournaments WHERE id = ?",
    "entries": f"SELECT e.name, e.agent, e.options FROM codes c {OF_ENTRY.format('c')}",
    "codes": f"SELECT e.name, c.code, 0 FROM codes c {OF_ENTRY.format('c')}",
    "training": f"SELECT e.name, learner, model, episodes, seconds FROM training t {OF_ENTRY.format('t')}",
    "exact": "SELECT a.name, b.name, win, draw, loss, first_forfeit, second_forfeit, plies, first_moves,"
    " second_moves, first_blunders, second_blunders FROM exact x JOIN entries a ON a.id = x.first"
    " JOIN entries b ON b.id = x.second WHERE tournament = ? ORDER BY 1, 2",
    "against_perfect": "SELECT e.name, as_first, as_second, fault FROM against_perfect p"
    f" {OF_ENTRY.format('p')}",
}
NUMBERS = ("number", "round", "result", "plies", "opening", "chance", "first_seconds", "second_seconds")
OF_MATCH = "JOIN entries e ON e.id = t.entry WHERE tournament = ?"
NOTES = {
    "faults": f"SELECT number, e.name, {', '.join(Story._fields)} FROM faults t {OF_MATCH}",
    "usage": f"SELECT number, ply, e.name, t.name, amount FROM usage t {OF_MATCH}",
}


def facts_of(file: File, tournament: int) -> dict[str, str]:
    """Return digests of a tournament's rows in tables other than those of matches, by table."""
    found = {}
    for table, sql in FACTS_OF.items():
        text = json.dumps(file.rows(sql, (tournament,)), default=repr)
        found[table] = blake2b(text.encode(), digest_size=8).hexdigest()
    return found


def kept(file: File, tournament: int) -> tuple[dict[str, str], str] | None:
    """Return the stored checksums of a tournament, facts and played; None if it has none."""
    if not file.has(NEEDED):
        return None
    rows = file.rows("SELECT facts, played FROM checksums WHERE tournament = ?", (tournament,))
    if not rows:
        return None
    facts, played = file.checked(rows, CHECKED, f"tournament {tournament}")[0]
    try:
        found = json.loads(facts)
    except (ValueError, RecursionError):
        found = {}
    return (found if isinstance(found, dict) else {}), played


def state(file: File, tournament: int) -> None:
    """Store the checksums of a new tournament that has no matches yet."""
    values = (tournament, json.dumps(facts_of(file, tournament)), in_hex(0))
    file.db.execute("INSERT INTO checksums VALUES (?, ?, ?)", values)


@contextmanager
def restated(file: File, tournament: int) -> Iterator[None]:
    """Update the checksum of a tournament's facts after the block, unless it was wrong before."""
    before = kept(file, tournament)
    right = before is not None and before[0] == facts_of(file, tournament)
    yield
    if right:
        restate(file, tournament)


def restate(file: File, tournament: int) -> None:
    """Store the checksum of a tournament's current facts."""
    facts = json.dumps(facts_of(file, tournament))
    file.db.execute("UPDATE checksums SET facts = ? WHERE tournament = ?", (facts, tournament))


def add(file: File, tournament: int, amount: int) -> None:
    """Add to the checksum of a tournament's matches, if it has one."""
    if not amount:
        return
    for (text,) in file.rows("SELECT played FROM checksums WHERE tournament = ?", (tournament,)):
        try:
            played = in_hex(int(text, 16) + amount)
        except ValueError:  # an altered checksum stays wrong
            continue
        file.db.execute("UPDATE checksums SET played = ? WHERE tournament = ?", (played, tournament))


@contextmanager
def less(file: File, tournament: int) -> Iterator[None]:
    """Update the checksum of a tournament's matches after a block that removes or changes matches."""
    before = played_in(file, tournament)
    yield
    add(file, tournament, played_in(file, tournament) - before)


def played_in(file: File, tournament: int) -> int:
    """Compute the checksum of a tournament's matches, faults and usage from its rows."""
    import numpy as np  # imported here, since readers of results do not need it

    from arena.results.records import FACTS

    columns = ", ".join((*NUMBERS, "reason", "detail"))
    found = 0
    sql = f"SELECT {columns} FROM matches WHERE tournament = ?"
    for rows in batches(file, sql, tournament):
        some = file.checked(rows, MATCH_NUMBERS, f"tournament {tournament}")
        facts = np.zeros(len(some), FACTS)
        for i, name in enumerate(NUMBERS):
            facts[name] = [row[i] for row in some]
        found += sum_of_matches(facts)
        found += sum(sum_of_row("detail", row[0], *row[-2:]) for row in some if row[-1] is not None)
    for table in ("faults", "usage"):
        for rows in batches(file, NOTES[table], tournament):
            found += sum(sum_of_row(table, *row) for row in rows)
    return found & BITS


def sum_of_story(file: File, tournament: int, number: int) -> int:
    """Return the checksum of a match's fault; 0 if it has none."""
    rows = file.rows(f"{NOTES['faults']} AND number = ?", (tournament, number))
    return sum(sum_of_row("faults", *row) for row in rows)


def batches(file: File, sql: str, tournament: int) -> Iterator[list[Any]]:
    """Yield the rows of a query in batches."""
    with file.telling(), closing(file.db.conn.execute(sql, (tournament,))) as cursor:
        while rows := cursor.fetchmany(BATCH):
            yield rows


def sum_of(records: Records, names: Mapping[int, str], ids: Sequence[int]) -> int:
    """Return the checksum of records with their stories and usage.

    Args:
        records: The records.
        names: Names of entries, by id.
        ids: The id of each entry, by index.
    """
    found = sum_of_matches(records.facts)
    for number, detail in records.details.items():
        found += sum_of_row("detail", number, reason_of(records, number), detail)
    for record in records.having("stories"):
        found += sum_of_row("faults", record.number, names[ids[record.loser]], *(record.story or ()))
    for record in records.having("usage"):
        for used in record.usage:
            name = names[ids[record.second if used.seat else record.first]]
            for what, amount in used.amounts.items():
                found += sum_of_row("usage", record.number, used.ply, name, what, float(amount))
    return found & BITS


def reason_of(records: Records, number: int) -> str:
    """Return the reason for which a match ended, by the match's number."""
    import numpy as np

    return records.reasons[int(np.searchsorted(records.facts["number"], number))]


def sum_of_row(*values: object) -> int:
    """Return the checksum of a row that contains texts."""
    return int.from_bytes(blake2b(json.dumps(values, default=repr).encode(), digest_size=8).digest())


def sum_of_matches(facts: Facts) -> int:
    """Return the checksum of the numeric columns of matches."""
    import numpy as np

    found = np.zeros(len(facts), np.uint64)
    for name in NUMBERS:
        column = facts[name]
        bits = (column + 0.0) if column.dtype.kind == "f" else column.astype(np.int64)
        found = mixed(found * np.uint64(0x9E3779B97F4A7C15) + bits.view(np.uint64))
    return int(found.sum())


def mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return 64-bit numbers mixed by a bijection (Stafford's variant 13, as in splitmix64)."""
    import numpy as np

    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def in_hex(number: int) -> str:
    """Return a 64-bit number as stored: 16 hexadecimal digits."""
    return f"{number & BITS:016x}"


def altered(file: File, tournament: int, created: str) -> Iterable[str]:
    """Describe each part of a tournament that does not match its checksum, and any missing checksum."""
    found = kept(file, tournament)
    if found is None:
        if file.has(NEEDED) and created > begun_with(file):
            yield "it has no checksum, though it was begun after checksums were introduced"
        return
    facts, played = found
    for table, digest in facts_of(file, tournament).items():
        if facts.get(table) != digest:
            yield f"its rows in the table {table} are not those that were written"
    if played != in_hex(played_in(file, tournament)):
        yield "the numbers of its matches, its faults or its usage are not those that were written"


def begun_with(file: File) -> str:
    """Return when checksums were added to the database, in the format of a tournament's times."""
    (applied,) = file.rows("SELECT applied_at FROM _sqlite_migrations WHERE name = ?", (NEEDED,))[0]
    return str(applied).replace(" ", "T")
