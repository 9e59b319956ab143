"""Scatter plots of named points, such as strength against cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from arena.show.figures.canvas import COLOURS, canvas, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 20  # costs that span more than this factor have a logarithmic axis


class Point(NamedTuple):
    """A point, with the interval of its vertical coordinate, if any."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


def frontier(rows: Sequence[Point]) -> list[Point]:
    """Return the Pareto frontier: the points that are higher than all points at or to the left of them."""
    best: list[Point] = []
    for row in sorted(rows, key=lambda row: (row.x, -row.y)):
        if not best or row.y > best[-1].y:
            best.append(row)
    return best


def points(rows: Mapping[str, Point], titles: tuple[str, str], *, ax: Axes | None = None) -> Axes:
    """Draw named points, and a step line along the Pareto frontier.

    Args:
        rows: The points, by name.
        titles: Titles of both axes, with their units.
        ax: Axes to draw on. Default: those of a new figure.
    """
    ax = canvas(ax, 4.2)
    best = frontier(list(rows.values()))
    ax.step([p.x for p in best], [p.y for p in best], where="post", color="#bbbbbb", linewidth=1.2, zorder=1)
    for name, row in rows.items():
        ends = [end if end is not None else row.y for end in (row.low, row.high)]
        ax.plot([row.x, row.x], ends, color=COLOURS[0], linewidth=1.4, zorder=2)
        ax.plot(row.x, row.y, "o", color=COLOURS[0], markersize=5, zorder=3)
        ax.annotate(label(name), (row.x, row.y), (6, 4), textcoords="offset points", fontsize="small")
    positive = [row.x for row in rows.values() if row.x > 0]
    if positive and len(positive) == len(rows) and max(positive) > WIDE * min(positive):
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter("")  # labels between powers of ten would overlap
    ax.margins(x=0.18, y=0.12)
    ax.grid(linewidth=0.5, alpha=0.5)
    ax.set_xlabel(titles[0])
    ax.set_ylabel(titles[1])
    return ax
