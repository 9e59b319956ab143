"""The season of a database: its players, their versions, and the findings of each update."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta

from arena.api.reasons import WITHDRAWN
from arena.errors import ArenaError
from arena.results.settings import Settings
from arena.results.tally import Counts
from arena.rng import read_seed, seed_in_json
from arena.storage import checksums
from arena.storage.database import Store, now
from arena.storage.rows import Amount, Count, Rating

Flag = Literal[0, 1]
Kind = Literal["new", "changed", "reverted", "back", "gone", "broken", "mended", "unable", "out"]
Place = Annotated[int, Meta(ge=1, lt=2**53)]

SEASON = tuple[str, str, str, str]
PLAYER = tuple[Place, str, Flag]
VERSION = tuple[Place, Place, Place, str, str, str, Place, Place | None]
UPDATE = tuple[Place, int | None, str | None, str, str | None, Amount]
EVENT = tuple[Place, Place, Kind, int | None, str]
RATED = tuple[Place, Place, Rating, Rating | None, Rating | None, Amount, Place | None, Place | None]
STEP = tuple[Place, Place, Place, Rating, Rating | None, Rating | None, Flag]
MET = tuple[str, str, str, str, Count, Count, Count, Count, Count]
LAST = tuple[str, str, str, str, Place]
DEFEAT = tuple[Place, Count, str, str]
FAILED = tuple[str, str, str, Count]
FAULT = tuple[str, str, Count, Count, str, str, str | None, str | None]


@dataclass(frozen=True)
class Season:
    """The season of a database.

    Attributes:
        game: The game with its options.
        seed: Seed of all its random numbers.
        settings: Its settings as they were at its last update, by name.
        created: Time of its start.
    """

    game: str
    seed: int
    settings: Mapping[str, Any]
    created: str


class Player(NamedTuple):
    """A player of a season."""

    id: int
    name: str
    baseline: bool


class Version(NamedTuple):
    """A version of a player: its entry and its code.

    Attributes:
        id: Id of the version.
        player: Id of its player.
        number: Number among the versions of the player, from 1.
        entry: Text of the entry.
        code: Digest of the code.
        file: Path of its code in the folder next to the database; empty for an installed agent.
        since: Number of the update that added it.
        same_as: Id of the earliest version that it plays exactly like; None if it is like none.
    """

    id: int
    player: int
    number: int
    entry: str
    code: str
    file: str
    since: int
    same_as: int | None = None

    @property
    def original(self) -> int:
        """The id of the version under which its results count: itself, or the one that it plays like."""
        return self.same_as or self.id


class Update(NamedTuple):
    """An update of a season.

    Attributes:
        number: Its number, from 1.
        tournament: Number of the tournament with its matches; None if there were no matches to play.
        stopped: Why it played only part of its matches; None if it played all.
        begun: Time of its start.
        ended: Time at which its ratings were computed; None until then.
        seconds: Time taken by its matches.
    """

    number: int
    tournament: int | None
    stopped: str | None
    begun: str
    ended: str | None
    seconds: float


class Event(NamedTuple):
    """An update's finding or decision about a player.

    Attributes:
        update: Number of the update.
        player: Id of the player.
        kind: Kind of event, see the table `season_events`.
        version: Id of the version concerned; None if there is none.
        detail: Details in words.
    """

    update: int
    player: int
    kind: str
    version: int | None
    detail: str


class RatedVersion(NamedTuple):
    """The rating of a version at the end of an update.

    Attributes:
        update: Number of the update.
        version: Id of the version.
        rating: The rating in Elo points.
        low: Lower end of its 95 % interval; None if open.
        high: Upper end of its 95 % interval; None if open.
        matches: Number of matches that it is based on.
        best: The best end of its range of ranks among the versions rated in the update; None if unknown.
        worst: The worst end of this range; None if unknown.
    """

    update: int
    version: int
    rating: float
    low: float | None
    high: float | None
    matches: float
    best: int | None = None
    worst: int | None = None


class Step(NamedTuple):
    """The rating difference of a version from its previous version, estimated at the end of an update.

    Attributes:
        update: Number of the update.
        version: Id of the new version.
        before: Id of the previous version.
        difference: The difference in Elo points.
        low: Lower end of its 95 % interval; None if open.
        high: Upper end of its 95 % interval; None if open.
        sure: Whether the difference is significant, corrected for all comparisons of the season.
    """

    update: int
    version: int
    before: int
    difference: float
    low: float | None
    high: float | None
    sure: bool


class Fault(NamedTuple):
    """A match that an entry forfeited."""

    entry: str
    code: str
    tournament: int
    match: int
    reason: str
    detail: str
    place: str | None
    position: str | None


def read_season(store: Store) -> Season | None:
    """Return the season of a database; None if it has none."""
    if not store.has("0011 seasons"):
        return None
    rows = store.rows("SELECT game, seed, settings, created FROM season")
    for game, seed, settings, created in store.checked(rows, SEASON, "the season"):
        try:
            number = read_seed(seed)
        except ArenaError as error:
            raise ArenaError(f"{store.path}: the season: {error}") from error
        return Season(game, number, store.decoded(settings, dict[str, Any], "the season"), created)
    return None


def begin_season(store: Store, game: str, seed: int, settings: Mapping[str, Any]) -> None:
    """Begin the season of a database."""
    row = (game, str(seed_in_json(seed)), json.dumps(settings), now())
    store.db.execute("INSERT INTO season VALUES (1, ?, ?, ?, ?)", row)


def keep_settings(store: Store, settings: Mapping[str, Any]) -> None:
    """Record the settings of the season."""
    store.db.execute("UPDATE season SET settings = ?", (json.dumps(settings),))


def players(store: Store) -> list[Player]:
    """Return all players in the order in which they were added."""
    rows = store.rows("SELECT id, name, baseline FROM players ORDER BY id")
    return [Player(id, name, bool(base)) for id, name, base in store.checked(rows, PLAYER, "a player")]


def versions(store: Store) -> list[Version]:
    """Return all versions in the order in which they were added."""
    same_as = "same_as" if store.has("0013 versions that play alike") else "NULL"
    rows = store.rows(
        f"SELECT id, player, number, entry, code, file, since, {same_as} FROM versions ORDER BY id"
    )
    return [Version(*row) for row in store.checked(rows, VERSION, "a version")]


def updates(store: Store) -> list[Update]:
    """Return all updates in order."""
    rows = store.rows(
        "SELECT number, tournament, stopped, begun, ended, seconds FROM season_updates ORDER BY number"
    )
    return [Update(*row) for row in store.checked(rows, UPDATE, "an update of the season")]


def events(store: Store) -> list[Event]:
    """Return all events in the order of updates and players."""
    rows = store.rows(
        "SELECT season_update, player, kind, version, detail FROM season_events"
        " ORDER BY season_update, player, kind"
    )
    return [Event(*row) for row in store.checked(rows, EVENT, "an event of the season")]


def ratings(store: Store) -> list[RatedVersion]:
    """Return all recorded ratings in the order of updates."""
    ranks = "best, worst" if store.has("0012 ranks of seasons") else "NULL, NULL"
    rows = store.rows(
        f"SELECT season_update, version, rating, low, high, matches, {ranks} FROM season_ratings"
        " ORDER BY season_update, version"
    )
    return [RatedVersion(*row) for row in store.checked(rows, RATED, "a rating of the season")]


def latest(ratings: Iterable[RatedVersion], versions: Iterable[Version]) -> dict[int, RatedVersion]:
    """Return the last rating of each version, by id; versions that play alike have the same."""
    originals = {one.id: one.original for one in versions}
    last = {originals.get(one.version, one.version): one for one in ratings}
    return {id: last[original] for id, original in originals.items() if original in last}


def steps(store: Store) -> list[Step]:
    """Return all comparisons of new versions with their previous versions, in the order of updates."""
    rows = store.rows(
        "SELECT season_update, version, before, difference, low, high, sure FROM season_steps"
        " ORDER BY season_update, version"
    )
    found = store.checked(rows, STEP, "a step of the season")
    return [
        Step(update, version, before, difference, low, high, bool(sure))
        for update, version, before, difference, low, high, sure in found
    ]


def results(
    store: Store, game: str, rules: str, among: Iterable[Version], unplayed: bool = True
) -> dict[tuple[int, int], Counts]:
    """Return the results of each pairing of versions, by `Version.original` of the first and second player.

    Matches that repeat others are included.

    Args:
        store: The database.
        game: The game with its options.
        rules: Digest of the game's rules; matches under other rules are left out.
        among: Include only matches between these versions.
        unplayed: Whether to include matches forfeited unplayed.
    """
    kinds = "" if unplayed else " WHERE p.kind <> 'withdrawn'"
    first, second = (f" AND {entry}.name IN (SELECT value FROM json_each(?))" for entry in "ab")
    ids = {(one.entry, one.code): one.original for one in among}
    names = 2 * [json.dumps([entry for entry, _ in ids])]
    rows = store.rows(
        "SELECT a.name, ca.code, b.name, cb.code, sum(p.wins), sum(p.draws), sum(p.losses),"
        " sum(p.first_forfeits), sum(p.second_forfeits) FROM pairings p"
        " JOIN tournaments t ON t.id = p.tournament AND t.game = ? AND t.code = ?"
        " JOIN codes ca ON ca.tournament = t.id AND ca.entry = p.first"
        " JOIN codes cb ON cb.tournament = t.id AND cb.entry = p.second"
        f" JOIN entries a ON a.id = p.first{first} JOIN entries b ON b.id = p.second{second}"
        f"{kinds} GROUP BY p.first, ca.code, p.second, cb.code",
        (game, rules, *names),
    )
    found: dict[tuple[int, int], Counts] = {}
    for a, one, b, other, *sums in store.checked(rows, MET, "the results of the season"):
        if (a, one) in ids and (b, other) in ids:
            pair, counts = (ids[a, one], ids[b, other]), Counts(*sums)
            found[pair] = found[pair] + counts if pair in found else counts
    return found


def last_meetings(store: Store, game: str, versions: Iterable[Version]) -> dict[tuple[int, int], int]:
    """Return the last tournament of each pairing, by `Version.original` of the first and second player."""
    rows = store.rows(
        "SELECT a.name, ca.code, b.name, cb.code, max(p.tournament) FROM pairings p"
        " JOIN tournaments t ON t.id = p.tournament AND t.game = ?"
        " JOIN codes ca ON ca.tournament = t.id AND ca.entry = p.first"
        " JOIN codes cb ON cb.tournament = t.id AND cb.entry = p.second"
        " JOIN entries a ON a.id = p.first JOIN entries b ON b.id = p.second"
        " WHERE p.kind <> 'withdrawn' GROUP BY p.first, ca.code, p.second, cb.code",
        (game,),
    )
    ids = {(one.entry, one.code): one.original for one in versions}
    found: dict[tuple[int, int], int] = {}
    for a, one, b, other, last in store.checked(rows, LAST, "the results of the season"):
        if (a, one) in ids and (b, other) in ids:
            pair = ids[a, one], ids[b, other]
            found[pair] = max(last, found.get(pair, 0))
    return found


def failures(store: Store, game: str, rules: str) -> dict[tuple[str, str], dict[str, int]]:
    """Return the number of forfeits by entry and code, and by reason; unplayed matches are left out."""
    rows = store.rows(
        "SELECT e.name, c.code, m.reason, count(*) FROM matches m INDEXED BY forfeits"
        " JOIN tournaments t ON t.id = m.tournament AND t.game = ? AND t.code = ?"
        " JOIN entries e ON e.id = CASE m.result WHEN 1 THEN m.second ELSE m.first END"
        " JOIN codes c ON c.tournament = t.id AND c.entry = e.id"
        " WHERE m.detail IS NOT NULL GROUP BY e.id, c.code, m.reason",
        (game, rules),
    )
    found: dict[tuple[str, str], dict[str, int]] = {}
    for entry, code, reason, times in store.checked(rows, FAILED, "the forfeits of the season"):
        found.setdefault((entry, code), {})[reason] = times
    return found


def faults(store: Store, game: str, entry: str | None = None) -> list[Fault]:
    """Return the forfeited matches of all entries or of one, the newest first."""
    one = "" if entry is None else " AND e.name = ?"
    rows = store.rows(
        "SELECT e.name, c.code, m.tournament, m.number, m.reason, m.detail, f.place, f.position"
        " FROM matches m INDEXED BY forfeits"
        " JOIN tournaments t ON t.id = m.tournament AND t.game = ?"
        " JOIN entries e ON e.id = CASE m.result WHEN 1 THEN m.second ELSE m.first END"
        " JOIN codes c ON c.tournament = t.id AND c.entry = e.id"
        " LEFT JOIN faults f ON f.tournament = m.tournament AND f.number = m.number"
        f" WHERE m.detail IS NOT NULL{one} ORDER BY m.tournament DESC, m.number",
        (game, *([] if entry is None else [entry])),
    )
    return [Fault(*row) for row in store.checked(rows, FAULT, "the forfeits of the season")]


def last_defeat(store: Store, game: str, versions: Iterable[Version]) -> tuple[int, int, str, str] | None:
    """Return the last match that one of some versions of an entry lost without a fault.

    Returns:
        Tournament, match, and the opponent's entry and code; None if there is none.
    """
    entry, codes = {one.entry for one in versions}, [one.code for one in versions]
    rows = store.rows(
        "SELECT m.tournament, m.number, b.name, cb.code FROM tournaments t"
        " JOIN codes ca ON ca.tournament = t.id JOIN entries a ON a.id = ca.entry"
        " JOIN matches m ON m.tournament = t.id AND (m.first = a.id AND m.result = -1"
        " OR m.second = a.id AND m.result = 1)"
        " JOIN entries b ON b.id = CASE a.id WHEN m.first THEN m.second ELSE m.first END"
        " JOIN codes cb ON cb.tournament = t.id AND cb.entry = b.id"
        " WHERE t.game = ? AND a.name IN (SELECT value FROM json_each(?))"
        " AND ca.code IN (SELECT value FROM json_each(?)) AND m.detail IS NULL AND m.reason <> ?"
        " ORDER BY m.tournament DESC, m.number DESC LIMIT 1",
        (game, json.dumps([*entry]), json.dumps(codes), WITHDRAWN),
    )
    return next(iter(store.checked(rows, DEFEAT, "a match of the season")), None)


# --- writing ------------------------------------------------------------------------------------------


def add_player(store: Store, new: Player) -> None:
    """Add a player."""
    store.db.execute("INSERT INTO players (id, name, baseline) VALUES (?, ?, ?)", new)


def add_version(store: Store, new: Version) -> None:
    """Add a version."""
    store.db.execute(
        "INSERT INTO versions (id, player, number, entry, code, file, since, same_as)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        new,
    )


def unite(store: Store, version: int, original: int) -> None:
    """Record that a version plays exactly like an earlier one."""
    store.db.execute("UPDATE versions SET same_as = ? WHERE id = ?", (original, version))


def add_update(store: Store, number: int) -> None:
    """Add an update that begins now."""
    store.db.execute("INSERT INTO season_updates VALUES (?, NULL, NULL, ?, NULL, 0)", (number, now()))


def add_events(store: Store, events: Iterable[Event]) -> None:
    """Add events; those of the same update, player and kind are replaced."""
    store.db.conn.executemany("INSERT OR REPLACE INTO season_events VALUES (?, ?, ?, ?, ?)", events)


def set_tournament(store: Store, update: int, tournament: int) -> None:
    """Record the tournament of an update."""
    store.db.execute("UPDATE season_updates SET tournament = ? WHERE number = ?", (tournament, update))


def left_behind(store: Store) -> list[int]:
    """Return tournaments whose updates were interrupted before the tournament was recorded in the update."""
    rows = store.rows(
        "SELECT id FROM tournaments WHERE format = 'season' AND NOT EXISTS"
        " (SELECT 1 FROM season_updates WHERE tournament = tournaments.id)"
    )
    return [id for (id,) in store.checked(rows, tuple[Place], "a tournament")]


def add_seconds(store: Store, update: int, seconds: float) -> None:
    """Add to the time taken by the matches of an update."""
    with store.transaction():
        store.db.execute(
            "UPDATE season_updates SET seconds = seconds + ? WHERE number = ?", (seconds, update)
        )


def shorten(store: Store, update: int, tournament: int, settings: Settings, planned: int, why: str) -> None:
    """Shorten a tournament to its first matches, and record the reason.

    Args:
        store: The database.
        update: Number of the update.
        tournament: Number of its tournament, all of whose matches from `planned` on are unplayed.
        settings: Its settings with fewer stages.
        planned: Number of remaining matches.
        why: The reason.
    """
    with store.transaction(), checksums.restated(store, tournament):
        store.db.execute(
            "UPDATE tournaments SET settings = ?, planned = ? WHERE id = ?",
            (json.dumps(settings.stated()), planned, tournament),
        )
        store.db.execute("UPDATE season_updates SET stopped = ? WHERE number = ?", (why, update))


def end_update(
    store: Store,
    update: int,
    rated: Sequence[RatedVersion],
    risen: Sequence[Step],
    found: Sequence[Event],
) -> None:
    """Record the ratings, comparisons and events at the end of an update.

    For earlier updates, only the ratings of versions that played in them are kept, so that the size of the
    database grows with the number of matches, not of updates.
    """
    with store.transaction():
        store.db.execute("UPDATE season_updates SET ended = max(?, begun) WHERE number = ?", (now(), update))
        if rated:
            store.db.execute(
                "DELETE FROM season_ratings WHERE season_update < ? AND NOT EXISTS (SELECT 1"
                " FROM season_updates u JOIN codes c ON c.tournament = u.tournament"
                " JOIN entries e ON e.id = c.entry JOIN versions v ON v.id = season_ratings.version"
                " WHERE u.number = season_update AND e.name = v.entry AND c.code = v.code)",
                (update,),
            )
        put_ratings(store, rated)
        store.db.conn.executemany("INSERT INTO season_steps VALUES (?, ?, ?, ?, ?, ?, ?)", risen)
        add_events(store, found)


def put_ratings(store: Store, rated: Iterable[RatedVersion]) -> None:
    """Record ratings, replacing those of the same update and version."""
    store.db.conn.executemany("INSERT OR REPLACE INTO season_ratings VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rated)


def restage(
    store: Store, tournament: int, settings: Settings, versions: Mapping[str, str], planned: int
) -> None:
    """Record settings and versions of a tournament with fewer entries, and the number of its matches."""
    store.db.execute(
        "UPDATE tournaments SET settings = ?, versions = ?, planned = ? WHERE id = ?",
        (json.dumps(settings.stated()), json.dumps(versions), planned, tournament),
    )


def leave_without(store: Store, tournament: int) -> None:
    """Record that the update of a tournament no longer has a tournament."""
    store.db.execute("UPDATE season_updates SET tournament = NULL WHERE tournament = ?", (tournament,))


def forget_player(store: Store, player: Player) -> None:
    """Remove a player with all versions, ratings and events."""
    own = "(SELECT id FROM versions WHERE player = ?)"
    for sql in (
        f"DELETE FROM season_ratings WHERE version IN {own}",
        f"DELETE FROM season_steps WHERE version IN {own}",
        "DELETE FROM season_events WHERE player = ?",
        "DELETE FROM versions WHERE player = ?",
        "DELETE FROM players WHERE id = ?",
    ):
        store.db.execute(sql, (player.id,))


def forget_update(store: Store, update: int, tournament: int | None) -> None:
    """Remove the last update with its tournament, and the versions and players that it added."""
    with store.transaction():
        for table in ("season_ratings", "season_steps", "season_events"):
            store.db.execute(f"DELETE FROM {table} WHERE season_update = ?", (update,))
        store.db.execute("DELETE FROM versions WHERE since = ?", (update,))
        store.db.execute(
            "DELETE FROM players WHERE NOT EXISTS (SELECT 1 FROM versions WHERE player = players.id)"
            " AND NOT EXISTS (SELECT 1 FROM season_events WHERE player = players.id)"
        )
        store.db.execute("DELETE FROM season_updates WHERE number = ?", (update,))
    if tournament is not None:
        store.remove(tournament)
