"""The function `arena.watch`, which follows a tournament that another process plays."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import monotonic

from arena.commands.tournament.standings import Standings, standings
from arena.errors import ArenaError
from arena.storage.database import DATABASE, Store
from arena.texts import call

EVERY = 2.0  # default number of seconds between standings


def watch(
    tournament: int | None = None,
    *,
    db: str | Path = DATABASE,
    every: float = EVERY,
    stop: threading.Event | None = None,
) -> Iterator[Standings]:
    """Yield the standings of a tournament until it is finished, while another process plays it.

    >>> import arena
    >>> found = arena.tournament(["first", "random"], game="tic-tac-toe", rounds=1, seed=1, db="some.db")
    >>> [standings.line() for standings in arena.watch(db="some.db")]
    ['Tournament 1, tic-tac-toe: 2 of 2 matches, finished']

    Args:
        tournament: Number of the tournament. Default: the latest.
        db: Path of the database.
        every: Seconds between updates.
        stop: Event that ends the iteration.

    Raises:
        ArenaError: If there is no such tournament.
    """
    stop = stop or threading.Event()
    with closing(Store(db)) as store:
        begun = store.tournaments()
        if tournament is None and not begun:
            raise ArenaError(f"{store.path} has no tournament to watch; begin one: {call('tournament')}")
        number = begun[-1].id if tournament is None else store.tournament(tournament).id
    before: Standings | None = None
    start, first, last = monotonic(), 0, monotonic()
    while True:
        now = monotonic()
        found = looked(number, str(db), before)
        if before is None:
            first = found.played
        elif found.played != before.played:
            last = now
        speed = max(0, found.played - first) / (now - start) if now > start else 0.0
        found = with_pace(found, speed, now - last)
        yield found
        if found.finished or stop.wait(every):
            return
        before = found


def looked(number: int, db: str, before: Standings | None) -> Standings:
    """Reopen the database and return the current standings; its sums are checked only the first time."""
    with closing(Store(db, any_sums=before is not None)) as store:
        return standings(store, number, before)


def with_pace(found: Standings, speed: float, silent: float) -> Standings:
    """Return standings with the speed and the time since the last match added."""
    return replace(found, speed=speed, silent=silent)
