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

# colours for colour-blind readers with a contrast of 3 to white, the first four by Okabe & Ito (2008)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56748c", "#7a5c00")
MARKERS = "os^DvP"
WON, DRAWN, LOST = "#0072b2", "#c8c8c8", "#d55e00"
GREY = "#666666"
LONGEST = 34  # maximum length of a label


def canvas(ax: Axes | None, height: float = 3.6, width: float = 6.4) -> Axes:
    """Return axes to draw on, without a frame at the top and at the right.

    Args:
        ax: The axes to use; None for those of a new pyplot figure, which a notebook displays.
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
    """Return a new figure with axes below one another. heights: their heights in inches."""
    pyplot = needed("matplotlib.pyplot", "plot()")
    shape = {"figsize": (width, sum(heights)), "height_ratios": heights}
    figure, axes = pyplot.subplots(len(heights), squeeze=False, layout="constrained", **shape)
    return figure, axes[:, 0]


def rows_height(rows: int) -> float:
    """Return the height in inches of a figure with this number of rows."""
    return 1.1 + 0.3 * max(rows, 2)


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Label the rows of a figure, from top to bottom."""
    ax.set_yticks(range(len(names)), [label(name) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def label(name: str) -> str:
    """Return a name as a label, shortened, with the special characters of formulas escaped."""
    return middle_out(name, LONGEST, LONGEST // 2).replace("$", r"\$")


def kind_of(kind: str, kinds: Iterable[str], what: str) -> str:
    """Return `kind` if it is one of `kinds`, else raise ArenaError."""
    known = list(kinds)
    if kind not in known:
        raise ArenaError(f"{what} has no figure of kind {kind!r}{did_you_mean(kind, known)}")
    return kind
