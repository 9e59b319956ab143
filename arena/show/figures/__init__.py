"""Figures of results, drawn by matplotlib, which is imported when a figure is drawn.

Each function draws on the axes that are passed, or on those of a new figure, and returns the axes. A result
can therefore define a figure in a few lines:

    def plot(self, *, ax: Axes | None = None) -> Axes:
        return bars({row.entry: row.score for row in self.rows}, "score", ax=ax)
"""

from arena.show.figures.bars import bars
from arena.show.figures.canvas import canvas, kind_of
from arena.show.figures.intervals import Interval, intervals
from arena.show.figures.lines import Band, Curve, lines
from arena.show.figures.matrix import matrix
from arena.show.figures.points import Point, points
from arena.show.figures.shares import shares

__all__ = [
    "Band",
    "Curve",
    "Interval",
    "Point",
    "bars",
    "canvas",
    "intervals",
    "kind_of",
    "lines",
    "matrix",
    "points",
    "shares",
]
