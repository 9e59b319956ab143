"""Plots of a tuning run as SVG: by iteration, or by training seeds of candidates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from xml.sax.saxutils import escape

from arena.errors import ArenaError
from arena.show.curve_plot import (
    BOTTOM,
    GAP,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axis,
    Line,
    colour,
    legend_of,
    mean,
    short,
)

POINTS = 400  # maximum number of points of a line
TICKS = 5  # number of ticks on the axis of candidates' scores
TITLES = ("Values, in % of their ranges", "Score of one against the other")


def svg(heading: str, courses: Mapping[str, Sequence[float]], scores: Sequence[float]) -> str:
    """Return an SVG document of two panels: option values as shares of their ranges, and scores.

    Args:
        heading: Title of the document.
        courses: Values of each option as shares of its range, from 0 to 1, by name in the legend; the first
            value is the initial one.
        scores: Score of each iteration, from 0 to 1. A moving mean over a tenth of the iterations is added.
    """
    axis = Axis(0, max(len(scores), 1), False, True)
    lines = [Line(name, i, {}) for i, name in enumerate(courses)]
    width, above = LEFT + 2 * (WIDTH + GAP) - GAP + RIGHT, TOP + HEIGHT + BOTTOM
    legend_height, legend = legend_of("Values", lines, width)
    ends = (f"{name}: from {100 * one[0]:.0f} % to {100 * one[-1]:.0f} %" for name, one in courses.items())
    body = document(heading, ". ".join(ends), width, above + legend_height)
    drawn = [
        [curve(axis, [*enumerate(course)], colour(i), 2) for i, course in enumerate(courses.values())],
        [
            curve(axis, [*enumerate(scores, 1)], "currentColor", 1, ".3"),
            curve(axis, smoothed(scores), "currentColor", 2),
        ],
    ]
    for i, (title, curves) in enumerate(zip(TITLES, drawn, strict=True)):
        body.append(f'<g class="panel" transform="translate({LEFT + i * (WIDTH + GAP)} {TOP})">')
        body += [*frame(axis, title, labelled=i == 0), *curves, "</g>"]
    body += [f'<g class="legend" transform="translate({LEFT} {above})">', *legend, "</g>", "</svg>"]
    return "\n".join(body) + "\n"


def scores_svg(heading: str, scores: Mapping[str, Sequence[float]]) -> str:
    """Return an SVG document with a line for each candidate, which ends where the candidate was dropped.

    Args:
        heading: Title of the document.
        scores: The score with each training seed, from 0 to 1, by candidate.
    """
    means = {name: [total / n for n, total in enumerate(accumulate(one), 1)] for name, one in scores.items()}
    values = [mean for one in means.values() for mean in one] or [0.0, 1.0]
    low, high = min(values), max(values)
    low, high = (low, high) if high - low > 1e-9 else (low - 0.01, high + 0.01)
    axis = Axis(1, max(2, *map(len, scores.values())), False, True)
    width, above = LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM
    legend_height, legend = legend_of(
        "Candidates", [Line(name, i, {}) for i, name in enumerate(scores)], width
    )
    ends = (f"{name}: {100 * one[-1]:.1f} % of {len(one)}" for name, one in means.items() if one)
    body = document(heading, "; ".join(ends), width, above + legend_height)
    body.append(f'<g class="panel" transform="translate({LEFT} {TOP})">')
    body.append('<text y="-12" font-weight="600">Mean score by training seeds</text>')
    for i in range(TICKS):
        share = i / (TICKS - 1)
        body += grid_line(share, f"{100 * (low + (high - low) * share):.1f} %")
    body += ticks(axis, "Training seeds")
    for i, one in enumerate(means.values()):
        points = [(n, (mean - low) / (high - low)) for n, mean in enumerate(one, 1)]
        body.append(curve(axis, points, colour(i), 2))
    body += ["</g>", f'<g class="legend" transform="translate({LEFT} {above})">', *legend, "</g>", "</svg>"]
    return "\n".join(body) + "\n"


def document(heading: str, description: str, width: float, height: float) -> list[str]:
    """Return the first lines of an SVG document."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img" font-family="system-ui, sans-serif"'
        ' font-size="12" fill="currentColor">',
        f"<title>Tuning {escape(heading)}</title>",
        f"<desc>{escape(description)}.</desc>",
    ]


def frame(axis: Axis, title: str, labelled: bool) -> list[str]:
    """Draw a panel's title, grid lines and axes, with labels on the left if `labelled`."""
    body = [f'<text y="-12" font-weight="600">{title}</text>']
    for share in (0, 25, 50, 75, 100):
        strength = ".35" if share == 50 else ".15"
        body += grid_line(share / 100, f"{share} %" if labelled else "", strength)
    return body + ticks(axis, "Iterations")


def grid_line(share: float, label: str, strength: str = ".15") -> list[str]:
    """Draw a grid line at a fraction of a panel's height, with the label on the left unless it is empty."""
    y = HEIGHT - HEIGHT * share
    body = [f'<path d="M0 {y:g}H{WIDTH}" stroke="currentColor" stroke-opacity="{strength}"/>']
    if label:
        body.append(f'<text x="-8" y="{y + 4:g}" text-anchor="end">{label}</text>')
    return body


def ticks(axis: Axis, title: str) -> list[str]:
    """Draw the ticks of the horizontal axis, with their numbers and a title."""
    body = []
    for n in axis.ticks():
        x = f"{axis.at(n):.1f}"
        body.append(f'<path d="M{x} {HEIGHT}v5" stroke="currentColor"/>')
        body.append(f'<text x="{x}" y="{HEIGHT + 19}" text-anchor="middle">{short(n)}</text>')
    body.append(f'<text x="{WIDTH / 2:g}" y="{HEIGHT + 38}" text-anchor="middle">{title}</text>')
    return body


def curve(
    axis: Axis, points: Sequence[tuple[float, float]], colour: str, width: int, opacity: str = "1"
) -> str:
    """Draw a line through at most `POINTS` of the points."""
    some = points[:: math.ceil(len(points) / POINTS)] if points else []
    places = " ".join(f"{axis.at(x):.1f},{HEIGHT * (1 - y):.1f}" for x, y in some)
    paint = f'stroke="{colour}" stroke-width="{width}" stroke-opacity="{opacity}" stroke-linejoin="round"'
    return f'<polyline points="{places}" fill="none" {paint}/>'


def smoothed(scores: Sequence[float]) -> list[tuple[float, float]]:
    """Return the moving mean over a tenth of all scores, each at the middle of its window."""
    room = max(len(scores) // 10, 1)
    return [(i + (room + 1) / 2, mean(scores[i : i + room])) for i in range(len(scores) - room + 1)]


def write(path: Path, text: str) -> None:
    """Write a text file in UTF-8, or raise ArenaError."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"cannot write {path}: {error.strerror}") from error
