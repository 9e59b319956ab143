"""Bar charts with a bar for each name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arena.show.figures.canvas import COLOURS, canvas, name_rows, rows_height

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bars(
    rows: Mapping[str, float],
    title: str,
    *,
    marked: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a bar for each row, from top to bottom, labelled with its value.

    Args:
        rows: The values, by name.
        title: Title of the axis, with its unit.
        marked: Names whose bars have a different colour.
        texts: Labels of the bars, by name. Default: their values.
        ax: Axes to draw on. Default: those of a new figure.
    """
    ax = canvas(ax, rows_height(len(rows)))
    colours = [COLOURS[1] if name in marked else COLOURS[0] for name in rows]
    drawn = ax.barh(range(len(rows)), list(rows.values()), color=colours, height=0.7)
    said = [(texts or {}).get(name, f"{value:,.4g}") for name, value in rows.items()]
    ax.bar_label(drawn, said, padding=4, fontsize="small")
    name_rows(ax, list(rows))
    ax.axvline(0, color="black", linewidth=0.8)
    ax.margins(x=0.16)
    ax.set_xlabel(title)
    return ax
