"""The view of a move for agents that search: its score, and in words whether it wins or loses."""

from __future__ import annotations

from collections.abc import Mapping

from arena import View

WIN = 10**15  # the score of a win, plus 1 for each ply left at the win; greater than any evaluation


def view(score: float | None, horizon: int | None = None, facts: Mapping[str, float] | None = None) -> View:
    """Return the view of a move with this score and other facts, of which `score` is replaced.

    horizon: the plies searched, if a faster win has a higher score.
    """
    first = {"score": None if score is None else float(score) + 0.0}  # converts -0 to 0
    return View({**first, **(facts or {}), **first}, "" if score is None else verdict(float(score), horizon))


def verdict(score: float, horizon: int | None) -> str:
    """Return `won`, `lost in 4 plies`, or an empty text if the score is neither a win nor a loss."""
    if abs(score) < WIN:
        return ""
    outcome = "won" if score > 0 else "lost"
    if horizon is None:
        return outcome
    plies = horizon - int(abs(score) - WIN)
    return f"{outcome} in {plies} {'ply' if plies == 1 else 'plies'}"
