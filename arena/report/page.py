"""Leaderboards and learning curves as a page that needs nothing else: no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from arena.ratings.leaderboard import Leaderboard
from arena.report.curve import Plot
from arena.report.table import table
from arena.texts import on_one_line

WIDTH, MARGIN = 240, 10  # of the chart of intervals, in pixels


def page(boards: Sequence[Leaderboard], plots: Sequence[Plot] = ()) -> str:
    """The leaderboards as one HTML page, below them the plots."""
    environment = Environment(
        loader=PackageLoader("arena", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=visible,
    )
    parts = []
    for board in boards:
        columns, lines = table(board)
        rows = list(zip(lines, bars(board), strict=True))
        parts.append(
            {
                "game": board.title,
                "notes": board.notes,
                "columns": columns,
                "rows": rows,
            }
        )
    template = environment.get_template("page.html")
    return template.render(boards=parts, plots=plots, width=WIDTH)


class Bar(NamedTuple):
    """Pixels where a row's interval begins, its rating lies, its interval ends; which ends are open."""

    low: float
    at: float
    high: float
    open_low: bool
    open_high: bool


def visible(value: Any) -> Any:
    """A text with what cannot be seen escaped; what is SVG is that already."""
    return on_one_line(value) if type(value) is str else value


def bars(board: Leaderboard) -> list[Bar]:
    """A bar for each row. One with an open end reaches the chart's edge there."""
    numbers = [x for row in board.rows for x in (row.low, row.rating, row.high) if x is not None]
    if not numbers:
        return []
    least = min(numbers)
    scale = (WIDTH - 2 * MARGIN) / ((max(numbers) - least) or 1)

    def pixels(points: float) -> float:
        return round(MARGIN + (points - least) * scale, 1)

    found = []
    for row in board.rows:
        low, high = (row.rating if end is None else end for end in (row.low, row.high))
        open_low = row.low is None and row.high is not None
        open_high = row.high is None and row.low is not None
        ends = 1 if open_low else pixels(low), pixels(row.rating), WIDTH - 1 if open_high else pixels(high)
        found.append(Bar(*ends, open_low, open_high))
    return found
