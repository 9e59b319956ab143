"""The figure of the experiment: scores of the learners in each part, by seed and with 95 % intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from figure import COLOURS, mark

from arena.ratings.comparison import mean_of
from arena.show.board import INK, WHITE

LEFT, WIDTH, RIGHT = 200, 460, 24  # pixels, as all lengths: names of the parts, axis, a margin
ROW, BAND = 20, 14  # height of a learner's row, and the space between two parts
TOP, BOTTOM = 44, 46  # legend, and axis with its label
COLUMN = 140  # of the legend
STEP = 10  # per cent between two ticks


def plot(parts: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Return an SVG image.

    Args:
        parts: For each part and learner the score of each seed, in per cent.
    """
    scores = [score for learners in parts.values() for seeds in learners.values() for score in seeds]
    low = STEP * int(min(scores) // STEP)
    high = STEP * -int(-max(scores) // STEP)
    names = list(next(iter(parts.values())))
    height_of_part = ROW * len(names) + BAND
    floor = TOP + height_of_part * len(parts)
    width, height = LEFT + WIDTH + RIGHT, floor + BOTTOM
    body = [
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"'
        f' font-family="system-ui, sans-serif" font-size="12.5" fill="{INK}" xmlns="http://www.w3.org/2000/svg">',
        "<title>Score of votes by lines and of linear weights of the same lines</title>",
        f'<rect width="{width}" height="{height}" fill="{WHITE}"/>',
        *legend(names),
        *axis(low, high, floor),
    ]
    for i, (part, learners) in enumerate(parts.items()):
        top = TOP + i * height_of_part
        middle = top + ROW * len(names) / 2 + 4
        body.append(f'<text x="{LEFT - 12}" y="{middle:g}" text-anchor="end">{escape(part)}</text>')
        for rank, (name, seeds) in enumerate(learners.items()):
            body += row(f"{part}, {name}", seeds, rank, top + ROW * (rank + 0.5), low, high)
    return "\n".join([*body, "</svg>", ""])


def at(score: float, low: int, high: int) -> float:
    """Return the x coordinate of a score."""
    return LEFT + WIDTH * (score - low) / (high - low)


def legend(names: Sequence[str]) -> Iterator[str]:
    """Yield a mark with its name for each learner."""
    for rank, name in enumerate(names):
        x = LEFT + COLUMN * rank
        yield mark(x, 20, rank)
        yield f'<text x="{x + 11}" y="24">{escape(name)}</text>'


def axis(low: int, high: int, floor: int) -> Iterator[str]:
    """Yield the vertical lines, their numbers and the label of the axis."""
    for score in range(low, high + 1, STEP):
        x = at(score, low, high)
        yield f'<path d="M{x:g} {TOP - 8}V{floor}" stroke="{INK}" stroke-opacity=".15"/>'
        yield f'<text x="{x:g}" y="{floor + 17}" text-anchor="middle">{score}</text>'
    label = "score against four opponents, per cent; small: each seed, large: mean with 95 % interval"
    yield f'<text x="{LEFT + WIDTH}" y="{floor + 36}" text-anchor="end">{label}</text>'


def row(said: str, seeds: Sequence[float], rank: int, y: float, low: int, high: int) -> Iterator[str]:
    """Yield the seeds of a learner, and their mean with its interval."""
    mean = mean_of(seeds)
    colour = COLOURS[rank]
    yield f"<g><title>{escape(said)}: {mean:.1f} %</title>"
    for score in seeds:
        x = at(score, low, high)
        yield f'<circle cx="{x:.1f}" cy="{y:g}" r="2" fill="{colour}" fill-opacity=".35"/>'
    ends = [at(min(max(mean.value + sign * mean.half, low), high), low, high) for sign in (-1, 1)]
    yield f'<path d="M{ends[0]:.1f} {y:g}H{ends[1]:.1f}" stroke="{colour}" stroke-width="1.5"/>'
    yield mark(at(mean.value, low, high), y, rank)
    yield "</g>"
