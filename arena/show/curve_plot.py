"""Scores over training episodes, drawn as SVG: the mean of several seeds, and a band from lowest to highest.

The first and the second player have panels side by side. Colours and markers can be told apart on light and
dark pages, and by colour-blind readers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from xml.sax.saxutils import escape

from rich.cells import cell_len, chop_cells

from arena.texts import percent

WIDTH, HEIGHT = 380, 240  # size of a panel; all lengths are in pixels
NARROW = 290  # width of a panel for the screen of a phone, where panels are stacked
LEFT, TOP, RIGHT, GAP, BOTTOM = 52, 30, 20, 40, 58  # margins of panels
ROW, LEAD, SWATCH, CHARACTER = 18, 62, 34, 7.3  # lengths in the legend, whose font is monospaced
BREAK = 36  # distance between 0 and the start of a logarithmic axis
LOGARITHMIC = 20  # axes that span more than this factor are logarithmic
LABELS = 6  # maximum number of labels of an axis of episodes
NEAREST = 9  # smallest distance between two markers of a line

# The colours of Okabe & Ito (2008) with a contrast of 3 to white and to dark grey; the text colour replaces
# their black.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "currentColor")
MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
    "M-3.5-3.5h7v7h-7Z",
    "M0-5L4.5 3.5h-9Z",
    "M0-5L5 0L0 5L-5 0Z",
)
SEATS = {1: "first player", 2: "second player"}


@dataclass(frozen=True)
class Line:
    """The scores of a learner against an opponent.

    Attributes:
        name: Name in the legend.
        look: Number from 0 that selects colour and marker.
        scores: Scores of the seeds, from 0 to 1, by seat (1 or 2) and number of episodes.
    """

    name: str
    look: int  # selects colour and marker
    scores: dict[int, dict[int, list[float]]]


# --- the axis of episodes ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """The axis of episodes along a panel.

    Attributes:
        low: Number of episodes at the left end of the scale.
        high: Number of episodes at the right end.
        logarithmic: Whether the scale is logarithmic.
        has_zero: Whether there are points at 0 episodes, which a logarithmic axis shows to the left of the
            scale.
        length: Length in pixels.
    """

    low: int
    high: int
    logarithmic: bool
    has_zero: bool
    length: int = WIDTH

    def at(self, episodes: float) -> float:
        """Return the distance of a number of episodes from the left end of the panel, in pixels."""
        if not self.logarithmic:
            return self.length * (episodes - self.low) / (self.high - self.low)
        if episodes == 0:
            return 0
        begin = BREAK if self.has_zero else 0
        return begin + (self.length - begin) * math.log(episodes / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[int]:
        """Return the round numbers to label, at most `LABELS` and a separate 0."""
        ticks = next(ticks for ticks in map(self.every, count()) if len(ticks) <= LABELS)
        return [0, *ticks] if self.logarithmic and self.has_zero else ticks

    def every(self, coarse: int) -> list[int]:
        """Return round numbers on the scale; the larger `coarse`, the fewer."""
        if not self.logarithmic:
            step = (1, 2, 5)[coarse % 3] * 10 ** (coarse // 3)
            first, last = -(-self.low // step), self.high // step
            return [step * i for i in range(first, min(last, first + LABELS) + 1)]
        powers = [10**i for i in range(0, 20, max(coarse, 1))]
        digits = (1, 2, 5) if coarse == 0 else (1,)
        numbers = [digit * power for power in powers for digit in digits]
        return [n for n in numbers if self.low <= n <= self.high]


def axis_over(episodes: set[int]) -> Axis:
    """Return the axis for some numbers of episodes.

    It is logarithmic if the numbers, without 0, span more than a factor of 20.
    """
    low, high = min(episodes), max(episodes)
    least = min(episodes - {0}, default=1)
    if high > LOGARITHMIC * least:
        return Axis(least, high, True, low == 0)
    if low == high:
        low, high = 0, max(high, 1)
    return Axis(low, high, False, low == 0)


def short(number: int) -> str:
    """Return a number as text with an SI prefix if that is exact: `500`, `2.5k`, `10M`, `1,234`."""
    for power, letter in zip(range(18, 0, -3), "EPTGMk", strict=True):
        whole, rest = divmod(number, 10**power)
        tenths, more = divmod(rest, 10 ** (power - 1))
        if whole and not more:
            return f"{whole}.{tenths}".removesuffix(".0") + letter
    return f"{number:,}"


# --- the drawing ---------------------------------------------------------------------------------------


def svg(heading: str, lead: str, lines: Sequence[Line], axis: Axis, stacked: bool = False) -> str:
    """Return the plot as an SVG element in the text colour of the page.

    Args:
        heading: Title of the plot.
        lead: Title of the legend.
        lines: The lines; their values are also in the description of the element.
        axis: The axis of episodes.
        stacked: Whether panels are stacked, for a narrow screen, and not side by side.
    """
    seats = sorted({seat for one in lines for seat in one.scores})
    if stacked:
        axis = replace(axis, length=NARROW)
    across, down = (0, TOP + HEIGHT + BOTTOM) if stacked else (axis.length + GAP, 0)
    width = LEFT + (len(seats) - 1) * across + axis.length + RIGHT
    above = TOP + HEIGHT + BOTTOM + (len(seats) - 1) * down
    legend_height, legend = legend_of(lead, lines, width)
    words = [f"{said(one, seat)}." for seat in seats for one in lines if seat in one.scores]
    body = [
        f'<svg width="{width}" height="{above + legend_height}" viewBox="0 0 {width} {above + legend_height}"'
        ' role="img" font-family="system-ui, sans-serif" font-size="12" fill="currentColor">',
        f"<title>Learning curve: {escape(heading)}</title>",
        f"<desc>{escape(' '.join(words))}</desc>",
    ]
    for i, seat in enumerate(seats):
        body.append(f'<g class="panel" transform="translate({LEFT + i * across} {TOP + i * down})">')
        body += (
            frame(axis, seat, labelled=stacked or i == 0)
            + bands(lines, seat, axis)
            + curves(lines, seat, axis)
        )
        body.append("</g>")
    body += [f'<g class="legend" transform="translate({LEFT} {above})">', *legend, "</g>", "</svg>"]
    return "\n".join(body)


def said(one: Line, seat: int) -> str:
    """Return a text such as `minimax, as first player: 12.0 % at 0 episodes, 49.5 % at 10,000 episodes`."""
    points = one.scores[seat]
    ends = dict.fromkeys([min(points), max(points)])
    told = (f"{percent(mean(points[n]))} at {n:,} episodes" for n in ends)
    return f"{one.name}, as {SEATS[seat]}: {', '.join(told)}"


def xy(axis: Axis, episodes: int, score: float) -> str:
    return f"{axis.at(episodes):.1f},{HEIGHT * (1 - score):.1f}"


def frame(axis: Axis, seat: int, labelled: bool) -> list[str]:
    """Draw a panel's title, grid lines and axes, with labels on the left if `labelled`."""
    body = [f'<text class="seat" y="-12" font-weight="600">Score as {SEATS[seat]}</text>']
    for score in (0, 25, 50, 75, 100):
        y = HEIGHT - HEIGHT * score / 100
        strength = ".35" if score == 50 else ".15"
        if score:
            body.append(
                f'<path d="M0 {y:g}H{axis.length}" stroke="currentColor" stroke-opacity="{strength}"/>'
            )
        if labelled:
            body.append(f'<text class="y" x="-8" y="{y + 4:g}" text-anchor="end">{score} %</text>')
    broken = axis.logarithmic and axis.has_zero
    base = (
        f"M0 {HEIGHT}H15m6 0H{axis.length}M12 {HEIGHT + 5}l6-10m0 10l6-10"
        if broken
        else f"M0 {HEIGHT}H{axis.length}"
    )
    ticks = "".join(f"M{axis.at(n):.1f} {HEIGHT}v5" for n in axis.ticks())
    body.append(f'<path class="axis" d="{base}{ticks}" stroke="currentColor" fill="none"/>')
    for n in axis.ticks():
        x = f"{axis.at(n):.1f}"
        body.append(f'<text class="x" x="{x}" y="{HEIGHT + 19}" text-anchor="middle">{short(n)}</text>')
    name = "Episodes learned" + (", log scale" if axis.logarithmic else "")
    middle = f'x="{axis.length / 2:g}" y="{HEIGHT + 38}" text-anchor="middle"'
    body.append(f'<text class="episodes" {middle}>{name}</text>')
    return body


