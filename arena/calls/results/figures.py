"""The figures of matches, leaderboards and tournaments."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Literal

from arena.calls.results.frames import COSTS, seat_names
from arena.calls.results.pairing import ExactPairing, Pairing
from arena.errors import ArenaError
from arena.ratings.leaderboard import Leaderboard
from arena.ratings.row import Row
from arena.show.figures import Curve, Interval, Point, intervals, kind_of, lines, matrix, points, shares
from arena.show.figures.canvas import GREY, label
from arena.texts import argument

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["ratings", "results", "cost", "training"]
TournamentKind = Literal["ratings", "results", "cost", "training", "crosstable"]
KINDS = ("ratings", "results", "cost", "training")
DASHES = ("--", ":", "-.")
CHECKPOINT = re.compile(r"(?<=:)checkpoint=\d+,|,checkpoint=\d+|:checkpoint=\d+(?![\d,])")  # in an entry


def outcomes(
    pairings: Sequence[Pairing | ExactPairing], names: Mapping[str, str], *, ax: Axes | None = None
) -> Axes:
    """Draw, for each pairing, the shares of matches that the first player won, drew and lost."""
    rows = {seat_names(row, names): (row.wins, row.draws, row.losses) for row in pairings}
    exact = any(isinstance(row, ExactPairing) for row in pairings)
    return shares(rows, "probability (%)" if exact else "share of matches (%)", ax=ax)


def crosstable(
    pairings: Sequence[Pairing | ExactPairing], board: Leaderboard, *, ax: Axes | None = None
) -> Axes:
    """Draw the scores of all entries against each other, over both seats."""
    points: Counter[tuple[str, str]] = Counter()
    played: Counter[tuple[str, str]] = Counter()
    for row in pairings:
        matches = row.wins + row.draws + row.losses
        won = row.wins + row.draws / 2
        for pair, score in (((row.first, row.second), won), ((row.second, row.first), matches - won)):
            points[pair] += score  # type: ignore[assignment]  # half points
            played[pair] += matches  # type: ignore[assignment]  # of exact results, probabilities
    shown = {one.entry: one.shown for one in board.entered}
    met = [name for name in shown if any(name in pair for pair in played)]
    met += [name for pair in played for name in pair if name not in shown and name not in met]
    ordered = [*dict.fromkeys(met)]
    scores = {
        (shown.get(one, one), shown.get(other, other)): points[one, other] / played[one, other]
        for one, other in played
        if one != other and played[one, other]
    }
    names = [shown.get(name, name) for name in ordered]
    return matrix(names, scores, "score of the row against the column (%)", ax=ax)


def leaderboard_figure(
    board: Leaderboard, kind: Kind = "ratings", *, cost: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a leaderboard; see `Leaderboard.plot`."""
    kind_of(kind, KINDS, "a leaderboard")
    rows = board.rows
    if kind == "results":
        title = "probability (%)" if board.exact else "share of matches (%)"
        return shares({row.shown: (row.wins, row.draws, row.losses) for row in rows}, title, ax=ax)
    if kind == "ratings":
        ranges = {row.shown: Interval(row.rating, row.low, row.high) for row in rows}
        if board.exact:
            ranges = {row.shown: Interval(row.rating) for row in rows}
        has = any(row.low is not None or row.high is not None for row in rows)
        return intervals(ranges, "rating (Elo), 95 % interval" if has else "rating (Elo)", ax=ax)
    if kind == "training":
        return training(rows, cost or "episodes", ax=ax)
    name = cost or next((name for name in COSTS if any(getattr(row, name) is not None for row in rows)), "")
    if not name:
        costs = argument("cost", True)
        raise ArenaError(f"the leaderboard has no costs; compute them with {costs}")
    known = kind_of(name, COSTS, "the cost of a leaderboard")
    found = {
        row.shown: Point(getattr(row, known), row.rating, row.low, row.high)
        for row in rows
        if getattr(row, known) is not None
    }
    if not found:
        raise ArenaError(f"no entry of the leaderboard has {known}")
    return points(found, (COSTS[known], "rating (Elo)"), ax=ax)


def training(rows: Sequence[Row], cost: str, *, ax: Axes | None = None) -> Axes:
    """Draw a curve of ratings at its checkpoints for each learner, and a dashed line for each other entry.

    Args:
        rows: The rows of a leaderboard.
        cost: "episodes" or "training_seconds".
        ax: Axes of matplotlib to draw on. Default: those of a new figure.
    """
    over = kind_of(cost, ("episodes", "training_seconds"), "the axis of a learner's ratings")
    learners: dict[str, dict[float, Row]] = {}
    for row in rows:
        if row.episodes is not None:
            learners.setdefault(CHECKPOINT.sub("", row.entry), {})[getattr(row, over)] = row
    if not learners:
        raise ArenaError(
            f"no entry has a known number of episodes; compute it with {argument('cost', True)}, and enter "
            "learners with checkpoints: 'q-table:episodes=1000,checkpoints=5'"
        )
    curves = [curve(name, found) for name, found in learners.items()]
    band = " and their 95 % intervals" if any(one.intervals for one in curves) else ""
    ax = lines(curves, (f"{COSTS[over]}\nratings of checkpoints{band}", "rating (Elo)"), ax=ax)
    for row, style in zip((row for row in rows if row.episodes is None), cycle(DASHES)):
        ax.axhline(row.rating, color=GREY, linestyle=style, linewidth=1.2, label=label(row.shown), zorder=1)
    ax.legend(frameon=False, fontsize="small")
    return ax


def curve(name: str, found: Mapping[float, Row]) -> Curve:
    """Return the curve of a learner's ratings by the cost of training."""
    ends = {
        at: (math.nan if row.low is None else row.low, math.nan if row.high is None else row.high)
        for at, row in found.items()
    }
    has = any(row.low is not None or row.high is not None for row in found.values())
    return Curve(name, {at: [row.rating] for at, row in found.items()}, intervals=ends if has else None)
