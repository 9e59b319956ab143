"""The view of a move by agents that search: its score, and in words whether it wins or loses."""

from __future__ import annotations

from collections.abc import Mapping

from arena import View

WIN = 10**15  # the score of a win, or more for each ply that is left when it comes: above any evaluation


def view(score: float | None, horizon: int | None = None, facts: Mapping[str, float] | None = None) -> View:
    """Return a move's score, if there is one, with other facts; one of that name gives way.

    horizon: plies searched, if of two wins the sooner has the higher score.
    """
    first = {"score": None if score is None else float(score) + 0.0}  # which makes 0 of -0
    return View({**first, **(facts or {}), **first}, "" if score is None else verdict(float(score), horizon))


def verdict(score: float, horizon: int | None) -> str:
    """`won`, `lost in 4 plies`, or nothing for what is neither."""
    if abs(score) < WIN:
        return ""
    outcome = "won" if score > 0 else "lost"
    if horizon is None:
        return outcome
    plies = horizon - int(abs(score) - WIN)
    return f"{outcome} in {plies} {'ply' if plies == 1 else 'plies'}"
