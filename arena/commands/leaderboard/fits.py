"""Leaderboards in the form in which the database stores them."""

from __future__ import annotations

from collections.abc import Sequence

from arena.api.rating import CONFIDENCE
from arena.ratings.leaderboard import Leaderboard
from arena.storage.database import Tournament
from arena.storage.fits import Fit, Rated


def fit_of(board: Leaderboard, looked_at: Sequence[Tournament], alone: bool) -> Fit:
    """Return a leaderboard in the form to be stored, with the tournaments that it is computed from.

    Args:
        board: The leaderboard.
        looked_at: The tournaments that were considered.
        alone: Whether the leaderboard is of one tournament only.
    """
    return Fit(
        board.game,
        looked_at[0].id if alone else None,
        board.exact,
        board.system,
        CONFIDENCE,
        sum(row.matches for row in board.rows) / 2,
        board.notes,
        {t.id: t.played for t in looked_at},
        board.tournaments,
        [Rated(*(getattr(row, name) for name in Rated._fields)) for row in board.rows],
    )
