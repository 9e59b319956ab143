"""Checks that the stored sums of pairings agree with the recorded matches, before they are used."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from arena.api.reasons import FORFEITS, WITHDRAWN
from arena.compiler import cache
from arena.errors import ArenaError
from arena.file_io import draft_of
from arena.results.tally import CHANCE, COPY, FIXED, Counts
from arena.storage.rows import Count, Kind
from arena.texts import call

if TYPE_CHECKING:
    from arena.storage.file import File

# the fields of `Counts`, which is slower to create, by first and second entry's id and kind
Sums = dict[tuple[int, int, str], list[int]]
PACKED = 1 << 20  # ids below this can be packed into one integer with the other columns
PLAYED_OUT = "rules"  # the reason with which nearly all matches end
KEPT = tuple[int, int, Kind, Count, Count, Count, Count, Count]


class SumsCheck:
    """Checks the sums of an open database, each tournament once.

    The numbers of verified tournaments are cached in the user's cache folder until the file changes, so that
    the next command need not count all matches again.

    Attributes:
        file: The open database.
        state: The state of the file when it was opened, see `state_of`.
        right: Numbers of the tournaments whose sums were found correct.
        others: SQLite's data version when the file was opened; None once another process has written to it.
    """

    def __init__(self, file: File) -> None:
        self.file = file
        self.state = state_of(file.path)
        self.right = remembered(self.state)
        self.others = self.changes_of_others()

    def check(self, tournaments: Iterable[int]) -> None:
        """Check the sums of tournaments that have not been checked yet.

        Raises:
            ArenaError: If the sums of a tournament disagree with its matches.
        """
        unknown = [number for number in tournaments if number not in self.right]
        if not unknown:
            return
        before = state_of(self.file.path)
        for number in unknown:
            check_sums(self.file, number)
        self.right.update(unknown)
        if before == state_of(self.file.path) and not self.file.writes:
            remember(before, self.right)

    def close(self) -> None:
        """Cache which tournaments of a file are verified, unless another process has written to it.

        Call it after the file is closed.
        """
        if self.right and self.others is not None:
            remember(state_of(self.file.path), self.right)

    def note_others(self) -> None:
        """Note whether another process has written to the file. Call it before closing."""
        with suppress(ArenaError):
            if self.changes_of_others() != self.others:
                self.others = None

    def changes_of_others(self) -> int | None:
        """Return a number that changes when another process writes to the file."""
        return int(self.file.rows("PRAGMA data_version")[0][0])


def check_sums(file: File, tournament: int) -> None:
    """Check a tournament's sums against its matches, and raise ArenaError if they disagree."""
    own = not file.db.conn.in_transaction
    if own:
        file.rows("BEGIN")  # read sums and matches from one snapshot
    try:
        kept, played = kept_sums(file, tournament), played_sums(file, tournament)
    finally:
        if own:
            file.rows("ROLLBACK")
    if kept == played:
        return
    for key in sorted(kept.keys() | played.keys(), key=repr):
        sums, come = (Counts(*found.get(key, ())) for found in (kept, played))
        if sums != come:
            first, second = (name_of(file, id) for id in key[:2])
            how = contradiction(first, second, key[2], sums, come)
            remedy = call("tournaments remove", tournament)
            raise ArenaError(
                f"tournament {tournament} of {file.path} was altered: {how}; "
                f"restore it from a backup, or remove it: {remedy}"
            )


def contradiction(first: str, second: str, kind: str, sums: Counts, played: Counts) -> str:
    """Return the error text for a pairing whose sums disagree with its matches."""
    return (
        f"the sums of {first} against {second} ({kind}) are {in_words(sums)}, "
        f"but its matches add up to {in_words(played)}"
    )


def in_words(counts: Counts) -> str:
    """Return counts as text, `5 won, 2 drawn, 3 lost`, followed by forfeits if there are any."""
    text = f"{counts.wins:,} won, {counts.draws:,} drawn, {counts.losses:,} lost"
    return f"{text}, {counts.forfeits:,} forfeited" if counts.forfeits else text


def name_of(file: File, id: int) -> str:
    """Return the name of an entry, or `entry` and its id if the database has no such entry."""
    found = file.rows("SELECT name FROM entries WHERE id = ?", (id,))
    return str(found[0][0]) if found else f"entry {id}"


def kept_sums(file: File, tournament: int) -> Sums:
    """Return the sums stored in the table `pairings`; raise ArenaError for invalid rows."""
    rows = file.rows(
        "SELECT first, second, kind, wins, draws, losses, first_forfeits, second_forfeits FROM pairings"
        " WHERE tournament = ?",
        (tournament,),
    )
    return {
        (first, second, kind): counts
        for first, second, kind, *counts in file.checked(rows, KEPT, f"tournament {tournament}")
    }


