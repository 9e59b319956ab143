"""Results grouped by opening, since matches that begin with the same opening depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from arena.ratings.pool import begun_with
from arena.results.opening_order import Key, OpeningOrder, numbered
from arena.results.record import NO_OPENINGS
from arena.results.tally import CHANCE, FIXED, Replays, fingerprint

if TYPE_CHECKING:
    from arena.api.rating import ByOpening
    from arena.ratings.contestants import Contestants
    from arena.storage.database import Store, Tournament

KINDS = CHANCE, FIXED


def by_opening(
    store: Store,
    tournaments: Sequence[Tournament],
    contestants: Contestants,
    counted: Collection[tuple[int, str, str, str]],
    index: Mapping[str, int],
) -> Callable[[], ByOpening] | None:
    """Return the function for `Results.openings`, None if all matches begin at the game's start.

    The function reads all matches that begin with openings when it is first called, and caches the result.

    Args:
        store: The database.
        tournaments: Tournaments of one game.
        contestants: The contestants of these tournaments.
        counted: The rated results, each as (tournament, first contestant, second contestant, kind).
        index: Index of each contestant in the results.
    """
    ids = {id for id, *_ in counted}
    opened = [t for t in tournaments if t.id in ids and t.settings.openings != NO_OPENINGS]
    if not opened:
        return None
    return cache(lambda: rows_of(store, opened, contestants, counted, index))


def rows_of(
    store: Store,
    tournaments: Sequence[Tournament],
    contestants: Contestants,
    counted: Collection[tuple[int, str, str, str]],
    index: Mapping[str, int],
) -> ByOpening:
    """Return the results by opening, int64 [rows, 6].

    Each row is a match: opening, index of the first and of the second contestant, and one column each for
    win, draw and loss, which is 1 for the match's result and otherwise 0. Openings are the lines of a book.
    Without a book, each round has one opening for all pairings if they share openings, otherwise one for each
    pairing.

    Args:
        store: The database.
        tournaments: Tournaments of one game that were played with openings.
        contestants: The contestants of these tournaments.
        counted: The rated results, see `by_opening`.
        index: Index of each contestant in the results.
    """
    begins = sorted({begin_of(t) for t in tournaments})
    names = {id: name for name, id in store.entry_ids(tournaments[0].game).items()}
    of_tournament: dict[int, list[tuple[int, int, int]]] = {}
    for tournament, one, other, kind in counted:
        of_tournament.setdefault(tournament, []).append((KINDS.index(kind), index[one], index[other]))
    wanted = np.zeros((len(KINDS), len(index), len(index)), bool)
    found, openings = [], []
    for t in tournaments:
        shown = ((id, contestants.names.get((t.id, name), "")) for id, name in names.items())
        places = {id: index[name] for id, name in shown if name in index}
        own = tuple(np.array(of_tournament[t.id]).T)
        wanted[own] = True
        round, one_id, other_id, result, fixed = played(store, t.id)
        first, second = placed(one_id, places), placed(other_id, places)
        known = (first >= 0) & (second >= 0)
        kept = known & wanted[fixed, np.where(known, first, 0), np.where(known, second, 0)]
        wanted[own] = False
        sums = [first, second, result == 1, result == 0, result == -1]
        found.append(np.array([column[kept] for column in sums], np.int64))
        order = opening_order(t)
        key = partial(key_of, order, names)
        identities = order.identities(round[kept], one_id[kept], other_id[kept], key)
        openings.append([np.full(int(kept.sum()), begins.index(begin_of(t))), *identities])
    opening = numbered(*np.concatenate(openings, axis=1))
    return np.column_stack([opening, *np.concatenate(found, axis=1)])


def key_of(order: OpeningOrder, names: Mapping[int, str], one: int, other: int) -> Key:
    """Return the key of the openings of a pairing, given the ids of the two entries."""
    return order.key(names[one], names[other])


def begin_of(t: Tournament) -> tuple[int, int, bool, str]:
    """Return what determines the openings of a tournament.

    This is its book. Without a book it is the seed, the scheme of random streams, whether openings are
    shared, and the `openings` setting.
    """
    seeded = (0, 0, False) if t.settings.book else (t.seed, t.streams.scheme, t.settings.shared_openings)
    return *seeded, begun_with(t.settings)


def opening_order(t: Tournament) -> OpeningOrder:
    """Return the order in which a tournament's pairings play openings."""
    settings = t.settings
    return OpeningOrder(t.streams, t.game, len(settings.book or ()), settings.shared_openings)


def played(store: Store, tournament: int) -> ByOpening:
    """Return the matches of a tournament in schedule order, without those that repeat others.

    Returns:
        int64 [5, matches]: round, ids of the first and the second entry, result, and 1 if a replay would
        repeat the match, else 0.
    """
    copies = store.has_copies(tournament)
    replays, batches = Replays(), []
    for rows in store.outcomes(tournament, copies):
        if copies:
            rows = [
                row
                for row in rows
                if not row[4] or replays.kind_of(fingerprint(row[1], row[2], row[5], row[6])) == FIXED
            ]
        batches.append(np.array([row[:5] for row in rows], np.int64).reshape(-1, 5))
    return np.concatenate([np.zeros((0, 5), np.int64), *batches]).T


def placed(ids: ByOpening, places: Mapping[int, int]) -> ByOpening:
    """Return the index of each entry, -1 for entries that have none.

    Args:
        ids: int64 [matches]. Ids of entries.
        places: Indices by id.
    """
    distinct, which = np.unique(ids, return_inverse=True)
    return np.array([places.get(id, -1) for id in distinct.tolist()], np.int64)[which]
