"""A crosstable: the score of each row against each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arena.show.figures.canvas import canvas, label
from arena.show.frame import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PALE = (0.27, 0.73)  # scores between these have a pale background, on which text is dark
NUMBERED = 24  # maximum number of entries for which cells show numbers


def matrix(
    names: Sequence[str], scores: Mapping[tuple[str, str], float], title: str, *, ax: Axes | None = None
) -> Axes:
    """Draw a coloured square for each pair of names that has a score.

    Args:
        names: Names of the rows and columns, best first.
        scores: Scores from 0 to 1 of the first name against the second.
        title: Title of the colour scale.
        ax: Axes to draw on. Default: those of a new figure.
    """
    side = 2.2 + 0.42 * len(names)
    ax = canvas(ax, side, side + 1.4)
    numpy = needed("numpy", "plot()")
    cells = numpy.full((len(names), len(names)), numpy.nan)
    place = {name: i for i, name in enumerate(names)}
    for (one, other), score in scores.items():
        cells[place[one], place[other]] = 100 * score
        if len(names) <= NUMBERED:
            ink = "black" if PALE[0] < score < PALE[1] else "white"
            spot = place[other], place[one]
            ax.text(*spot, f"{100 * score:.0f}", ha="center", va="center", color=ink, fontsize="small")
    picture = ax.imshow(cells, cmap="RdBu", vmin=0, vmax=100)
    ax.set_facecolor("#eeeeee")
    labels = [label(name) for name in names]
    ax.set_yticks(range(len(names)), labels)
    ax.set_xticks(range(len(names)), labels, rotation=45, ha="left", rotation_mode="anchor")
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(picture, ax=ax, label=title, shrink=0.8)
    return ax
