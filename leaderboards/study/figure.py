"""The figure of the study: what each family scores at each game, by budget, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from standings import Standing
from study import REFERENCE

from arena.show.board import INK, WHITE
from arena.show.curve_plot import MARKS

COLOURS = (
    "#56b4e9",
    "#0072b2",
    "#d55e00",
    "#222222",
    "#cc79a7",
)  # of budgets, by rank; of Okabe & Ito (2008)
SHAPES = (*MARKS, "M-5-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5Z")
GREY = "#6b6b6b"  # who does not learn
NAMES, WIDTH, ROW, RIGHT = 168, 270, 21, 24  # pixels, as all lengths: names of rows, axis, a row, beside it
HEAD, FOOT, LEGEND = 34, 46, 40  # above the rows of a panel, below them, above all panels
COLUMNS = 2


def figure(found: Sequence[Standing], games: Sequence[str]) -> str:
    """An SVG image: a panel for each game, in it a row for each family, in that a mark for each budget."""
    budgets = sorted({one.budget for one in found if one.budget})
    panels = [panel([one for one in found if one.game == game], budgets) for game in games]
    lines = [panels[i : i + COLUMNS] for i in range(0, len(panels), COLUMNS)]
    heights = [max(height for height, _ in line) for line in lines]
    width, height = COLUMNS * (NAMES + WIDTH + RIGHT), LEGEND + sum(heights)
    body = [
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"'
        f' font-family="system-ui, sans-serif" font-size="12.5" fill="{INK}" xmlns="http://www.w3.org/2000/svg">',
        "<title>Score of learners by seconds of training</title>",
        f'<rect width="{width}" height="{height}" fill="{WHITE}"/>',
        *legend(budgets),
    ]
    top = LEGEND
    for line, tall in zip(lines, heights, strict=True):
        for i, (_, drawn) in enumerate(line):
            left = i * (NAMES + WIDTH + RIGHT) + NAMES
            body += [f'<g transform="translate({left} {top})">', *drawn, "</g>"]
        top += tall
    return "\n".join([*body, "</svg>", ""])


def legend(budgets: Sequence[float]) -> Iterator[str]:
    """What marks mean."""
    x = 16
    yield f'<text x="{x}" y="24" font-weight="600">Seconds of training on one core:</text>'
    x += 254
    for rank, budget in enumerate(budgets):
        yield mark(x, 20, rank)
        yield f'<text x="{x + 11}" y="24">{budget:g}</text>'
        x += 48
    x += 8
    yield f'<path d="M{x} 14V26" stroke="{GREY}" stroke-width="2.5"/>'
    yield f'<text x="{x + 9}" y="24">no training: search alone</text>'
    x += 176
    yield f'<path d="M{x} 20h26m-26-4v8m26-8v8" stroke="{INK}" fill="none"/>'
    yield f'<text x="{x + 34}" y="24">95 % of the mean over seeds</text>'


def mark(x: float, y: float, rank: int) -> str:
    """The mark of a budget, by its rank among all."""
    return f'<path d="{SHAPES[rank]}" transform="translate({x:.1f} {y:.1f})" fill="{COLOURS[rank]}"/>'


def panel(found: Sequence[Standing], budgets: Sequence[float]) -> tuple[int, list[str]]:
    """A game's height, and what is drawn in it; its axis begins at 0. budgets: those of all games."""
    best: dict[str, Standing] = {}
    for one in found:
        if one.family not in best or best[one.family].budget < one.budget:
            best[one.family] = one
    learners = sorted((x for x in best.values() if x.budget), key=lambda one: -one.score.value)
    rows = [*learners, *sorted((x for x in best.values() if not x.budget), key=lambda one: -one.score.value)]
    floor = HEAD + ROW * len(rows)
    body = [f'<text x="0" y="18" font-weight="600" font-size="15">{escape(found[0].game)}</text>']
    for share in range(0, 101, 25):
        x = WIDTH * share / 100
        strength = 0.14 if share else 0.5
        body.append(f'<path d="M{x:g} {HEAD - 6}V{floor}" stroke="{INK}" stroke-opacity="{strength}"/>')
        body.append(f'<text x="{x:g}" y="{floor + 17}" text-anchor="middle">{share}</text>')
    below = "score in the gauntlet, per cent"
    body.append(f'<text x="{WIDTH / 2:g}" y="{floor + 34}" text-anchor="middle">{below}</text>')
    for i, row in enumerate(rows):
        y = HEAD + ROW * i + ROW / 2 - 3
        body += [name_of(row, y), *marks([one for one in found if one.family == row.family], y, budgets)]
    return floor + FOOT, body


def name_of(row: Standing, y: float) -> str:
    """The name of a row, left of it."""
    name = row.family.removeprefix(REFERENCE + " ").replace("alpha-beta:depth=", "alpha-beta, depth ")
    colour = INK if row.budget else GREY
    return f'<text x="-10" y="{y + 4:.1f}" text-anchor="end" fill="{colour}">{escape(name)}</text>'


def marks(found: Sequence[Standing], y: float, budgets: Sequence[float]) -> Iterator[str]:
    """Means and intervals of a row, budgets a little apart; and the same in words."""
    for one in found:
        rank, (score, half) = budgets.index(one.budget) if one.budget else 0, one.score
        at = y + (min(4.5, 18 / len(budgets)) * (rank - (len(budgets) - 1) / 2) if one.budget else 0)
        low, high = (WIDTH * min(max(score + sign * half, 0), 100) / 100 for sign in (-1, 1))
        colour = COLOURS[rank] if one.budget else GREY
        said = f"{one.family}, {one.budget:g} s: {score:.1f} %"
        yield f'<g><title>{escape(said)}</title><path d="M{low:.1f} {at:.1f}H{high:.1f}" stroke="{colour}"/>'
        if one.budget:
            yield mark(WIDTH * score / 100, at, rank)
        else:
            yield f'<path d="M{WIDTH * score / 100:.1f} {at - 6:.1f}v12" stroke="{GREY}" stroke-width="2.5"/>'
        yield "</g>"
