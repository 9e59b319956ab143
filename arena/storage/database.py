"""The database: SQLite through sqlite-utils, readable while being written, safe for several writers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from arena.api.reasons import FORFEITS, WITHDRAWN
from arena.errors import ArenaError
from arena.results.cost import Learned
from arena.results.exact import AgainstPerfect, Expected
from arena.results.fault_story import Story
from arena.results.record import COLUMNS, UNKNOWN_CODE, Record
from arena.results.settings import Settings, recorded, whole_number
from arena.results.tally import Counts
from arena.rng import NEWEST, Streams, read_seed, seed_in_json
from arena.storage import checksums
from arena.storage.corrections import drop_fits, drop_unused
from arena.storage.file import PATIENCE, File
from arena.storage.rows import (
    AGAINST_PERFECT,
    CODE,
    EFFORT,
    ELO,
    ELO_AFTER,
    ENTRY,
    EXACT,
    FAILURE,
    FAULTS,
    FORFEIT,
    LEARNED,
    MATCH,
    MOVES,
    NUMBER,
    OPTIONS,
    OUTCOME,
    PAIRING,
    RESULT,
    STORY,
    TOURNAMENT,
    USAGE,
    USED,
    WHOLE,
)
from arena.storage.sums import SumsCheck
from arena.texts import call, either

if TYPE_CHECKING:
    from arena.results.records import Records

DATABASE = "arena.db"  # the default
BATCH = 10_000  # matches read at once
# matches per statement: SQLite sets up the check of `result` once per statement. Versions before 3.32 accept
# at most 999 values per statement
ROWS = 70
# settings that every tournament must record, since no default of `Settings` applies
STATED = ("entries", "format", "openings", "max_plies", "move_seconds")
# tables whose rows belong to a tournament
OF_TOURNAMENTS = (
    *("training", "usage", "faults", "matches", "pairings", "elo", "exact", "against_perfect"),
    *("codes", "checksums"),
)


@dataclass(frozen=True, kw_only=True)
class NewEntries:
    """Entries to record, and the updated tournament in which they play.

    Attributes:
        game: The game with its options.
        settings: The settings to record.
        entries: Name, agent and options of each entry.
        versions: Versions of the distributions involved, by name.
        planned: Number of matches.
        codes: Digests of the entries' code, by name.
        learned: The models used by the learners in each entry, by the entry's name.
    """

    game: str
    settings: Settings
    entries: Sequence[tuple[str, str, Mapping[str, object]]]
    versions: Mapping[str, str]
    planned: int
    codes: Mapping[str, str]
    learned: Mapping[str, Sequence[Learned]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class NewTournament(NewEntries):
    """A tournament to record.

    Attributes:
        rules: Digest of the game's rules.
        code: Digest of the game's code.
        exact: Exact results by names of first and second entry; such a tournament is finished at once.
        against_perfect: Results against perfect play, by name, for a tournament of exact results.
    """

    rules: str
    code: str
    exact: Mapping[tuple[str, str], Expected] | None = None
    against_perfect: Mapping[str, AgainstPerfect] = field(default_factory=dict)


@dataclass(frozen=True)
class Tournament:
    """A row of `tournaments` with its JSON decoded, and the number of matches played.

    Attributes:
        id: Number of the tournament.
        game: The game with its options.
        format: Name of the format.
        seed: Seed of all its random numbers.
        settings: Its settings.
        stated: Its settings as recorded, in JSON.
        versions: Versions of the distributions involved, by name.
        rules: Digest of the game's rules.
        planned: Number of matches planned.
        created: When it was begun, in ISO 8601 format and UTC.
        finished: When it ended; None if it has not.
        played: Number of matches played.
        code: Digest of the game's code, or UNKNOWN_CODE.
        codes: Digest of each entry's code, by name, or UNKNOWN_CODE.
    """

    id: int
    game: str
    format: str
    seed: int
    settings: Settings
    stated: str
    versions: Mapping[str, str]
    rules: str
    planned: int
    created: str
    finished: str | None
    played: int
    code: str
    codes: Mapping[str, str]

    @property
    def streams(self) -> Streams:
        """The random streams of the tournament."""
        return Streams(self.seed, self.settings.streams or NEWEST)

    @property
    def as_stated(self) -> dict[str, Any]:
        """The settings as they are recorded, by name, with the scheme of streams and seeds for JSON."""
        found: dict[str, Any] = json.loads(self.stated)
        found.setdefault("streams", 1)  # before schemes were recorded
        if isinstance(seed := found.get("seed"), int):  # before large ones were texts
            found["seed"] = seed_in_json(seed)
        return found

    @property
    def exact(self) -> bool:
        """Whether it holds exact results, computed without matches."""
        return self.settings.exact


class Store(File):
    """The tournaments of a database, for reading and writing.

    The sums of a tournament are checked against its matches when it is first read.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        write: bool = False,
        patience: float = PATIENCE,
        others: bool = False,
        any_sums: bool = False,
    ) -> None:
        """Open the database, as `File` does.

        Args:
            path: The database file.
            write: Open for writing. Default: read only.
            patience: Seconds to wait for another writer.
            others: Treat the file as untrusted, see `File`.
            any_sums: Do not check sums, for callers that check or delete them.
        """
        super().__init__(path, write=write, patience=patience, others=others)
        try:
            self.sums = None if any_sums else SumsCheck(self)
        except BaseException:
            super().close()
            raise

    def close(self) -> None:
        """Close the database, and cache the tournaments with correct sums if it was written to."""
        try:
            if self.sums and self.writes:
                self.sums.note_others()
        finally:
            super().close()
        if self.sums and self.writes:
            self.sums.close()

    # --- writing --------------------------------------------------------------------------------------

    def add_tournament(self, new: NewTournament) -> int:
        """Add a tournament and return its number."""
        self.due = 0.0
        with self.transaction():
            stated = new.settings.stated()
            row = (new.game, new.settings.format, str(stated["seed"]), json.dumps(stated))
            made = self.db.execute(
                "INSERT INTO tournaments"
                " (game, format, seed, settings, versions, rules, planned, created, code)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, json.dumps(new.versions), new.rules, new.planned, now(), new.code),
            ).lastrowid
            assert made is not None
            if self.sums:
                self.sums.right.add(made)
            self.enter(made, new)
            if new.exact is not None:
                self.add_exact(made, new.exact, new.against_perfect, self.entry_ids(new.game))
            checksums.state(self, made)
            if new.exact is not None:
                self.finish(made)
        return made

    def add_exact(
        self,
        tournament: int,
        exact: Mapping[tuple[str, str], Expected],
        against_perfect: Mapping[str, AgainstPerfect],
        ids: Mapping[str, int],
    ) -> None:
        """Add exact results of pairings and against perfect play; `ids` holds each entry's id, by name."""
        self.db.conn.executemany(
            f"INSERT INTO exact VALUES ({', '.join('?' * 13)})",
            ((tournament, ids[first], ids[second], *result) for (first, second), result in exact.items()),
        )
        self.db.conn.executemany(
            "INSERT INTO against_perfect VALUES (?, ?, ?, ?, ?)",
            ((tournament, ids[name], *found) for name, found in against_perfect.items()),
        )

    def enter(self, tournament: int, new: NewEntries) -> None:
        """Add entries with digests of their code and a record of their learners' models."""
        for name, agent, options in new.entries:
            self.db.execute(
                "INSERT INTO entries (game, name, agent, options) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (new.game, name, agent, json.dumps(options, default=str)),  # specs are written as text
            )
        ids = self.entry_ids(new.game)
        self.db.conn.executemany(
            "INSERT INTO codes VALUES (?, ?, ?)",
            ((tournament, ids[name], of_entry) for name, of_entry in new.codes.items()),
        )
        self.db.conn.executemany(
            "INSERT INTO training VALUES (?, ?, ?, ?, ?, ?)",
            ((tournament, ids[name], *one) for name, found in new.learned.items() for one in found),
        )

    def add_to_tournament(self, tournament: int, new: NewEntries) -> None:
        """Add entries to a tournament and reopen it."""
        with self.transaction(), checksums.restated(self, tournament):
            drop_fits(self, tournament)
            self.db.execute(
                "UPDATE tournaments SET settings = ?, versions = ?, planned = ?, finished = NULL"
                " WHERE id = ?",
                (json.dumps(new.settings.stated()), json.dumps(new.versions), new.planned, tournament),
            )
            self.enter(tournament, new)

    def add_matches(self, tournament: int, ids: Sequence[int], records: Records) -> None:
        """Add match records with their stories and usage; `ids` holds each entry's id, by index."""
        row = f"({tournament}, {', '.join('?' * len(COLUMNS))})"
        values = [*chain.from_iterable(records.rows(ids))]
        for i in range(0, len(values), ROWS * len(COLUMNS)):
            some = values[i : i + ROWS * len(COLUMNS)]
            rows = ", ".join([row] * (len(some) // len(COLUMNS)))
            self.db.conn.execute(f"INSERT INTO matches VALUES {rows}", some)
        checksums.add(self, tournament, checksums.sum_of(records, self.names_of(records, ids), ids))
        self.db.conn.executemany(
            f"INSERT INTO faults VALUES ({', '.join('?' * 8)})",
            ((tournament, r.number, ids[r.loser], *(r.story or ())) for r in records.having("stories")),
        )
        self.db.conn.executemany(
            "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?)",
            (
                (tournament, r.number, used.ply, ids[r.second if used.seat else r.first], name, amount)
                for r in records.having("usage")
                for used in r.usage
                for name, amount in used.amounts.items()
            ),
        )

    def names_of(self, records: Records, ids: Sequence[int]) -> dict[int, str]:
        """Return names of entries by id, if the records have stories or usage; else an empty dictionary."""
        if not records.stories and not records.usage:
            return {}
        return dict(self.rows(f"SELECT id, name FROM entries WHERE id IN ({', '.join('?' * len(ids))})", ids))

    def add_elo(self, tournament: int, ids: Sequence[int], rounds: int, ratings: Sequence[float]) -> None:
        """Add the Elo ratings after a number of rounds; existing rows are kept."""
        self.db.conn.executemany(
            "INSERT INTO elo VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            ((tournament, rounds, id, rating) for id, rating in zip(ids, ratings, strict=True)),
        )

    def finish(self, tournament: int, played: int | None = None) -> None:
        """Mark a tournament as finished; `played` replaces the planned number of matches if given."""
        self.due = 0.0
        with checksums.restated(self, tournament):
            self.db.execute(
                "UPDATE tournaments SET finished = coalesce(finished, max(?, created)),"
                " planned = coalesce(?, planned) WHERE id = ?",
                (now(), played, tournament),
            )

    def remove(self, tournament: int) -> None:
        """Remove a tournament with all its matches, and the entries that played in no other."""
        with self.transaction():
            drop_fits(self, tournament)
            for table in OF_TOURNAMENTS:
                self.db.execute(f"DELETE FROM {table} WHERE tournament = ?", (tournament,))
            self.db.execute("DELETE FROM tournaments WHERE id = ?", (tournament,))
            if self.sums:
                self.sums.right.discard(tournament)
            drop_unused(self)

    # --- reading --------------------------------------------------------------------------------------

    def settings_in(self, text: str, what: str) -> Settings:
        """Decode the settings in a tournament's row; raise ArenaError if they are invalid or incomplete."""
        values = self.decoded(text, dict[str, Any], what)
        if missing := [name for name in STATED if name not in values]:
            raise self.altered(what, f"its settings lack {missing[0]!r}")
        try:
            settings = recorded(values)
        except (msgspec.ValidationError, ArenaError) as error:
            raise self.altered(what, str(error)) from error
        if settings.pairs == 0:
            raise self.altered(what, "its settings do not give the number of matches")
        return settings

    def seed_of(self, recorded: int | str, what: str) -> int:
        """Return a tournament's recorded seed; raise ArenaError naming `what` if it is invalid."""
        if isinstance(recorded, int):
            return recorded
        try:
            return read_seed(recorded)
        except ArenaError as error:
            raise self.altered(what, str(error)) from error

    def tournaments(self, where: str = "1", values: Sequence[object] = ()) -> list[Tournament]:
        """Return the tournaments that satisfy an SQL condition, in the order in which they were begun."""
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
            sql = f"{sql} (SELECT id FROM tournaments WHERE {where})"
            for id, name, played in self.checked(self.rows(sql, values), CODE, "the codes of a tournament"):
                codes.setdefault(id, {})[name] = played
        found = []
        for row in self.checked(rows, TOURNAMENT, "a tournament"):
            id, game, format, seed, settings, versions, *rest = row
            place = f"tournament {id}"
            said = self.settings_in(settings, place)
            of_entries = {name: codes.get(id, {}).get(name, UNKNOWN_CODE) for name in said.entries or ()}
            known = self.decoded(versions, dict[str, str], place)
            facts = (id, game, format, self.seed_of(seed, place), said, settings, known, *rest, of_entries)
            found.append(Tournament(*facts))
        if self.sums:
            self.sums.check(one.id for one in found)
        return found

    @property
    def start_column(self) -> str:
        """SQL for the start position of a match: a column, or NULL in an older file without this column."""
        return "start" if self.has("0008 starts") else "NULL"

    def last(self) -> Tournament:
        """Return the tournament begun last; raise ArenaError if there is none."""
        if found := self.tournaments("id = (SELECT max(id) FROM tournaments)"):
            return found[0]
        raise ArenaError(f"{self.path} holds no tournaments yet; play one: {call('tournament')}")

    def tournament(self, id: int | None) -> Tournament:
        """Return a tournament by number, by default the one begun last; raise ArenaError if there is none."""
        if id is None:
            return self.last()
        id = whole_number("tournament", id)
        if 0 < id < 2**63:
            if found := self.tournaments("id = ?", (id,)):
                return found[0]
            raise ArenaError(f"{self.path} has no tournament {id} (see '{call('tournaments list')}')")
        raise ArenaError(f"{self.path} has no tournament with that number (see '{call('tournaments list')}')")

    def unfinished(self) -> Tournament:
        """Return the tournament begun last among the unfinished; raise ArenaError if there is none."""
        if found := self.tournaments("finished IS NULL"):
            return found[-1]
        raise ArenaError(f"{self.path} has no unfinished tournament to resume")

    def pairings(self, tournament: int) -> list[tuple[str, str, str, Counts]]:
        """Return first entry, second entry, kind and counts of a tournament's pairings."""
        rows = self.rows(
            "SELECT a.name, b.name, kind, wins, draws, losses, first_forfeits, second_forfeits"
            " FROM pairings p"
            " JOIN entries a ON a.id = p.first JOIN entries b ON b.id = p.second"
            " WHERE tournament = ? ORDER BY p.first, p.second, kind",
            (tournament,),
        )
        return [
            (first, second, kind, Counts(*counts))
            for first, second, kind, *counts in self.checked(rows, PAIRING, f"tournament {tournament}")
        ]

    def entries_with_results(self, tournament: int) -> list[str]:
        """Return the names of entries that are in a tournament's pairings."""
        rows = self.rows(
            "SELECT name FROM entries WHERE id IN (SELECT first FROM pairings WHERE tournament = ?"
            " UNION SELECT second FROM pairings WHERE tournament = ?) ORDER BY id",
            (tournament, tournament),
        )
        return [name for (name,) in self.checked(rows, tuple[str], "an entry")]

    def exact(self, tournament: int) -> dict[tuple[str, str], Expected]:
        """Return the exact results of a tournament by names of first and second entry, possibly empty."""
        if not self.has("0002 exact results"):
            return {}
        rows = self.rows(
            f"SELECT a.name, b.name, {', '.join(Expected._fields)} FROM exact e"
            " JOIN entries a ON a.id = e.first JOIN entries b ON b.id = e.second"
            " WHERE tournament = ? ORDER BY e.first, e.second",
            (tournament,),
        )
        found = self.checked(rows, EXACT, f"tournament {tournament}")
        return {(first, second): Expected(*result) for first, second, *result in found}

    def against_perfect(self, tournament: int) -> dict[str, AgainstPerfect]:
        """Return the results of the entries of an exact tournament against perfect play, by name."""
        if not self.has("0002 exact results"):
            return {}
        rows = self.rows(
            "SELECT name, as_first, as_second, fault FROM against_perfect JOIN entries ON id = entry"
            " WHERE tournament = ? ORDER BY id",
            (tournament,),
        )
        found = self.checked(rows, AGAINST_PERFECT, f"tournament {tournament}")
        return {name: AgainstPerfect(*fared) for name, *fared in found}

    def forfeits(self, tournament: int) -> Iterator[tuple[str, int, str, str]]:
        """Yield (entry, match number, reason, detail) of forfeits in matches played, in schedule order."""
        rows = self.rows(
            "SELECT name, number, reason, detail FROM matches"
            " JOIN entries ON id = CASE result WHEN 1 THEN second ELSE first END"
            " WHERE tournament = ? AND detail IS NOT NULL ORDER BY number",
            (tournament,),
        )
        yield from self.checked(rows, FORFEIT, f"tournament {tournament}")

    def forfeits_by_reason(self, tournament: int) -> list[tuple[str, int, str, str, int]]:
        """Return (entry, count, reason, first detail, first number) of forfeits in matches played."""
        rows = self.rows(
            "SELECT name, count(*), reason, detail, min(number) FROM matches"
            " JOIN entries ON id = CASE result WHEN 1 THEN second ELSE first END"
            " WHERE tournament = ? AND detail IS NOT NULL GROUP BY id, reason ORDER BY min(number)",
            (tournament,),
        )
        return self.checked(rows, FAULTS, f"tournament {tournament}")

    def efforts(self, tournament: int) -> list[tuple[str, float, int]]:
        """Return entry, seconds spent and number of moves, assuming that players alternate."""
        sides = (
            "SELECT {0} AS entry, total({0}_seconds) AS seconds, sum((plies + {1}) / 2 - (opening + {1}) / 2)"
            " AS moves FROM matches WHERE tournament = ? GROUP BY {0}"
        )
        both = f"{sides.format('first', 1)} UNION ALL {sides.format('second', 0)}"
        rows = self.rows(
            f"SELECT name, total(seconds), sum(moves) FROM ({both}) JOIN entries ON id = entry GROUP BY id",
            (tournament, tournament),
        )
        return self.checked(rows, EFFORT, f"tournament {tournament}")

    def options(self, game: str) -> dict[str, dict[str, object]]:
        """Return the non-default options of a game's entries, by the entry's name."""
        rows = self.rows("SELECT name, options FROM entries WHERE game = ?", (game,))
        found = self.checked(rows, OPTIONS, "an entry")
        return {name: self.decoded(text, dict, f"entry {name}") for name, text in found}

    def failures(self, tournament: int) -> list[tuple[int, int, str]]:
        """Return number, result and reason of forfeited matches in schedule order, unplayed ones left out."""
        rows = self.rows(
            "SELECT number, result, reason FROM matches WHERE tournament = ? AND detail IS NOT NULL"
            " ORDER BY number",
            (tournament,),
        )
        return self.checked(rows, FAILURE, f"tournament {tournament}")

    def match(self, tournament: int, number: int) -> tuple[str, str, int, str]:
        """Return (first, second, result, moves) of a match; raise ArenaError if there is none."""
        rows = self.rows(
            "SELECT a.name, b.name, result, moves FROM matches"
            " JOIN entries a ON a.id = first JOIN entries b ON b.id = second"
            " WHERE tournament = ? AND number = ?",
            (tournament, number),
        )
        if not rows:
            what = f"tournament {tournament} of {self.path} has no match {number}"
            faults = either(
                call("tournaments show", tournament, faults=True), call("tournaments faults", tournament)
            )
            raise ArenaError(f"{what} on record; see '{faults}'")
        found: tuple[str, str, int, str] = self.checked(rows, RESULT, f"tournament {tournament}")[0]
        return found

    def whole_match(
        self, tournament: int, number: int
    ) -> tuple[str, str, int, str, str | None, int, str, str | None]:
        """Return a match as (first, second, result, reason, detail, plies of the opening, moves, start).

        Raises:
            ArenaError: If the match is not on record.
        """
        rows = self.rows(
            f"SELECT a.name, b.name, result, reason, detail, opening, moves, {self.start_column} FROM matches"
            " JOIN entries a ON a.id = first JOIN entries b ON b.id = second"
            " WHERE tournament = ? AND number = ?",
            (tournament, number),
        )
        if not rows:
            numbers = self.numbers(tournament)
            there = f"matches {numbers[0]} to {numbers[-1]}" if numbers else "none"
            what = f"tournament {tournament} of {self.path} has no match {number}"
            raise ArenaError(f"{what}; on record: {there}")
        found: tuple[str, str, int, str, str | None, int, str, str | None]
        found = self.checked(rows, WHOLE, f"tournament {tournament}")[0]
        return found

    def numbers(self, tournament: int, lost_by: str | None = None) -> list[int]:
        """Return the numbers of a tournament's matches on record, or of those played and lost by an entry."""
        sql = "SELECT number FROM matches m"
        if lost_by is None:
            rows = self.rows(f"{sql} WHERE tournament = ? ORDER BY number", (tournament,))
        else:
            sql += " JOIN entries e ON e.id = CASE result WHEN 1 THEN second WHEN -1 THEN first END"
            sql += " WHERE tournament = ? AND e.name = ? AND reason != ? ORDER BY number"
            rows = self.rows(sql, (tournament, lost_by, WITHDRAWN))
        return [number for (number,) in self.checked(rows, NUMBER, f"tournament {tournament}")]

    def played(self, tournament: int) -> int:
        """Return the number of matches on record, without those forfeited unplayed."""
        sql = "SELECT count(*) FROM matches WHERE tournament = ? AND reason <> ?"
        return int(self.rows(sql, (tournament, WITHDRAWN))[0][0])

    def stories(self, tournament: int) -> list[tuple[int, str, Story]]:
        """Return match number, entry and story of the recorded faults, in schedule order."""
        if not self.has("0004 faults"):
            return []
        rows = self.rows(
            f"SELECT number, name, {', '.join(Story._fields)} FROM faults JOIN entries ON id = entry"
            " WHERE tournament = ? ORDER BY number",
            (tournament,),
        )
        found = self.checked(rows, STORY, f"tournament {tournament}")
        return [(number, name, Story(*texts)) for number, name, *texts in found]

    def learned(self, tournament: int) -> dict[str, list[Learned]]:
        """Return the models that each entry's learners had when the tournament began, by entry."""
        if not self.has("0006 training"):
            return {}
        rows = self.rows(
            f"SELECT name, {', '.join(Learned._fields)} FROM training JOIN entries ON id = entry"
            " WHERE tournament = ? ORDER BY entry, learner",
            (tournament,),
        )
        found: dict[str, list[Learned]] = {}
        for name, *facts in self.checked(rows, LEARNED, f"tournament {tournament}"):
            found.setdefault(name, []).append(Learned(*facts))
        return found

    def usage(self, tournament: int) -> dict[str, tuple[int, dict[str, float]]]:
        """Return, by entry, the number of moves that report usage and the sums of usage by name."""
        if not self.has("0005 usage"):
            return {}
        moves = self.rows(
            "SELECT e.name, count(*)"
            " FROM (SELECT DISTINCT entry, number, ply FROM usage WHERE tournament = ?)"
            " JOIN entries e ON e.id = entry GROUP BY entry ORDER BY e.name",
            (tournament,),
        )
        found: dict[str, tuple[int, dict[str, float]]] = {name: (count, {}) for name, count in moves}
        rows = self.rows(
            "SELECT e.name, u.name, total(amount) FROM usage u JOIN entries e ON e.id = entry"
            " WHERE tournament = ? GROUP BY entry, u.name ORDER BY u.name",
            (tournament,),
        )
        for entry, name, amount in self.checked(rows, USAGE, f"tournament {tournament}"):
            found[entry][1][name] = amount
        return found

    def usage_by_move(self, tournament: int) -> list[tuple[int, int, str, str, float]]:
        """Return match number, ply, entry, name and amount of all reported usage, in schedule order."""
        if not self.has("0005 usage"):
            return []
        rows = self.rows(
            "SELECT number, ply, e.name, u.name, amount FROM usage u JOIN entries e ON e.id = u.entry"
            " WHERE tournament = ? ORDER BY number, ply, u.name",
            (tournament,),
        )
        return self.checked(rows, USED, f"tournament {tournament}")

    def matches(
        self,
        tournament: int,
        index: Mapping[int, int],
        start: int = 0,
        of: Sequence[int] = (),
        share: float = 1.0,
        seed: int = 0,
    ) -> Iterator[Record]:
        """Yield records in schedule order.

        Args:
            tournament: Number of the tournament.
            index: Indices of entries, by id.
            start: Number of the first match.
            of: Ids of entries, of which at least one took part. Default: all matches.
            share: Share of the matches to yield, from 0 to 1, drawn by a hash with the seed as its key.
                Matches with the same moves in which no agent drew a random number are drawn together.
            seed: Seed of the draw, which always draws the same matches.
        """
        columns = ", ".join((*COLUMNS[:-1], self.start_column))
        sql = f"SELECT {columns} FROM matches WHERE tournament = ? AND number >= ?"
        values: list[object] = [tournament, start]
        if of:
            marks = ", ".join("?" * len(of))
            sql += f" AND (first IN ({marks}) OR second IN ({marks}))"
            values += [*of, *of]
        if share < 1:
            self.db.conn.create_function("lot", 1, lots(seed), deterministic=True)
            which = "CASE chance WHEN 0 THEN moves ELSE tournament || ' ' || number END"
            sql += f" AND lot(CAST(first || ' ' || second || ' ' || {which} AS BLOB)) < ?"
            values.append(int(share * 2**32))  # `round` is a column below
        with self.telling(), closing(self.db.conn.execute(f"{sql} ORDER BY number", values)) as cursor:
            while rows := cursor.fetchmany(BATCH):
                for number, round, first, second, *rest in self.checked(
                    rows, MATCH, f"tournament {tournament}"
                ):
                    if first not in index or second not in index:
                        what = f"match {number} of tournament {tournament}"
                        raise self.altered(what, "its entries do not belong to the tournament")
                    yield Record(number, round, index[first], index[second], *rest)

    def outcomes(
        self, tournament: int, moves: bool
    ) -> Iterator[list[tuple[int, int, int, int, int, str, str | None]]]:
        """Yield batches of outcomes in schedule order, without matches forfeited unplayed.

        Args:
            tournament: Number of the tournament.
            moves: Include the moves of matches without chance; otherwise moves are an empty text.

        Yields:
            Rows of (round, first id, second id, result, whether a replay would repeat it, moves, start).
        """
        marks = ", ".join("?" * len(FORFEITS))
        again = f"chance = 0 AND reason NOT IN ({marks})"
        text, times = (f"CASE WHEN {again} THEN moves ELSE '' END", 2) if moves else ("''", 1)
        sql = (
            f"SELECT round, first, second, result, {again}, {text}, {self.start_column} FROM matches"
            " WHERE tournament = ? AND reason <> ? ORDER BY number"
        )
        values = (*(*FORFEITS,) * times, tournament, WITHDRAWN)
        with self.telling(), closing(self.db.conn.execute(sql, values)) as cursor:
            while rows := cursor.fetchmany(BATCH):
                yield self.checked(rows, OUTCOME, f"tournament {tournament}")

    def entry_ids(self, game: str) -> dict[str, int]:
        """Return the ids of a game's entries, by name."""
        rows = self.rows("SELECT name, id FROM entries WHERE game = ?", (game,))
        return dict(self.checked(rows, ENTRY, "an entry"))

    def has_copies(self, tournament: int) -> bool:
        """Return whether matches of a tournament repeat others move for move."""
        sql = "SELECT EXISTS (SELECT 1 FROM pairings WHERE tournament = ? AND kind = 'copy')"
        return bool(self.rows(sql, (tournament,))[0][0])

    def fixed_matches(self, tournament: int) -> int:
        """Return the number of distinct matches without chance."""
        sql = "SELECT coalesce(sum(wins + draws + losses), 0) FROM pairings"
        return int(self.rows(f"{sql} WHERE tournament = ? AND kind = 'fixed'", (tournament,))[0][0])

    def moves_without_chance(self, tournament: int) -> Iterator[tuple[int, str, str | None]]:
        """Yield number, moves and start of the matches that a replay would repeat, in schedule order."""
        marks = ", ".join("?" * len(FORFEITS))
        sql = (
            f"SELECT number, moves, {self.start_column} FROM matches WHERE tournament = ? AND chance = 0"
            f" AND reason NOT IN ({marks}) ORDER BY number"
        )
        with self.telling(), closing(self.db.conn.execute(sql, (tournament, *FORFEITS))) as cursor:
            while rows := cursor.fetchmany(BATCH):
                yield from self.checked(rows, MOVES, f"tournament {tournament}")

    def elo_so_far(self, tournament: int) -> tuple[int, dict[int, float]] | None:
        """Return the rounds of the latest recorded Elo and the ratings by entry id; None if there is none."""
        rows = self.rows(
            "SELECT rounds, entry, rating FROM elo WHERE tournament = ? AND"
            " rounds = (SELECT max(rounds) FROM elo WHERE tournament = ?)",
            (tournament, tournament),
        )
        found = self.checked(rows, ELO_AFTER, f"tournament {tournament}")
        return (found[0][0], {entry: rating for _, entry, rating in found}) if found else None

    def elo_rows(self, tournament: int) -> dict[int, dict[int, float]]:
        """Return the recorded Elo by rounds and entry id."""
        rows = self.rows("SELECT rounds, entry, rating FROM elo WHERE tournament = ?", (tournament,))
        found: dict[int, dict[int, float]] = {}
        for rounds, entry, rating in self.checked(rows, ELO_AFTER, f"tournament {tournament}"):
            found.setdefault(rounds, {})[entry] = rating
        return found

    def last_elo(self, tournament: int) -> dict[str, float]:
        """Return the latest recorded Elo, by entry."""
        rows = self.rows(
            "SELECT name, rating FROM elo JOIN entries ON id = entry WHERE tournament = ? AND"
            " rounds = (SELECT max(rounds) FROM elo WHERE tournament = ?)",
            (tournament, tournament),
        )
        return dict(self.checked(rows, ELO, f"tournament {tournament}"))


def lots(seed: int) -> Callable[[bytes], int]:
    """Return a hash function to numbers below 2**32, with a seed as its key."""
    key = seed.to_bytes(8, "big")
    return lambda text: int.from_bytes(blake2b(text, digest_size=4, key=key).digest(), "big")


def now() -> str:
    """Return the current time in ISO 8601 format and UTC, in whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
