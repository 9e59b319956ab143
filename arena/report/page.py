"""Leaderboards and learning curves as a page that needs nothing else: no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from arena.ratings.leaderboard import Leaderboard, Row
from arena.report.curve import Plot
from arena.report.table import table
from arena.texts import on_one_line

WIDTH = 240  # of the chart of intervals, in pixels


def page(boards: Sequence[Leaderboard], plots: Sequence[Plot] = ()) -> str:
    """The leaderboards as one HTML page, below them the plots."""
    environment = Environment(
        loader=PackageLoader("arena", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=visible,
    )
    parts = []
    for board in boards:
        columns, lines = table(board)
        rows = list(zip(lines, bars(board), strict=True))
        parts.append(
            {
                "game": board.game + (", exactly" if board.exact else ""),
                "notes": board.notes,
                "columns": columns,
                "rows": rows,
            }
        )
    template = environment.get_template("page.html")
    return template.render(boards=parts, plots=plots, width=WIDTH)


def visible(value: Any) -> Any:
    """A text with what cannot be seen escaped; what is SVG is that already."""
    return on_one_line(value) if type(value) is str else value


def at(bound: float | None, row: Row) -> float:
    return row.rating if bound is None else bound


def bars(board: Leaderboard) -> list[tuple[float, float, float]]:
    """Where each row's interval begins, its rating lies and its interval ends, in pixels."""
    ends = [(at(row.low, row), row.rating, at(row.high, row)) for row in board.rows]
    if not ends:
        return []
    least, most = min(end[0] for end in ends), max(end[2] for end in ends)
    scale = (WIDTH - 12) / ((most - least) or 1)
    return [tuple(round(6 + (x - least) * scale, 1) for x in end) for end in ends]  # type: ignore[misc] # two each
