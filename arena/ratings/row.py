"""A row of the leaderboard, and the columns of its tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from arena.results.record import UNKNOWN_CODE
from arena.texts import error_text, percent, three_digits


@dataclass(frozen=True)
class Row:
    """A line of the leaderboard.

    Attributes:
        rank: Rank in the table, from 1.
        entry: The entry, or the learner with several seeds; a tag distinguishes older code.
        rating: Rating in Elo points.
        low: Lower end of its 95 % interval; None if it is open or the rating system has none.
        high: Upper end of its 95 % interval; None in the same cases.
        elo: Elo rating after the entry's last tournament; for a learner, the mean over its seeds. None if not
            recorded.
        matches: Number of rated matches. If results are exact, this and the following counts are expected
            values.
        wins: Number of wins.
        draws: Number of draws.
        losses: Number of losses.
        forfeits: Number of losses by its own forfeit.
        score: Mean score from 0 to 1.
        blunder_rate: Fraction of its moves that are blunders, from 0 to 1; None if unknown.
        blunder_error: Half of the 95 % interval of the blunder rate; None if it is exact or unknown.
        expected_loss: How much it scores below perfect play against a perfect opponent; None if unknown.
        code: Digest of the entry's code; `unknown` if none was recorded.
        unplayed: Number of matches neither played nor rated because the entry, and possibly its opponent, was
            withdrawn.
        best_rank: Best plausible rank; the ranges of all rows hold simultaneously with a probability of 95 %.
            None if unknown.
        worst_rank: Worst plausible rank; None if unknown.
        name: Short name; empty if there is none.
        move_seconds: Mean time of a move in seconds; None if unknown or not requested.
        training_seconds: Training time in seconds; None if unknown or not requested.
        episodes: Number of training episodes; None if unknown or not requested.
        seeds: Number of seeds of a learner that was entered with several; None for other entries.
        spread: Estimated standard deviation of the ratings of these seeds, see `arena.Spread`.
        spread_low: Lower end of its 95 % interval.
        spread_high: Upper end of its 95 % interval.
        worst_score: Score against the best response, mean of both seats; None if unknown.
        worst_exact: Whether `worst_score` is exact; otherwise it is an upper bound found by search.
    """

    rank: int
    entry: str
    rating: float
    low: float | None
    high: float | None
    elo: float | None
    matches: float
    wins: float
    draws: float
    losses: float
    forfeits: float
    score: float
    blunder_rate: float | None = None
    blunder_error: float | None = None
    expected_loss: float | None = None
    code: str = UNKNOWN_CODE
    unplayed: float = 0
    best_rank: int | None = None
    worst_rank: int | None = None
    name: str = ""
    move_seconds: float | None = None
    training_seconds: float | None = None
    episodes: int | None = None
    seeds: int | None = None
    spread: float | None = None
    spread_low: float | None = None
    spread_high: float | None = None
    worst_score: float | None = None
    worst_exact: bool | None = None

    @property
    def shown(self) -> str:
        """The name in tables."""
        return self.name or self.entry

    @property
    def ranks(self) -> str:
        """The rank as text: `1`, or the range of plausible ranks, `1–3`."""
        if self.best_rank is None or self.best_rank == self.worst_rank:
            return str(self.rank)
        return f"{self.best_rank}–{self.worst_rank}"


@dataclass(frozen=True)
class Column:
    """A column of the leaderboard's tables.

    Attributes:
        title: The heading.
        text: Function that returns the cell for a row.
        exact_text: The same for exact results; None if tables of exact results have no such column. Default:
            `text`.
        shown: Function that returns whether the rows of a leaderboard have the column.
        spare: Order in which columns are left out on a narrow terminal, the lowest first; None for a column
            that is always shown.
    """

    title: str
    text: Callable[[Row], str]
    exact_text: Callable[[Row], str] | Literal["as text"] | None = "as text"
    shown: Callable[[Sequence[Row]], bool] = lambda rows: True
    spare: int | None = None

    def cell(self, exact: bool) -> Callable[[Row], str] | None:
        """Return the function from row to cell, None if there is no such column."""
        return self.text if not exact or self.exact_text == "as text" else self.exact_text


def known(*names: str) -> Callable[[Sequence[Row]], bool]:
    """Return a function that returns whether any row has a value for one of these attributes."""
    return lambda rows: any(getattr(row, name) is not None for row in rows for name in names)


def number(name: str, form: str) -> Callable[[Row], str]:
    """Return a function that formats an attribute with a format spec such as `,.0f`."""

    def text(row: Row) -> str:
        value = getattr(row, name)
        return "" if value is None else format(value, form)

    return text


def share(name: str) -> Callable[[Row], str]:
    """Return a function that formats a count as a percentage of the matches."""
    return lambda row: percent(getattr(row, name) / row.matches if row.matches else None, 2)


def blunders_text(row: Row) -> str:
    """Return the blunder rate as text, with half of the width of its interval if there is one."""
    error = "" if row.blunder_error is None else f" ± {100 * row.blunder_error:.2f}"
    return "" if row.blunder_rate is None else f"{100 * row.blunder_rate:.2f}{error} %"


def worst_text(row: Row) -> str:
    """Return the score against the best response, marked if it is only a bound."""
    return ("" if row.worst_exact or row.worst_score is None else "≤ ") + percent(row.worst_score, 1)


def spread_text(row: Row) -> str:
    """Return the Elo spread of an entry's seeds with its interval, as `38 (24 to 71)`.

    It is empty if the spread is unknown, and `0` if the interval is 0 to 0.
    """
    if row.spread is None or row.spread_low is None or row.spread_high is None:
        return ""
    if row.spread_high == 0:
        return "0"
    high = f"{row.spread_high:.0f}" if math.isfinite(row.spread_high) else "any"
    return f"{row.spread:.0f} ({row.spread_low:.0f} to {high})"


def move_text(row: Row) -> str:
    """Return the mean time of a move in microseconds."""
    return "" if row.move_seconds is None else three_digits(1e6 * row.move_seconds)


def training_text(row: Row) -> str:
    """Return the training time in seconds."""
    return "" if row.training_seconds is None else three_digits(row.training_seconds)


# in display order; the first two are text columns
COLUMNS = (
    Column("#", lambda row: row.ranks),
    Column("entry", lambda row: row.shown),
    Column("rating", number("rating", ".0f")),
    Column("95 %", lambda row: error_text(row.rating, row.low, row.high), None),
    Column("Elo", number("elo", ".0f"), None, spare=0),
    Column("score", lambda row: percent(row.score, 1), lambda row: percent(row.score, 2)),
    Column("matches", number("matches", ","), None, spare=2),
    Column("won", number("wins", ","), share("wins"), spare=5),
    Column("drawn", number("draws", ","), share("draws"), spare=3),
    Column("lost", number("losses", ","), share("losses"), spare=4),
    Column("forfeits", number("forfeits", ","), share("forfeits"), spare=8),
    Column("unplayed", number("unplayed", ","), None, lambda rows: any(row.unplayed for row in rows), 6),
    Column("blunders", blunders_text, shown=known("blunder_rate", "expected_loss"), spare=9),
    Column(
        "expected loss",
        number("expected_loss", ".4f"),
        shown=known("blunder_rate", "expected_loss"),
        spare=1,
    ),
    Column("worst score", worst_text, shown=known("worst_score")),
    Column("seeds", number("seeds", "d"), shown=known("seeds")),
    Column("spread", spread_text, shown=known("seeds")),
    Column("µs per move", move_text, shown=known("move_seconds")),
    Column("episodes", number("episodes", ","), shown=known("training_seconds"), spare=7),
    Column("training s", training_text, shown=known("training_seconds")),
)
SPARES = sorted((column.spare, column.title) for column in COLUMNS if column.spare is not None)
SPARE = tuple(title for _, title in SPARES)  # order in which columns are left out on a narrow terminal
