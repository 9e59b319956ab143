"""Curves over episodes, time or other costs: the mean of several runs, with a band."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from arena.show.figures.canvas import COLOURS, MARKERS, canvas, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 20  # axes that span more than this factor are logarithmic
UNSURE = 0.05


class Band(Enum):
    """The kinds of bands around the mean of several runs."""

    INTERVAL = "interval"
    RANGE = "range"
    NONE = "none"

    @property
    def words(self) -> str:
        """The meaning of the band, for the caption."""
        return {
            "interval": "band: 95 % interval of the mean (Student's t)",
            "range": "band: from the lowest to the highest run",
            "none": "no band",
        }[self.value]

    def about(self, values: Sequence[float]) -> tuple[float, float]:
        """Return the ends of the band around the mean of several runs' values."""
        mean = fmean(values)
        if self is Band.NONE or len(values) < 2:
            return mean, mean
        if self is Band.RANGE:
            return min(values), max(values)
        from arena.ratings.student import quantile

        half = float(quantile(1 - UNSURE / 2, len(values) - 1)) * stdev(values) / math.sqrt(len(values))
        return mean - half, mean + half


@dataclass(frozen=True)
class Curve:
    """A curve with one or more runs.

    Attributes:
        name: Name in the legend.
        values: Values of all runs, by position on the axis.
        note: Remark in the legend, such as the cost.
        intervals: Ends of the band by position, instead of those computed from the values; an open end is
            NaN.
    """

    name: str
    values: Mapping[float, Sequence[float]]
    note: str = ""
    intervals: Mapping[float, tuple[float, float]] | None = None


def lines(
    curves: Sequence[Curve],
    titles: tuple[str, str],
    *,
    band: Band = Band.INTERVAL,
    limits: tuple[float, float] | None = None,
    logarithmic: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw curves, with a caption below the axis that states the number of runs and the kind of band.

    Args:
        curves: The curves.
        titles: Titles of both axes, with their units.
        band: Kind of band.
        limits: Smallest and largest possible value, at which bands are cut off. Default: none.
        logarithmic: Make the horizontal axis logarithmic if it spans more than a factor of 20.
        ax: Axes to draw on. Default: those of a new figure.
    """
    ax = canvas(ax, 4.0 + 0.16 * len(curves))
    for number, curve in enumerate(curves):
        at = sorted(curve.values)
        means = [fmean(curve.values[x]) for x in at]
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        name = label(curve.name) + (f"\n{curve.note}" if curve.note else "")
        drawn = ax.plot(at, means, marker=marker, color=colour, label=name, markersize=4, linewidth=1.6)
        drawn[0].set_markevery(max(1, len(at) // 12))
        ends = [curve.intervals[x] if curve.intervals else band.about(curve.values[x]) for x in at]
        low, high = limits or (-math.inf, math.inf)
        below, above = [max(low, end) for end, _ in ends], [min(high, end) for _, end in ends]
        ax.fill_between(at, below, above, color=colour, alpha=0.18, linewidth=0)
    if logarithmic:
        scale(ax, {x for curve in curves for x in curve.values})
    if limits:
        rim = 0.03 * (limits[1] - limits[0])
        ax.set_ylim(limits[0] - rim, limits[1] + rim)
    ax.grid(linewidth=0.5, alpha=0.5)
    ax.set_xlabel(f"{titles[0]}\n{caption(curves, band)}".strip())
    ax.set_ylabel(titles[1])
    if len(curves) > 1 or curves[0].note:
        ax.legend(frameon=False, fontsize="small")
    return ax


def scale(ax: Axes, places: set[float]) -> None:
    """Make the horizontal axis logarithmic if the positive places span a wide range; 0 is set apart."""
    positive = [x for x in places if x > 0]
    if not positive or max(positive) <= WIDE * min(positive):
        return
    if len(positive) == len(places):
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter("")  # labels between powers of ten would overlap
        return
    least = min(positive)
    ax.set_xscale("symlog", linthresh=least, linscale=0.8)
    ax.set_xlim(left=-0.1 * least)


def caption(curves: Sequence[Curve], band: Band) -> str:
    """Return the number of runs and the kind of band, as text."""
    runs = sorted({len(values) for curve in curves for values in curve.values.values()})
    if runs == [1]:
        return ""
    span = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    return f"mean of {span} runs; {band.words}"
