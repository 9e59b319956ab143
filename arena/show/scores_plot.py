"""The scores of a learner's candidates as SVG: their means by number of training seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from xml.sax.saxutils import escape

from arena.show.curve_plot import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axis,
    Line,
    colour,
    legend_of,
    short,
)

TICKS = 5  # on the axis of scores


def scores_svg(heading: str, scores: Mapping[str, Sequence[float]]) -> str:
    """Return an SVG document with a line for each candidate, which ends where the candidate was dropped.

    Args:
        heading: Title of the document.
        scores: By candidate, the score with each training seed, from 0 to 1.
    """
    means = {name: [total / n for n, total in enumerate(accumulate(one), 1)] for name, one in scores.items()}
    values = [mean for one in means.values() for mean in one] or [0.0, 1.0]
    low, high = min(values), max(values)
    low, high = (low, high) if high - low > 1e-9 else (low - 0.01, high + 0.01)
    axis = Axis(1, max(2, *map(len, scores.values())), False, True)
    width, above = LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM
    lines = [Line(name, i, {}) for i, name in enumerate(scores)]
    legend_height, legend = legend_of("Candidates", lines, width)
    size = f'width="{width}" height="{above + legend_height}" viewBox="0 0 {width} {above + legend_height}"'
    said = "; ".join(f"{name}: {100 * one[-1]:.1f} % of {len(one)}" for name, one in means.items() if one)
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="system-ui, sans-serif"'
        ' font-size="12" fill="currentColor">',
        f"<title>Tuning {escape(heading)}</title>",
        f"<desc>{escape(said)}.</desc>",
        f'<g class="panel" transform="translate({LEFT} {TOP})">',
        '<text y="-12" font-weight="600">Mean score by training seeds</text>',
        *frame(axis, low, high),
        *(curve(axis, one, low, high, colour(i)) for i, one in enumerate(means.values())),
        "</g>",
        f'<g class="legend" transform="translate({LEFT} {above})">', *legend, "</g>", "</svg>",
    ]  # fmt: skip
    return "\n".join(body) + "\n"


def frame(axis: Axis, low: float, high: float) -> list[str]:
    """Draw the grid lines and both axes, with their labels."""
    body = []
    for i in range(TICKS):
        y, score = HEIGHT - HEIGHT * i / (TICKS - 1), low + (high - low) * i / (TICKS - 1)
        body.append(f'<path d="M0 {y:g}H{WIDTH}" stroke="currentColor" stroke-opacity=".15"/>')
        body.append(f'<text x="-8" y="{y + 4:g}" text-anchor="end">{100 * score:.1f} %</text>')
    for n in axis.ticks():
        x = f"{axis.at(n):.1f}"
        body.append(f'<path d="M{x} {HEIGHT}v5" stroke="currentColor"/>')
        body.append(f'<text x="{x}" y="{HEIGHT + 19}" text-anchor="middle">{short(n)}</text>')
    body.append(f'<text x="{WIDTH / 2:g}" y="{HEIGHT + 38}" text-anchor="middle">Training seeds</text>')
    return body


def curve(axis: Axis, means: Sequence[float], low: float, high: float, colour: str) -> str:
    """Draw the line of a candidate."""
    heights = [HEIGHT * (high - mean) / (high - low) for mean in means]
    places = " ".join(f"{axis.at(n):.1f},{y:.1f}" for n, y in enumerate(heights, 1))
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"/>'