def bands(lines: Sequence[Line], seat: int, axis: Axis) -> list[str]:
    """Draw the bands from the lowest to the highest score of each line with several seeds."""
    body = []
    for one in lines:
        points = one.scores.get(seat, {})
        if any(len(scores) > 1 for scores in points.values()):
            top = [xy(axis, n, max(scores)) for n, scores in points.items()]
            low = [xy(axis, n, min(scores)) for n, scores in points.items()]
            paint = 'fill="{0}" fill-opacity=".18" stroke="{0}" stroke-opacity=".35"'.format(colour(one.look))
            body.append(f'<polygon class="band" points="{" ".join(top + low[::-1])}" {paint}/>')
    return body


def curves(lines: Sequence[Line], seat: int, axis: Axis) -> list[str]:
    """Draw the means as lines, with markers that show the numbers as tooltips."""
    body = []
    for one in lines:
        points = one.scores.get(seat, {})
        means = " ".join(xy(axis, n, mean(scores)) for n, scores in points.items())
        paint = f'fill="none" stroke="{colour(one.look)}" stroke-width="2" stroke-linejoin="round"'
        body.append(f'<polyline class="mean" points="{means}" {paint}/>')
        before = math.inf
        for n, scores in reversed(points.items()):
            if before - axis.at(n) >= NEAREST:
                before = axis.at(n)
                body.append(mark(one.look, xy(axis, n, mean(scores)), told(one.name, n, scores)))
    return body


