"""The axes that a figure is drawn on, its colours, and its labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from arena.errors import ArenaError, did_you_mean
from arena.show.frame import needed
from arena.show.grid import middle_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# the colours of Okabe & Ito (2008) that have a contrast of 3 to white, distinct for colour-blind readers, too
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56748c", "#7a5c00")
MARKERS = "os^DvP"
WON, DRAWN, LOST = "#0072b2", "#c8c8c8", "#d55e00"
GREY = "#666666"
LONGEST = 34  # characters of a label


def canvas(ax: Axes | None, height: float = 3.6, width: float = 6.4) -> Axes:
    """Return axes to draw on, without a frame at the top and at the right.

    Args:
        ax: The axes of the caller; None for those of a new figure of pyplot, which a notebook displays.
        height: Height of a new figure, in inches.
        width: Width of a new figure, in inches.

    Raises:
        ArenaError: If matplotlib is not installed.
    """
    if ax is None:
        pyplot = needed("matplotlib.pyplot", "plot()")
        _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    assert ax is not None
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def column(heights: Sequence[float], width: float = 6.4) -> tuple[Figure, Sequence[Axes]]:
    """Return a new figure and its axes, one below the other, with these heights in inches."""
    pyplot = needed("matplotlib.pyplot", "plot()")
    shape = {"figsize": (width, sum(heights)), "height_ratios": heights}
    figure, axes = pyplot.subplots(len(heights), squeeze=False, layout="constrained", **shape)
    return figure, axes[:, 0]


def rows_height(rows: int) -> float:
    """Return the height in inches of a figure with a line for each of some rows."""
    return 1.1 + 0.3 * max(rows, 2)


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Label the lines of a figure, from top to bottom."""
    ax.set_yticks(range(len(names)), [label(name) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def label(name: str) -> str:
    """Return a name as a label, shortened and with the signs of formulas escaped."""
    return middle_out(name, LONGEST, LONGEST // 2).replace("$", r"\$")


def kind_of(kind: str, kinds: Iterable[str], what: str) -> str:
    """Return a kind of figure, or raise ArenaError if a result has no such kind."""
    known = list(kinds)
    if kind not in known:
        raise ArenaError(f"{what} has no figure of kind {kind!r}{did_you_mean(kind, known)}")
    return kind
