"""The standings of a tournament while it is played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from arena.calls.results import Leaderboard, resuming, unusual
from arena.calls.results.frames import LEADERBOARD
from arena.errors import ArenaError
from arena.ratings.leaderboard import leaderboard
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.row import SPARE
from arena.show.display import MARGIN, display, size_of
from arena.show.grid import Grid
from arena.show.presentation import Part, Shown
from arena.show.rate import duration, pace
from arena.show.table import legend, table
from arena.storage.database import Store

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUIET = 60.0  # seconds without a match before a line reports it
EVERY, SHARE = 2.0, 200  # time between updates: minimum in seconds; multiple of an update's time
FIRST = 1.0  # seconds before the first update
MOST, OTHERS = 14, 6  # maximum number of lines below a bar; lines left for other output


@dataclass(frozen=True, repr=False)
class Standings(Shown):
    """The standings of a tournament.

    Attributes:
        tournament: Number of the tournament.
        db: Path of the database.
        game: The game.
        played: Number of matches played.
        planned: Number of matches planned.
        finished: Whether it is finished.
        leaderboard: The leaderboard.
        changed: Number of ranks that each entry has risen since the previous standings.
        fresh: Entries that have played since the previous standings.
        speed: Matches per second; 0 while unknown.
        silent: Seconds since the last match.
    """

    frame_columns = LEADERBOARD

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
        """Return the progress of the tournament as one line."""
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
        """Return the leader and its rating as one line; "" before any match."""
        rows = self.leaderboard.rows
        return f"{rows[0].shown} leads with {rows[0].rating:.0f}" if rows and self.played else ""

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield self.line()
        yield self.grid()
        yield from self.leaderboard.below_the_line()
        yield from legend(self.leaderboard.names)
        yield from self.leaderboard.notes
        if not self.finished and self.silent > QUIET:
            again = resuming(self.tournament, unusual(self.db))
            yield f"No match for {duration(self.silent)}; if no process is playing it: {again}"

    def grid(self, most: int | None = None) -> Grid:
        """Return the table, or its first `most` rows."""
        columns, rows = table(self.leaderboard)
        marks = [self.mark(row.entry) for row in self.leaderboard.rows]
        if any(marks):
            columns = ["", *columns]
            rows = [[mark, *row] for mark, row in zip(marks, rows, strict=True)]
        return Grid(columns, rows[:most], left=2 + any(marks), spare=SPARE)

    def top(self, lines: int, width: int) -> list[str]:
        """Return the first rows of the table and the number of other rows, styled for a terminal.

        Args:
            lines: Maximum number of lines.
            width: Width of the lines.
        """
        rows, unrated = len(self.leaderboard.rows), len(self.leaderboard.unrated)
        lines -= bool(unrated)
        most = rows if rows < lines else lines - 2
        if most < 1:
            return []
        more = [f"… {rows - most} more"] if most < rows else []
        more += [f"{unrated} not rated"] if unrated else []
        return [*self.grid(most).brief(width, styled=True).split("\n"), *more]

    def mark(self, entry: str) -> str:
        """Return `↑2` or `↓1` if an entry's rank has changed, else `·` if it has played, else ""."""
        if risen := self.changed.get(entry, 0):
            return f"{'↑' if risen > 0 else '↓'}{abs(risen)}"
        return "·" if entry in self.fresh else ""

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each entry."""
        return self.leaderboard.frame_rows()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the ratings with their 95 % intervals.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        return self.leaderboard.plot(ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each row of the leaderboard."""
        return self.leaderboard.to_dicts()


def standings(store: Store, number: int, before: Standings | None) -> Standings:
    """Return the standings of a tournament, including the changes since `before`."""
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
        str(store.path),
        found.game,
        found.played,
        found.planned,
        found.finished is not None,
        board,
        changed,
        frozenset(fresh),
    )


class Below:
    """The standings shown at a terminal below the progress bar of a tournament that this process plays."""

    def __init__(self, store: Store, number: int) -> None:
        self.store, self.number = store, number
        self.due = monotonic() + FIRST
        self.found: Standings | None = None

    def look(self) -> None:
        """Update the standings if an update is due; updates take at most a two-hundredth of the time."""
        begun = monotonic()
        if begun < self.due:
            return
        columns, rows = size_of(display.stream)
        with suppress(ArenaError):  # the final leaderboard raises it again
            self.found = standings(self.store, self.number, self.found)
            display.put_below(self.found.top(min(MOST, rows - OTHERS), columns - MARGIN))
        now = monotonic()
        self.due = now + max(EVERY, SHARE * (now - begun))
