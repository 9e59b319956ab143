"""Web pages of a season: standings, a page for each player, and history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from markupsafe import Markup, escape

from arena.show.page import templates

SPARK = (96, 22)  # width and height of a sparkline in the standings, in pixels
CHART = (640, 200)
MARGIN = 40  # margin of the chart for its labels, in pixels


class Point(NamedTuple):
    """A rating after an update.

    Attributes:
        update: Number of the update.
        rating: Rating in Elo points.
        low: Lower end of its interval; None if open.
        high: Upper end of its interval; None if open.
        label: Tooltip of the point.
    """

    update: int
    rating: float
    low: float | None
    high: float | None
    label: str


kept_templates = cache(templates)  # cached, since a season has many pages


def render(template: str, home: str, context: Mapping[str, object]) -> str:
    """Render a page of a season.

    Args:
        template: Name of the template: `index`, `player` or `history`.
        home: Relative path from the page to the root of the site; empty, or with a slash at the end.
        context: Values for the template.
    """
    environment, part = kept_templates()
    styles = {"style": part("page.css"), "own_style": part("season.css")}
    return environment.get_template(f"season_{template}.html").render(home=home, **styles, **context)


def spark(points: Sequence[Point], first: int, last: int) -> Markup:
    """Return a sparkline of ratings over the updates `first` to `last`, as SVG."""
    if not points:
        return Markup("")
    width, height = SPARK
    place = Scale(points, first, last, (3, 3, width - 3, height - 3))
    line = " ".join(f"{place.x(one)},{place.y(one.rating)}" for one in points)
    end = points[-1]
    said = Markup("ratings after {} updates, the last {:.0f}").format(len(points), end.rating)
    return Markup(
        '<svg width="{}" height="{}" role="img" aria-label="{}"><polyline points="{}"/>'
        '<circle cx="{}" cy="{}" r="2.5"/></svg>'
    ).format(width, height, said, line, place.x(end), place.y(end.rating))


def chart(points: Sequence[Point], first: int, last: int) -> Markup:
    """Return ratings with their intervals over the updates `first` to `last`, as SVG."""
    if not points:
        return Markup("")
    width, height = CHART
    place = Scale(points, first, last, (3 * MARGIN // 2, 20, width - 10, height - MARGIN))
    line = " ".join(f"{place.x(one)},{place.y(one.rating)}" for one in points)
    shapes = [f'<polyline points="{line}"/>']
    for one in points:
        x, y = place.x(one), place.y(one.rating)
        low, high = (place.y(one.rating if end is None else end) for end in (one.low, one.high))
        shapes.append(f'<path class="span" d="M{x} {low}V{high}"/>')
        shapes.append(f'<circle cx="{x}" cy="{y}" r="3.5"><title>{escape(one.label)}</title></circle>')
    for rating in (place.least, place.most):
        shapes.append(f'<text x="2" y="{round(place.y(rating) + 4, 1)}">{rating:.0f}</text>')
    for number in sorted({points[0].update, points[-1].update}):
        at = place.x(Point(number, 0, None, None, ""))
        shapes.append(f'<text x="{at - 3}" y="{height - 8}">{number}</text>')
    return Markup(
        f'<svg viewBox="0 0 {width} {height}" style="width:100%;max-width:{width}px" role="img"'
        f' aria-label="ratings after {len(points)} updates">{"".join(shapes)}</svg>'
    )


class Scale:
    """Pixel coordinates of ratings and updates. box: the left, top, right and bottom of the chart."""

    def __init__(
        self, points: Sequence[Point], first: int, last: int, box: tuple[float, float, float, float]
    ) -> None:
        ends = [end for one in points for end in (one.low, one.rating, one.high) if end is not None]
        self.least, self.most = min(ends), max(ends)
        self.first, self.updates = first, max(last - first, 1)
        self.left, self.top, self.right, self.bottom = box

    def x(self, point: Point) -> float:
        share = (point.update - self.first) / self.updates
        return round(self.left + share * (self.right - self.left), 1)

    def y(self, rating: float) -> float:
        share = (rating - self.least) / ((self.most - self.least) or 1)
        return round(self.bottom - share * (self.bottom - self.top), 1)
