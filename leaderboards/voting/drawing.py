"""Panels with lines, side by side in an SVG file: ours whole, what was published dashed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from arena.show.board import INK, WHITE
from arena.show.curve_plot import (
    BOTTOM,
    GAP,
    HEIGHT,
    LEFT,
    RIGHT,
    ROW,
    SWATCH,
    TOP,
    WIDTH,
    Axis,
    colour,
    mark,
    short,
)

COLUMN = 190  # of the legend, in pixels


def line(places: Sequence[tuple[float, float]], look: int, hollow: bool, titles: Sequence[str]) -> list[str]:
    """A line with its marks: whole and filled, or dashed and hollow."""
    dashes = ' stroke-dasharray="5 4" stroke-opacity=".7"' if hollow else ""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    drawn = f'fill="none" stroke="{colour(look)}" stroke-width="{1.2 if hollow else 2}"{dashes}'
    marks = [
        mark(look, f"{x:.1f},{y:.1f}", title, hollow) for (x, y), title in zip(places, titles, strict=True)
    ]
    return [f'<polyline points="{points}" {drawn}/>', *marks]


def frame(
    heading: str, x: Axis, ticks: Mapping[float, str], along: str = "Games of training, log scale"
) -> list[str]:
    """A panel's heading, axes and lines across, at heights that have these labels; what is `along` it."""
    body = [f'<text y="-12" font-weight="600">{escape(heading)}</text>']
    for y, label in ticks.items():
        body.append(f'<path d="M0 {y:.1f}H{WIDTH}" stroke="{INK}" stroke-opacity=".15"/>')
        body.append(f'<text x="-8" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    marks = "".join(f"M{x.at(n):.1f} {HEIGHT}v5" for n in x.ticks())
    body.append(f'<path d="M0 {HEIGHT}H{WIDTH}{marks}" stroke="{INK}" fill="none"/>')
    for n in x.ticks():
        body.append(f'<text x="{x.at(n):.1f}" y="{HEIGHT + 19}" text-anchor="middle">{short(n)}</text>')
    middle = f'x="{WIDTH / 2:g}" y="{HEIGHT + 38}" text-anchor="middle"'
    return [*body, f"<text {middle}>{along}</text>"]


def document(title: str, panels: Sequence[Sequence[str]], legend: Sequence[Sequence[tuple[str, int]]]) -> str:
    """An SVG file of panels side by side; the legend has a column of ours, and of what was published."""
    width = LEFT + len(panels) * (WIDTH + GAP) - GAP + RIGHT
    above = TOP + HEIGHT + BOTTOM
    height = above + ROW * max(map(len, legend)) + 8
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img" font-family="system-ui, sans-serif" font-size="12"'
        f' fill="{INK}" color="{INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{WHITE}"/>',
    ]
    for i, panel in enumerate(panels):
        body += [f'<g transform="translate({LEFT + i * (WIDTH + GAP)} {TOP})">', *panel, "</g>"]
    for hollow, column in enumerate(legend):
        for row, (text, look) in enumerate(column):
            place = f"{LEFT + hollow * COLUMN} {above + row * ROW}"
            body.append(f'<g transform="translate({place})">')
            body += line([(0, 9), (12, 9), (24, 9)], look, bool(hollow), ["", "", ""])[0::2]
            body.append(f'<text x="{SWATCH}" y="13">{escape(text)}</text></g>')
    return "\n".join([*body, "</svg>\n"])