def told(name: str, episodes: int, scores: Sequence[float]) -> str:
    """Return a tooltip such as `minimax: 49.5 % at 10,000 episodes, 5 seeds from 48.0 % to 50.0 %`."""
    text = f"{name}: {percent(mean(scores))} at {episodes:,} episodes"
    if len(scores) == 1:
        return text
    return f"{text}, {len(scores)} seeds from {percent(min(scores))} to {percent(max(scores))}"


def mean(scores: Sequence[float]) -> float:
    return math.fsum(scores) / len(scores)


def colour(look: int) -> str:
    return COLOURS[look % len(COLOURS)]


def mark(look: int, place: str, title: str = "", hollow: bool = False) -> str:
    """Draw the marker of a look; with five colours and four markers, twenty looks differ."""
    paint = f'fill="none" stroke="{colour(look)}" stroke-width="1.5"' if hollow else f'fill="{colour(look)}"'
    shape = f'd="{MARKS[look % len(MARKS)]}" {paint}'
    inside = f"<title>{escape(title)}</title>" if title else ""
    return f'<path class="mark" transform="translate({place})" {shape}>{inside}</path>'


def legend_of(lead: str, lines: Sequence[Line], width: int) -> tuple[int, list[str]]:
    """Draw the legend in columns; long names continue on the next line.

    Returns:
        The height in pixels, and the SVG elements.
    """
    room = width - LEFT - RIGHT - LEAD
    names = [wrapped(one.name, int((room - SWATCH) / CHARACTER)) for one in lines]
    widest = max(cell_len(part) for name in names for part in name)
    column = math.ceil(SWATCH + CHARACTER * widest + ROW)
    columns = max(1, (room + ROW) // column)
    body = [f'<text class="lead" y="13">{lead}</text>', '<g font-family="ui-monospace, monospace">']
    top = 0
    for start in range(0, len(lines), columns):
        row = range(start, min(start + columns, len(lines)))
        for i in row:
            x = LEAD + (i - start) * column
            paint = f'stroke="{colour(lines[i].look)}" stroke-width="2"'
            body.append(f'<path d="M{x} {top + 9}h24" {paint}/>{mark(lines[i].look, f"{x + 12},{top + 9}")}')
            for j, part in enumerate(names[i]):
                spot = f'x="{x + SWATCH}" y="{top + 13 + j * ROW}"'
                body.append(f'<text class="name" {spot}>{escape(part)}</text>')
        top += ROW * max(len(names[i]) for i in row)
    return top + 4, [*body, "</g>"]


def wrapped(name: str, room: int) -> list[str]:
    """Break a name into lines of at most `room` characters, after commas if possible."""
    lines: list[str] = []
    for piece in re.split("(?<=,)", name):
        if lines and cell_len(lines[-1] + piece) <= room:
            lines[-1] += piece
        else:
            lines += chop_cells(piece, room)
    return lines
