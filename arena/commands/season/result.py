"""The results that `arena.season` and the functions of `arena.seasons` return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, ClassVar

from arena.commands.season.settings import DATABASE
from arena.commands.season.view import SeasonRow, points
from arena.show.figures import Interval, intervals
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.presentation import Line, Part, Shown
from arena.texts import call, either, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_DETAIL = 200  # maximum length of a message on web pages
SHOWN_NEWS = 12  # maximum number of lines of news at the terminal


@dataclass(frozen=True, repr=False)
class SeasonStandings(Shown):
    """The standings of a season after its last update.

    Attributes:
        game: The game.
        db: Path of the database.
        update: Number of the last update, from 1.
        begun: Start time of the last update, in ISO 8601 and UTC.
        updated: Whether this call carried out the update; None if the call only reads the season.
        played: Number of matches of the last update.
        seconds: Duration of these matches.
        missing: Number of matches that are still missing.
        stopped: Why the update played only part of its matches; None if it played all.
        rows: The players, best first; those that do not play come last.
        news: What the last update found, in sentences.
        site: Folder of the web pages; None if none were written.
        interrupted: Whether the update was interrupted, so that the next call completes it.
    """

    frame_columns: ClassVar[Columns] = {
        "rank": Column(int, "Rank, from 1; missing if the player has none."),
        "best_rank": Column(int, "Best possible rank, with 95 % confidence for all players together."),
        "worst_rank": Column(int, "Worst possible rank, likewise."),
        "player": Column(str, "The player."),
        "version": Column(int, "Number of its current version."),
        "rating_elo": Column(float, "Rating in Elo points."),
        "low_elo": Column(float, "Lower end of its 95 % interval."),
        "high_elo": Column(float, "Upper end of that interval."),
        "step_elo": Column(float, "Rating difference from its previous version, in Elo points."),
        "matches": Column(float, "Number of matches."),
        "status": Column(str, "Whether it plays; if not, why."),
    }

    game: str
    db: str
    update: int
    begun: str
    updated: bool | None
    played: int
    seconds: float
    missing: int
    stopped: str | None
    rows: Sequence[SeasonRow]
    news: Sequence[str]
    site: str | None = None
    interrupted: bool = False

    @property
    def failing(self) -> list[SeasonRow]:
        """The players with the status `out`, `broken` or `unable`."""
        return [row for row in self.rows if row.status in ("broken", "out", "unable")]

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        when = "" if self.updated is not None else f" of {self.begun[:16].replace('T', ' ')} UTC"
        about = f"update {self.update}{when}, {self.played:,} matches"
        yield f"Season of {self.game}: {about}, in {self.db}"
        if self.interrupted:
            yield f"Update {self.update} was interrupted; the next call completes it."
        if self.stopped or self.missing:
            why = f"{self.stopped}; " if self.stopped else ""
            yield f"{why}{self.missing:,} matches are missing, and the next update plays them."
        yield Grid(
            ["#", "player", "version", "rating", "95 %", "since last", "matches", "status"],
            [*map(cells, self.rows)],
            left=2,
            spare=["version", "matches", "since last"],
        )
        if self.updated is False:
            yield "Nothing is new, and nothing was missing."
        elif self.news:
            yield "Since the last update:"
            for line in self.news[:SHOWN_NEWS]:
                yield Line(f"  {line}")
            if len(self.news) > SHOWN_NEWS:
                history = either("arena season history", "arena.seasons.history()")
                yield f"  and {len(self.news) - SHOWN_NEWS} more; '{history}' shows all."
        if self.updated and self.failing:
            yield f"The faults of a player: {call_for_player(self.failing[0].player, self.db)}"
        if self.site:
            yield f"Web pages: {self.site}/index.html"

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each player."""
        return [
            vars(row)
            | {"rating_elo": row.rating, "low_elo": row.low, "high_elo": row.high}
            | {"step_elo": row.step.difference if row.step else None}
            for row in self.rows
        ]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the ratings of the players that have one, with their 95 % intervals.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        rated = {
            row.player: Interval(row.rating, row.low, row.high) for row in self.rows if row.rating is not None
        }
        return intervals(rated, "rating (Elo), 95 % interval", ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each player, for `pandas.DataFrame`."""
        return [{**asdict(row), "step": asdict_step(row)} for row in self.rows]

    def to_dict(self) -> dict[str, object]:
        """Return the standings as a dictionary for JSON."""
        return {
            "game": self.game,
            "db": self.db,
            "update": self.update,
            "begun": self.begun,
            "updated": self.updated,
            "played": self.played,
            "seconds": round(self.seconds, 3),
            "missing": self.missing,
            "stopped": self.stopped,
            "interrupted": self.interrupted,
            "site": self.site,
            "news": [*self.news],
            "players": self.to_dicts(),
        }


def call_for_player(player: str, db: str) -> str:
    """Return the command, or the call in Python, that shows a player."""
    at = None if db == DATABASE else db
    return either(
        f"arena season status {player}" + (f" {option('db', at)}" if at else ""),
        f"arena.seasons.player({player!r}" + (f", {at!r})" if at else ")"),
    )


def asdict_step(row: SeasonRow) -> dict[str, object] | None:
    """Return the rating difference between a version and its previous version, for JSON."""
    return row.step._asdict() if row.step else None


def cells(row: SeasonRow) -> list[str]:
    """Return the cells of a player's row in the standings."""
    return [
        row.ranks,
        row.player,
        "" if row.version is None or row.baseline else str(row.version),
        "" if row.rating is None else f"{row.rating:.0f}",
        interval_of(row.rating, row.low, row.high),
        "" if row.step is None else f"{points(row.step.difference)}{'' if row.step.sure else '?'}",
        f"{row.matches:,.0f}" if row.matches else "",
        "baseline" if row.baseline and row.status == "plays" else row.status,
    ]


@dataclass(frozen=True, repr=False)
class SeasonPreview(Shown):
    """A preview of a season's next update.

    Attributes:
        game: The game.
        update: Number of the next update.
        matches: Number of matches that the update would play.
        missing: Number of matches that are missing, including those beyond the limit `matches`.
        seconds: Estimated duration of its matches; None before any match was played.
        news: Changes in the folder, in sentences.
        pending: Whether an interrupted update would be completed first.
    """

    frame_columns: ClassVar[Columns] = {
        "news": Column(str, "What is new in the folder, in a sentence."),
    }

    game: str
    update: int
    matches: int
    missing: int
    seconds: float | None
    news: Sequence[str]
    pending: bool

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        if self.pending:
            yield f"Update {self.update - 1} was interrupted and is completed first, with its matches."
        if not self.news and not self.matches:
            yield f"Season of {self.game}: nothing is new, and nothing is missing."
            return
        time = "" if self.seconds is None else f", about {in_words(self.seconds)}"
        beyond = self.missing - self.matches
        left = f", leaving {beyond:,} for later" if beyond else ""
        yield f"Season of {self.game}: update {self.update} would play {self.matches:,} matches{time}{left}."
        for line in self.news:
            yield Line(f"  {line}")

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each piece of news, for `pandas.DataFrame`."""
        return [{"news": line} for line in self.news]

    def to_dict(self) -> dict[str, object]:
        """Return the preview as a dictionary for JSON."""
        return {**asdict(self), "news": [*self.news]}


def in_words(seconds: float) -> str:
    """Return a duration as text, such as `40 s`, `12 min` or `3.5 h`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


@dataclass(frozen=True, repr=False)
class PlayerStatus(Shown):
    """The state and results of a player of a season.

    Attributes:
        row: The player's row in the standings.
        versions: Its versions with their dates and ratings, the newest first.
        results: Results of its current version against each opponent, the best result first.
        faults: Its forfeited matches, the newest first.
        news: Its events, in sentences with dates, the newest first.
        defeat: The last match that its current version lost on the board: database, tournament, match and
            opponent; None if there is none.
    """

    frame_columns: ClassVar[Columns] = {
        "version": Column(int, "Number of the version."),
        "same_as": Column(int, "Number of the earlier version that it plays exactly like; missing if none."),
        "since": Column(str, "When it first played, in UTC."),
        "rating_elo": Column(float, "Rating in Elo points."),
        "low_elo": Column(float, "Lower end of its 95 % interval."),
        "high_elo": Column(float, "Upper end of that interval."),
        "matches": Column(float, "Number of matches."),
        "code": Column(str, "Digest of its code."),
    }

    row: SeasonRow
    versions: Sequence[Mapping[str, object]]
    results: Sequence[Mapping[str, object]]
    faults: Sequence[Mapping[str, object]]
    news: Sequence[str] = field(default=())
    defeat: Mapping[str, object] | None = None

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        row = self.row
        rank = f", rank {row.ranks}" if row.ranks else ""
        yield f"{row.player}: {row.status}{rank}"
        if row.why:
            yield Line(f"  {row.why}")
        if self.versions:
            yield Grid(
                ["version", "since", "rating", "95 %", "matches", "code"],
                [
                    [
                        f"{one['version']}" + (f" (like {one['same_as']})" if one["same_as"] else ""),
                        str(one["since"])[:10],
                        "" if one["rating"] is None else f"{one['rating']:.0f}",
                        interval_of(one["rating"], one["low"], one["high"]),
                        f"{one['matches']:,.0f}" if one["matches"] else "",
                        str(one["code"])[:8],
                    ]
                    for one in self.versions
                ],
                left=2,
                spare=["code"],
            )
        if self.results:
            yield Grid(
                ["opponent", "won", "drawn", "lost", "score"],
                [
                    [
                        str(one["opponent"]),
                        *(f"{one[key]:,.0f}" for key in ("won", "drawn", "lost")),
                        f"{100 * float(str(one['score'])):.0f} %",
                    ]
                    for one in self.results
                ],
            )
        for one in self.faults:
            yield Line(fault_line(one))
        if self.defeat:
            match = call("replay", self.defeat["tournament"], self.defeat["match"], db=self.defeat["db"])
            yield f"Its last defeat, by {self.defeat['opponent']}, on a board: {match}"
        yield from map(Line, self.news)

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each version, the newest first."""
        return [
            {**one, "rating_elo": one["rating"], "low_elo": one["low"], "high_elo": one["high"]}
            for one in self.versions
        ]

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each version, for `pandas.DataFrame`."""
        return [dict(one) for one in self.versions]

    def to_dict(self) -> dict[str, object]:
        """Return the status as a dictionary for JSON."""
        return {
            **asdict(self.row),
            "step": asdict_step(self.row),
            "versions": self.to_dicts(),
            "results": [dict(one) for one in self.results],
            "faults": [dict(one) for one in self.faults],
            "defeat": self.defeat and dict(self.defeat),
            "news": [*self.news],
        }


def interval_of(rating: object, low: object, high: object) -> str:
    """Return the 95 % interval relative to the rating, such as `−80 +85`; "" without a rating."""
    if not isinstance(rating, float):
        return ""
    if low == high == rating:
        return "fixed"
    ends = (points(end - rating) if isinstance(end, float) else "…" for end in (low, high))
    return " ".join(ends)


def fault_line(one: Mapping[str, object]) -> str:
    """Return a forfeited match as a line of text."""
    where = f" at {one['place']}" if one["place"] else ""
    seen = f"; position {one['position']}" if one["position"] else ""
    return (
        f"Version {one['version']} forfeited match {one['match']} of tournament {one['tournament']} "
        f"by {one['reason']}{where}: {one['detail']}{seen}"
    )


@dataclass(frozen=True, repr=False)
class SeasonHistory(Shown):
    """The events of a season, or of one of its players, with dates.

    Attributes:
        player: The player; None for all players.
        lines: Update, date and sentence of each event, the oldest first.
        ratings: Update, date, version and rating of the player at each update; empty for all players.
    """

    frame_columns: ClassVar[Columns] = {
        "update": Column(int, "Number of the update."),
        "date": Column(str, "Its date, in UTC."),
        "news": Column(str, "What happened, in a sentence."),
    }

    player: str | None
    lines: Sequence[tuple[int, str, str]]
    ratings: Sequence[Mapping[str, object]]

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        last = 0
        for update, date, line in self.lines:
            if update != last:
                yield f"Update {update}, {date[:16].replace('T', ' ')} UTC"
            last = update
            yield Line(f"  {line}")
        if self.ratings:
            yield Grid(
                ["update", "date", "version", "rating", "95 %"],
                [
                    [
                        str(one["update"]),
                        str(one["date"])[:10],
                        str(one["version"]),
                        f"{one['rating']:.0f}",
                        interval_of(one["rating"], one["low"], one["high"]),
                    ]
                    for one in self.ratings
                ],
                left=3,
            )

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each sentence, for `pandas.DataFrame`."""
        return [{"update": update, "date": date, "news": line} for update, date, line in self.lines]

    def to_dict(self) -> dict[str, object]:
        """Return the history as a dictionary for JSON."""
        return {
            "player": self.player,
            "news": self.to_dicts(),
            "ratings": [dict(one) for one in self.ratings],
        }
