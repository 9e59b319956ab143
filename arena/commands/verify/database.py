"""Consistency checks of a database's content other than matches: settings, entries, faults and ratings."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from arena.api.options import name_in
from arena.commands.leaderboard.call import grouped, rated
from arena.commands.verify.result import Difference, Unread
from arena.errors import ArenaError
from arena.registry.plugins import registry
from arena.rng import seed_in_json
from arena.storage import checksums
from arena.storage.database import Store, Tournament
from arena.storage.fits import NEEDED, Fit, recorded_fits, results
from arena.storage.sums import check_sums
from arena.version import __version__

CLOSE = 1e-6  # relative and absolute tolerance of numbers


def records_differences(store: Store, recounted: Collection[int]) -> Iterator[Difference]:
    """Yield contradictions and wrong checksums in the records of tournaments and entries.

    Args:
        store: The database.
        recounted: Numbers of the tournaments whose sums were already recomputed.
    """
    found = store.tournaments()
    for tournament in found:
        for what in (
            *checksums.altered(store, tournament.id, tournament.created),
            *contradictions(tournament),
            *strays(store, tournament),
            *(wrong_sums(store, tournament) if tournament.id not in recounted else ()),
        ):
            yield Difference(tournament.id, None, "", "", what)
    entered = {(t.game, name) for t in found for name in t.settings.entries or ()}
    for game, name, agent in store.rows("SELECT game, name, agent FROM entries ORDER BY id"):
        if (game, name) not in entered:
            yield Difference(None, None, "", "", f"the entry {name} of {game} is of no tournament")
        elif agent != name_in(name):
            yield Difference(
                None, None, "", "", f"the entry {name} of {game} is recorded as of agent {agent}"
            )


def contradictions(found: Tournament) -> Iterator[str]:
    """Yield descriptions of columns of a tournament that contradict its settings or are invalid."""
    settings = found.settings.stated()
    for column, said in (("game", found.game), ("format", found.format), ("seed", seed_in_json(found.seed))):
        stated = settings.get(column, said)
        if said != stated:
            yield f"its {column} is recorded as {said}, and its settings have {stated}"
    times = [found.created] if found.finished is None else [found.created, found.finished]
    try:
        moments = [datetime.fromisoformat(time) for time in times]
        if moments != sorted(moments):
            yield f"it is recorded as begun at {found.created}, and as finished at {found.finished}"
    except (TypeError, ValueError):
        yield f"it is recorded as begun at {found.created}, and as finished at {found.finished}: no times"


STRAYS = {
    "faults": "m.detail IS NULL OR t.entry <> CASE WHEN m.result < 0 THEN m.first ELSE m.second END",
    "usage": "t.entry NOT IN (m.first, m.second) OR t.ply NOT BETWEEN 1 AND m.plies + 1",
}
MIGRATIONS = {"faults": "0004 faults", "usage": "0005 usage"}


def strays(store: Store, found: Tournament) -> Iterator[str]:
    """Yield descriptions of tables with rows that do not belong to a match."""
    for table, wrong in STRAYS.items():
        if store.has(MIGRATIONS[table]):
            rows = store.rows(
                f"SELECT min(t.number), count(*) FROM {table} t"
                " LEFT JOIN matches m ON m.tournament = t.tournament AND m.number = t.number"
                f" WHERE t.tournament = ? AND (m.number IS NULL OR {wrong})",
                (found.id,),
            )
            ((first, count),) = rows
            if count:
                yield f"its table {table} has {count:,} rows that fit no match, first of match {first}"


def wrong_sums(store: Store, found: Tournament) -> Iterator[str]:
    """Yield a description of the error if the sums of a tournament disagree with its matches."""
    try:
        check_sums(store, found.id)
    except ArenaError as error:
        yield str(error).partition(" was altered: ")[2].partition("; take a copy")[0]


def ratings_differences(store: Store) -> tuple[list[Difference], list[Unread]]:
    """Return the stored ratings that the results contradict, and those that cannot be recomputed."""
    differences, unread = list[Difference](), list[Unread]()
    if not store.has(NEEDED):
        return differences, unread
    tournaments = store.tournaments()
    for fit, version in recorded_fits(store):
        of = f"the ratings of {fit.game} by {fit.system}"
        number = fit.tournament
        some = [t for t in tournaments if t.game == fit.game and fit.tournament in (None, t.id)]
        try:
            again = made_again(store, some, fit)
        except ArenaError as error:
            differences.append(Difference(number, None, "", "", f"{of} cannot be made again: {error}"))
            continue
        at_hand = {t: results(store, again, t) for t in again.at_hand}
        if any(at_hand.get(t, -1) < n for t, n in fit.at_hand.items()):
            text = f"{of} are of results that are not there"
            differences.append(Difference(number, None, "", "", text))
        elif fit.at_hand != at_hand:
            unread.append(Unread(number, 0, f"{of} are older than the last results"))
        elif version != __version__:
            unread.append(Unread(number, 0, f"{of} are by arena {version}"))
        elif what := unlike(fit, again):
            differences.append(
                Difference(number, None, "", "", f"{of} do not follow from the results: {what}")
            )
    return differences, unread


def made_again(store: Store, tournaments: Sequence[Tournament], fit: Fit) -> Fit:
    """Recompute stored ratings, or raise ArenaError."""
    for group, _ in grouped(tournaments, fit.game, "latest"):
        if group[0].exact == fit.exact:
            system = registry().spec("rating system", fit.system).make()
            board = rated(store, group, system, None, "latest", False)
            return Fit.of(board, group, fit.tournament is not None)
    raise ArenaError("the tournament has no such results")


def unlike(fit: Fit, again: Fit) -> str:
    """Return how two leaderboards that should be equal differ; "" if they are equal.

    Notes are not compared, since they may depend on the format and on the call.
    """
    if {*fit.rated} != {*again.rated}:
        return "they say that other tournaments are rated"
    for name in ("system", "confidence", "matches"):
        if not close(getattr(fit, name), getattr(again, name)):
            return f"{name} is {getattr(fit, name)}, and not {getattr(again, name)}"
    here = {row.entry: row for row in again.ratings}
    for row in fit.ratings:
        other = here.pop(row.entry, None)
        if other is None:
            return f"{row.entry} is not rated"
        for name, said, due in zip(row._fields, row, other, strict=True):
            if not close(said, due):
                return f"{name} of {row.entry} is {said}, and not {due}"
    return f"{next(iter(here))} is missing" if here else ""


def close(one: object, other: object) -> bool:
    """Return whether two values are equal; numbers may differ by rounding errors."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    return bool(one == other)
