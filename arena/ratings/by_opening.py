"""Results by opening: which matches of a table begin alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from arena.results.book_order import in_order
from arena.results.record import NO_OPENINGS
from arena.results.settings import Settings
from arena.results.tally import CHANCE, COPY, FIXED, Replays, fingerprint
from arena.rng import Streams

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
    """What gives `Results.openings` of tournaments of one game; None where all matches begin at the start.

    counted: tournament, first and second contestant and kind of the results that are rated. index: of
    contestants. It reads all matches that begin with openings, the first time that it is called.
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
    """Results by opening, int64 [rows, 6]: by line of a book, else by seed, setting and round."""
    begins = sorted({begin_of(t) for t in tournaments})
    found, numbers = [], []
    for t in tournaments:
        names = (
            (id, contestants.names.get((t.id, name), "")) for name, id in store.entry_ids(t.game).items()
        )
        places = {id: index[name] for id, name in names if name in index}
        wanted = np.zeros((len(KINDS), len(index), len(index)), bool)
        for tournament, one, other, kind in counted:
            if tournament == t.id:
                wanted[KINDS.index(kind), index[one], index[other]] = True
        round, first, second, result, fixed = played(store, t.id)
        first, second = placed(first, places), placed(second, places)
        known = (first >= 0) & (second >= 0)
        kept = known & wanted[fixed, np.where(known, first, 0), np.where(known, second, 0)]
        sums = [first, second, result == 1, result == 0, result == -1]
        found.append(np.array([column[kept] for column in sums], np.int64))
        lines = len(t.settings.book or ())
        numbers.append(begins.index(begin_of(t)) + len(begins) * openings_of(round[kept], lines, t.streams))
    opening = np.unique(np.concatenate(numbers), return_inverse=True)[1]
    return np.column_stack([opening, *np.concatenate(found, axis=1)])


def begun_with(settings: Settings) -> str:
    """What matches began with, as a tournament's settings say; of a book a digest of its lines."""
    if settings.book is None:
        return settings.openings
    return "book " + blake2b("\n".join(settings.book).encode(), digest_size=16).hexdigest()


def begin_of(t: Tournament) -> tuple[int, int, str]:
    """What openings are of: a book, under whatever seed, or a setting under one."""
    seeded = (0, 0) if t.settings.book else (t.seed, t.streams.scheme)
    return *seeded, begun_with(t.settings)


def openings_of(rounds: ByOpening, lines: int, streams: Streams) -> ByOpening:
    """The openings of rounds, numbered from 0: lines of a book, each of which comes again, or one a round.

    lines: of the book, 0 without one.
    """
    if not lines or not len(rounds):
        return rounds
    orders = [in_order(lines, streams, time) for time in range(int(rounds.max()) // lines + 1)]
    return np.array(orders, np.int64).ravel()[rounds]


def played(store: Store, tournament: int) -> ByOpening:
    """Round, first and second entry by id, result and whether it is fixed, of each match that is no copy.

    int64 [5, matches], in schedule order.
    """
    copies = any(kind == COPY for _, _, kind, _ in store.pairings(tournament))
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
    """The places of entries, -1 of those that have none."""
    distinct, which = np.unique(ids, return_inverse=True)
    return np.array([places.get(id, -1) for id in distinct.tolist()], np.int64)[which]
