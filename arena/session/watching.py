"""`arena.watch`: a tournament that another process plays, followed in its database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from arena.errors import ArenaError
from arena.ratings.leaderboard import leaderboard
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.report.grid import Grid
from arena.report.progress import duration, pace
from arena.report.shown import Part, Shown
from arena.report.table import SPARE, legend, table
from arena.session.results import Leaderboard
from arena.storage.database import DATABASE, Store

EVERY = 2.0  # seconds between two looks
QUIET = 60.0  # seconds without a match after which a line says so


@dataclass(frozen=True, repr=False)
class Standings(Shown):
    """How a tournament stands. changed: of each entry by how many ranks it has risen since the last look.

    fresh: entries that have played since then. speed: matches a second, 0 while unknown. silent: seconds
    without a match.
    """

    tournament: int
    db: str
    game: str
    played: int
    planned: int
    finished: bool
    leaderboard: Leaderboard
    changed: dict[str, int]
    fresh: frozenset[str]
    speed: float = 0.0
    silent: float = 0.0

    def line(self) -> str:
        """How far it is, on one line."""
        text = f"Tournament {self.tournament}, {self.game}"
        if self.leaderboard.exact:
            return f"{text}: evaluated exactly"
        text += f": {self.played:,} of {self.planned:,} matches"
        if self.finished:
            return f"{text}, finished"
        if self.speed:
            left = duration((self.planned - self.played) / self.speed)
            return f"{text}, {pace(self.speed, 'matches')}, {left} left"
        return text

    def leader(self) -> str:
        """Who leads, for one line; nothing while nobody has played."""
        rows = self.leaderboard.rows
        return f"{rows[0].shown} leads with {rows[0].rating:.0f}" if rows and self.played else ""

    def parts(self) -> Iterator[Part]:
        yield self.line()
        columns, rows = table(self.leaderboard)
        marks = [self.mark(row.entry) for row in self.leaderboard.rows]
        if any(marks):
            columns = ["", *columns]
            rows = [[mark, *row] for mark, row in zip(marks, rows, strict=True)]
        yield Grid(
            columns, rows, left=len(columns) - len(rows[0]) + 2 + any(marks) if rows else 2, spare=SPARE
        )
        yield from legend(self.leaderboard.names)
        yield from self.leaderboard.notes
        if not self.finished and self.silent > QUIET:
            where = "" if self.db == DATABASE else f" --db {self.db}"
            again = f"arena tournament --resume {self.tournament}{where}"
            yield f"No match for {duration(self.silent)}; if nobody plays it: {again}"

    def mark(self, entry: str) -> str:
        """`↑2`, `↓1` where a rank has changed, `·` where matches were played."""
        if risen := self.changed.get(entry, 0):
            return f"{'↑' if risen > 0 else '↓'}{abs(risen)}"
        return "·" if entry in self.fresh else ""

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dictionary for each row of the leaderboard."""
        return self.leaderboard.to_dicts()


def watch(
    tournament: int | None = None,
    *,
    db: str | Path = DATABASE,
    every: float = EVERY,
    stop: threading.Event | None = None,
) -> Iterator[Standings]:
    """How a tournament stands, again and again until it is finished, while another process plays it.

    tournament: the one begun last if None. every: seconds between two looks. stop: once it is set, that is
    the end. ArenaError for what cannot be.

    >>> import arena
    >>> found = arena.tournament(["first", "random"], game="tic-tac-toe", rounds=1, seed=1, db="some.db")
    >>> [standings.line() for standings in arena.watch(db="some.db")]
    ['Tournament 1, tic-tac-toe: 2 of 2 matches, finished']
    """
    stop = stop or threading.Event()
    with closing(Store(db)) as store:
        begun = store.tournaments()
        if tournament is None and not begun:
            raise ArenaError(f"{store.path} has no tournament to watch; begin one: arena tournament")
        number = begun[-1].id if tournament is None else store.tournament(tournament).id
    before: Standings | None = None
    start, first, last = monotonic(), 0, monotonic()
    while True:
        now = monotonic()
        found = standings(number, str(db), before)
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


def standings(number: int, db: str, before: Standings | None) -> Standings:
    """How a tournament stands now, and what has changed. Each look opens the file, which may be another."""
    with closing(Store(db)) as store:
        found = store.tournament(number)
        board = Leaderboard.of(leaderboard(store, found.game, [found], MaximumLikelihood()))
    ranks = {row.entry: (row.rank, row.matches) for row in before.leaderboard.rows} if before else {}
    changed, fresh = {}, set()
    for row in board.rows:
        rank, matches = ranks.get(row.entry, (row.rank, row.matches))
        changed[row.entry] = rank - row.rank
        if matches != row.matches:
            fresh.add(row.entry)
    return Standings(
        number,
        db,
        found.game,
        found.played,
        found.planned,
        found.finished is not None,
        board,
        changed,
        frozenset(fresh),
    )


def with_pace(found: Standings, speed: float, silent: float) -> Standings:
    """The same, with how fast it goes."""
    return replace(found, speed=speed, silent=silent)
