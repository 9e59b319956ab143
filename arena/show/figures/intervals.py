"""Estimates with their intervals, with a row for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from arena.show.figures.canvas import COLOURS, GREY, canvas, name_rows, rows_height

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OPEN = 0.12  # length of the arrow of an open end, as a share of the width


class Interval(NamedTuple):
    """An estimate with its interval. An end that is None is open; without an interval, both are None."""

    value: float
    low: float | None = None
    high: float | None = None


def intervals(rows: Mapping[str, Interval], title: str, *, ax: Axes | None = None) -> Axes:
    """Draw a point and a bar for each row, from top to bottom; an arrow marks an open end.

    Args:
        rows: The estimates, by name.
        title: Title of the axis, with its unit.
        ax: Axes to draw on. Default: those of a new figure.
    """
    ax = canvas(ax, rows_height(len(rows)))
    known = [end for row in rows.values() for end in row if end is not None and math.isfinite(end)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    arrow = OPEN * ((high - low) or 100.0)
    for place, row in enumerate(rows.values()):
        ax.plot(row.value, place, "o", color=COLOURS[0], markersize=5, zorder=3)
        if row.low is None and row.high is None:
            continue
        for end, side in ((row.low, -1), (row.high, 1)):
            if end is not None and math.isfinite(end):
                ax.plot([row.value, end], [place, place], color=COLOURS[0], linewidth=1.6)
                ax.plot([end, end], [place - 0.14, place + 0.14], color=COLOURS[0], linewidth=1.6)
            else:
                style = {"arrowstyle": "->", "color": GREY, "linestyle": "--"}
                to = (row.value + side * arrow, place)
                ax.annotate("", to, (row.value, place), arrowprops=style)
    ax.margins(x=0.06)
    if any(end is None for row in rows.values() for end in row[1:]):
        ax.set_xlim(low - 1.2 * arrow, high + 1.2 * arrow)
    name_rows(ax, list(rows))
    ax.grid(axis="x", linewidth=0.5, alpha=0.5)
    ax.set_xlabel(title)
    return ax
