"""An entry's recorded matches, or a sample of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from arena.api.reasons import WITHDRAWN
from arena.errors import ArenaError, did_you_mean
from arena.ratings.leaderboard import short_names
from arena.ratings.pool import Pool, counted_records, pooled_results
from arena.registry.files import without_paths
from arena.results.record import Record
from arena.storage.database import Store, Tournament
from arena.texts import call

SAMPLE = 10_000  # number of matches, about, to which those of an entry are reduced by default


class Played(NamedTuple):
    """A match of an entry.

    Attributes:
        tournament: Number of the tournament.
        record: The record.
        seat: The entry's seat, 0 or 1.
        opponent: The opponent, as named in the leaderboard.
    """

    tournament: int
    record: Record
    seat: int
    opponent: str

    @property
    def score(self) -> float:
        """The entry's score: 1 for a win, half for a draw."""
        result = self.record.result if self.seat == 0 else -self.record.result
        return (1 + result) / 2


@dataclass(frozen=True)
class Matches:
    """The recorded matches of an entry that are analysed.

    Attributes:
        entry: The entry, as named in the leaderboard.
        game: The game.
        tournaments: The tournaments of the game from which the matches are.
        played: The matches.
        names: Short names, by entry.
        of: Number of matches from which these were drawn; None if these are all.
        seed: Seed by which they were drawn; None if these are all.
    """

    entry: str
    game: str
    tournaments: list[Tournament]
    played: list[Played]
    names: Mapping[str, str]
    of: int | None = None
    seed: int | None = None

    def called(self, name: str) -> str:
        """Return the name under which an entry is shown."""
        return self.names.get(name, name)


def matches_of(
    store: Store,
    entry: str,
    game: str | None,
    tournament: int | None,
    match: int | None,
    sample: int = 0,
    seed: int = 0,
) -> Matches:
    """Return the recorded matches of an entry, or one of them.

    Args:
        store: The database.
        entry: The entry, by its text or its short name.
        game: The game. Default: the one that it played last.
        tournament: Number of one tournament. Default: all; for one match, the entry's last one.
        match: Number of one match. Default: all that count, as in a leaderboard.
        sample: Number of matches, about, to draw if there are more. Default: 0, for all.
        seed: Seed by which they are drawn.

    Raises:
        ArenaError: If there are no such matches.
    """
    wanted = without_paths(entry)
    all_of = [store.tournament(tournament)] if tournament is not None else store.tournaments()
    found = [t for t in all_of if not t.exact and (game is None or game == t.game)]
    own = {t.id: name for t in found if (name := entered_as(t, wanted))}
    if not own:
        raise unknown(store, entry, game, tournament, found)
    last = max(own)
    on = next(t.game for t in found if t.id == last)
    if match is not None and tournament is None:
        found = [t for t in found if t.id == last]
    pool = pooled_results(store, [t for t in found if t.game == on])
    contestants = {shown for (id, name), shown in pool.contestants.names.items() if own.get(id) == name}
    contestants |= {wanted} & set(pool.contestants.names.values())
    if not contestants:
        raise ArenaError(f"{store.path} has no matches of {entry} under the current rules of {on}")
    name = sorted(contestants)[0]
    names = sorted(set(pool.contestants.names.values()))
    places = {one: i for i, one in enumerate(names)}
    all_of_them = round(sum(one.counts.matches for one in pool.results if name in (one.first, one.second)))
    share = min(1.0, sample / max(1, all_of_them)) if sample and match is None else 1.0
    if match is None:
        records = counted(store, on, pool, places, name, share, seed)
    else:
        records = one_match(store, pool, places, match)
    played = [
        Played(t, record, seat, names[record.second if seat == 0 else record.first])
        for t, record in records
        for seat, player in enumerate((record.first, record.second))
        if player == places[name] and record.reason != WITHDRAWN
    ]
    if not played:
        which = f"match {match}" if match is not None else "match"
        raise ArenaError(f"{store.path} has no {which} of {entry} in {'this tournament' if match else on}")
    drawn = (all_of_them, seed) if share < 1 else ()
    return Matches(name, on, pool.tournaments, played, short_names(pool, names), *drawn)


def entered_as(t: Tournament, wanted: str) -> str | None:
    """Return the text of a tournament's entry by its text or short name; None if there is no such entry."""
    settings = t.settings
    entries = settings.entries or []
    if wanted in entries:
        return wanted
    for text, name in (settings.names or {}).items():
        if name == wanted and text in entries:
            return text
    of_seeds = (settings.seeds or {}).get(wanted)
    return of_seeds[0] if of_seeds else None


def unknown(
    store: Store, entry: str, game: str | None, tournament: int | None, found: Sequence[Tournament]
) -> ArenaError:
    """Return the error for an entry without matches."""
    if not found:
        of = f" of {game}" if game else ""
        return ArenaError(f"{store.path} has no matches{of}; play some: {call('tournament')}")
    names = list(dict.fromkeys(name for t in reversed(found) for name in t.settings.entries or ()))
    short = [name for t in found for name in (t.settings.names or {}).values()]
    where = f"tournament {tournament}" if tournament is not None else store.path
    meant = did_you_mean(entry, dict.fromkeys([*names, *short]))
    return ArenaError(f"{where} has no matches of {entry!r}{meant}")


def counted(
    store: Store, game: str, pool: Pool, places: dict[str, int], of: str, share: float, seed: int
) -> Iterator[tuple[int, Record]]:
    """Yield tournament and record of the matches of a contestant that count, or of a share of them."""
    for t in pool.tournaments:
        own = replace(pool, results=[one for one in pool.results if one.tournament == t.id])
        yield from ((t.id, record) for record in counted_records(store, game, own, places, of, share, seed))


def one_match(
    store: Store, pool: Pool, places: Mapping[str, int], match: int
) -> Iterator[tuple[int, Record]]:
    """Yield the tournament and the record of one match, whether or not it counts."""
    (t, *_) = reversed(pool.tournaments)
    ids = store.entry_ids(t.game)
    index = {id: places.get(pool.contestants.names.get((t.id, name), ""), -id) for name, id in ids.items()}
    for record in store.matches(t.id, index, match):
        if record.number == match and min(record.first, record.second) >= 0:
            yield t.id, record
        break