def played_sums(file: File, tournament: int) -> Sums:
    """Compute the sums from the recorded matches."""
    found: Sums = {}

    def add(first: int, second: int, kind: str, result: int, forfeited: bool, matches: int) -> None:
        counts = found.setdefault((first, second, kind), [0, 0, 0, 0, 0])
        counts[1 - result] += matches
        if forfeited and result:
            counts[4 if result == 1 else 3] += matches

    unseeded = 0
    for (first, second, chance, result, reason), matches in counted(file, tournament):
        if reason == WITHDRAWN:
            add(first, second, WITHDRAWN, result, True, matches)
        elif chance or reason in FORFEITS:
            add(first, second, CHANCE, result, reason in FORFEITS, matches)
        else:
            add(first, second, COPY, result, False, matches)
            unseeded += matches
    if unseeded:
        for first, second, result in different(file, tournament):
            add(first, second, FIXED, result, False, 1)
            add(first, second, COPY, result, False, -1)
    return {key: counts for key, counts in found.items() if any(counts)}


def counted(file: File, tournament: int) -> Iterable[tuple[tuple[Any, ...], int]]:
    """Yield each distinct (first entry, second entry, chance, result, reason) and its number of matches."""
    of = "FROM matches WHERE tournament = ? AND reason"
    last = file.rows("SELECT coalesce(max(id), 0) FROM entries")[0][0]
    if isinstance(last, int) and last < PACKED:  # counting one integer per match is twice as fast
        packed = "((first << 20 | second) << 1 | (chance <> 0)) << 2 | (result + 1)"
        for (number,), matches in tallied(file, f"SELECT {packed} {of} = ?", tournament):
            if not isinstance(number, int):
                raise file.altered(f"tournament {tournament}", "a match lacks a number")
            seats, chance, result = number >> 3, number >> 2 & 1, number & 3
            yield (seats >> 20, seats & (PACKED - 1), chance, result - 1, PLAYED_OUT), matches
    else:
        yield from tallied(file, f"SELECT first, second, chance <> 0, result, reason {of} = ?", tournament)
    yield from tallied(file, f"SELECT first, second, chance <> 0, result, reason {of} <> ?", tournament)


def tallied(file: File, sql: str, tournament: int) -> Iterable[tuple[Any, int]]:
    """Count the distinct rows of a query whose last parameter is the reason `rules`."""
    with file.telling(), closing(file.db.conn.execute(sql, (tournament, PLAYED_OUT))) as cursor:
        return Counter(cursor).items()


def different(file: File, tournament: int) -> list[tuple[int, int, int]]:
    """Return first entry, second entry and result of the matches without chance, repetitions left out."""
    start = file.rows("SELECT 1 FROM pragma_table_info('matches') WHERE name = 'start'")
    marks = ", ".join("?" * len(FORFEITS))
    rows = file.rows(
        "SELECT first, second, result, min(number) FROM matches WHERE tournament = ? AND chance = 0"
        f" AND reason NOT IN ({marks}) GROUP BY first, second, moves{', start' if start else ''}",
        (tournament, *FORFEITS),
    )
    return [row[:3] for row in rows]


def state_of(path: str) -> str:
    """Return a text that changes whenever the database file or its log does; empty if neither has content."""
    found = []
    for name in (path, f"{path}-wal"):
        try:
            facts = os.stat(name)
        except OSError:
            continue
        if facts.st_size:
            found.append(
                f"{facts.st_dev} {facts.st_ino} {facts.st_size} {facts.st_mtime_ns} {facts.st_ctime_ns}"
            )
    return "\n".join(found)


def place_of(state: str) -> Path:
    """Return the path of the cache file for a database in this state."""
    file = " ".join(state.split()[:2])
    return cache() / "sums" / sha256(file.encode()).hexdigest()[:16]


class Remembered(msgspec.Struct):
    """The verified tournaments of a database file in one state, as cached."""

    state: str
    right: list[int]


def remembered(state: str) -> set[int]:
    """Return the tournaments whose sums were verified when the file was in this state."""
    with suppress(OSError, msgspec.MsgspecError):
        found = msgspec.json.decode(place_of(state).read_bytes(), type=Remembered)
        if state and found.state == state:
            return {*found.right}
    return set()


def remember(state: str, right: Collection[int]) -> None:
    """Cache the verified tournaments of a file; without a usable cache folder, do nothing."""
    if state:
        with suppress(ArenaError), draft_of(place_of(state), kept=True) as file:
            file.write(msgspec.json.encode(Remembered(state, sorted(right))))


def add_counts(
    file: File,
    tournament: int,
    ids: Sequence[int] | Mapping[int, int],
    counts: Mapping[tuple[int, int, str], Counts],
) -> None:
    """Add counts to the stored sums of pairings.

    Args:
        file: A database open for writing.
        tournament: Number of the tournament.
        ids: The id of each entry that `counts` names, by index.
        counts: Counts to add, by first entry, second entry and kind.
    """
    columns = [field.name for field in fields(Counts)]
    file.db.conn.executemany(
        "INSERT INTO pairings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
        + ", ".join(f"{column} = {column} + excluded.{column}" for column in columns),
        (
            (tournament, ids[first], ids[second], kind, *astuple(counted))
            for (first, second, kind), counted in counts.items()
        ),
    )
