"""Results as stacked bars: shares won, drawn and lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arena.show.figures.canvas import DRAWN, LOST, WON, canvas, name_rows, rows_height

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST = 6.0  # smallest part, in percent, that shows its number
PARTS = (("won", WON, "white"), ("drawn", DRAWN, "black"), ("lost", LOST, "white"))


def shares(
    rows: Mapping[str, Sequence[float]], title: str = "share of matches (%)", *, ax: Axes | None = None
) -> Axes:
    """Draw a bar for each row, from top to bottom, divided into won, drawn and lost.

    Args:
        rows: Numbers or probabilities of wins, draws and losses, by name.
        title: Title of the axis.
        ax: Axes to draw on. Default: those of a new figure.
    """
    ax = canvas(ax, rows_height(len(rows)) + 0.3)
    left = [0.0] * len(rows)
    for part, (name, colour, ink) in enumerate(PARTS):
        widths = [100 * row[part] / sum(row) if sum(row) else 0.0 for row in rows.values()]
        ax.barh(range(len(rows)), widths, left=left, color=colour, height=0.7, label=name)
        for place, (begin, width) in enumerate(zip(left, widths, strict=True)):
            if width >= LEAST:
                middle = begin + width / 2
                ax.text(middle, place, f"{width:.0f}", color=ink, ha="center", va="center", fontsize="small")
        left = [begin + width for begin, width in zip(left, widths, strict=True)]
    name_rows(ax, list(rows))
    ax.set_xlim(0, 100)
    ax.set_xlabel(title)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return ax
