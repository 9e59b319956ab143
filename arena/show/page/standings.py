"""The table of a leaderboard on a page, with a chart of the confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.ratings.row import SPARE
from arena.show.page.event import Event
from arena.show.table import table

WIDTH, MARGIN = 200, 10  # width and margin of the chart, in pixels
LABELS = 5  # maximum number of labels along the axis
TIERS = (4, 6, 10)  # number of columns on screens below 960, 1200 and 1760 pixels


class Bar(NamedTuple):
    """The bar of a row in the chart.

    Attributes:
        low: Left end of the interval, in pixels.
        at: Rating, in pixels.
        high: Right end of the interval, in pixels.
        open_low: Whether the interval is open on the left.
        open_high: Whether the interval is open on the right.
    """

    low: float
    at: float
    high: float
    open_low: bool
    open_high: bool


class Standings:
    """The table and chart of a leaderboard.

    Attributes:
        columns: Headings, without columns of zeros.
        before_chart: Number of columns to the left of the chart.
        tiers: For each column, the screens that show it: 0 for all, 1 for screens from 960 pixels, 2 from
            1200, 3 from 1760. A switch on the page shows all columns.
        rows: The cells and the bar of each entry.
        ticks: Labels of the axis, as coordinates in pixels and numbers of Elo points.
    """

    def __init__(self, event: Event) -> None:
        board = event.board
        self.columns, lines = table(board)
        self.width = WIDTH
        zero = [i for i, cells in enumerate(zip(*lines, strict=True)) if set(cells) <= {"0", ""}]
        self.columns = [column for i, column in enumerate(self.columns) if i not in zero]
        lines = [[cell for i, cell in enumerate(line) if i not in zero] for line in lines]
        self.before_chart = 3 if board.exact else 4  # the leading columns
        self.tiers = tiers_of(self.columns, self.before_chart)
        ends = [x for row in board.rows for x in (row.low, row.rating, row.high) if x is not None]
        self.least, self.most = (min(ends), max(ends)) if ends else (0.0, 1.0)
        self.scale = (WIDTH - 2 * MARGIN) / ((self.most - self.least) or 1)
        self.rows = [(line, self.bar(row)) for line, row in zip(lines, board.rows, strict=True)]
        self.ticks = [*self.marks()]

    def placed(self, cells: Sequence[str]) -> str:
        """Return the leading cells of a row as text, such as `1382 ± 60, rank 4–5 of 8`."""
        return f"{' '.join(filter(None, cells[2 : self.before_chart]))}, rank {cells[0]} of {len(self.rows)}"

    def pixels(self, points: float) -> float:
        return round(MARGIN + (points - self.least) * self.scale, 1)

    def bar(self, row: object) -> Bar:
        """Return the bar of a row; an open end extends to the edge of the chart."""
        rating, low, high = (getattr(row, name) for name in ("rating", "low", "high"))
        begin, end = (rating if x is None else x for x in (low, high))
        open_low, open_high = low is None and high is not None, high is None and low is not None
        return Bar(
            1 if open_low else self.pixels(begin),
            self.pixels(rating),
            WIDTH - 1 if open_high else self.pixels(end),
            open_low,
            open_high,
        )

    def marks(self) -> Iterator[tuple[float, int]]:
        """Yield round numbers of Elo points along the axis, each as a coordinate in pixels and the number."""
        span = self.most - self.least
        if span <= 0:
            return
        step = next(
            size
            for size in (n * 10**power for power in range(12) for n in (1, 2, 5))
            if span / size <= LABELS
        )
        first = math.ceil(self.least / step)
        for i in range(first, math.floor(self.most / step) + 1):
            yield self.pixels(i * step), i * step


def tiers_of(columns: Sequence[str], first: int) -> list[int]:
    """Return the tier of each column by its importance; see `Standings.tiers`.

    Args:
        columns: The headings.
        first: Number of leading columns that are always the most important.
    """
    spare = {title: len(SPARE) - i for i, title in enumerate(SPARE)}
    rest = sorted(range(first, len(columns)), key=lambda i: spare.get(columns[i], 0))
    order = [*range(first), *rest]
    places = {column: place for place, column in enumerate(order)}
    return [sum(places[i] >= most for most in TIERS) for i in range(len(columns))]
