"""The columns and rows of the data frames of matches, leaderboards and tournaments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from arena.calls.results.pairing import ExactPairing, Pairing
from arena.ratings.leaderboard import Leaderboard
from arena.ratings.row import Row
from arena.ratings.statistics import wilson
from arena.show.frame import Column, Columns

PAIRINGS: Columns = {
    "first": Column(str, "First player."),
    "second": Column(str, "Second player."),
    "matches": Column(int, "Number of matches."),
    "wins": Column(int, "Number of wins of the first player."),
    "draws": Column(int, "Number of draws."),
    "losses": Column(int, "Number of losses of the first player."),
    "forfeits": Column(int, "Number of forfeited matches, which also count as wins and losses."),
    "copies": Column(int, "Number of matches that repeat others move for move."),
    "score": Column(float, "The first player's score, from 0 to 1."),
    "score_low": Column(float, "Lower end of its 95 % interval (Wilson); missing if matches repeat others."),
    "score_high": Column(float, "Upper end of that interval."),
}
EXACT_PAIRINGS: Columns = {
    "first": Column(str, "First player."),
    "second": Column(str, "Second player."),
    "win_probability": Column(float, "Probability that the first player wins."),
    "draw_probability": Column(float, "Probability of a draw."),
    "loss_probability": Column(float, "Probability that the first player loses."),
    "forfeit_probability": Column(float, "Probability that either forfeits."),
    "score": Column(float, "The first player's expected score, from 0 to 1."),
    "mean_plies": Column(float, "Mean length of a match, in plies."),
}
LEADERBOARD: Columns = {
    "game": Column(str, "The game."),
    "rank": Column(int, "Rank, from 1; missing if the entry is not rated."),
    "entry": Column(str, "The entry."),
    "rating_elo": Column(float, "Rating in Elo points."),
    "low_elo": Column(float, "Lower end of its 95 % interval; missing if open or unknown."),
    "high_elo": Column(float, "Upper end of that interval."),
    "score": Column(float, "Mean score, from 0 to 1."),
    "matches": Column(float, "Number of matches; as all counts, an expected value if results are exact."),
    "wins": Column(float, "Number of wins."),
    "draws": Column(float, "Number of draws."),
    "losses": Column(float, "Number of losses."),
    "forfeits": Column(float, "Number of losses by forfeit."),
    "blunder_rate": Column(float, "Share of its moves that are blunders, from 0 to 1.", True),
    "expected_loss": Column(float, "Expected loss against perfect play, in score.", True),
    "worst_score": Column(float, "Score against the best reply, from 0 to 1.", True),
    "move_seconds": Column(float, "Mean time per move, in seconds.", True),
    "training_seconds": Column(float, "Training time, in seconds.", True),
    "training_episodes": Column(int, "Number of training episodes.", True),
    "seeds": Column(int, "Number of seeds of a learner.", True),
    "spread_elo": Column(float, "Standard deviation of the ratings of these seeds, in Elo points.", True),
    "why": Column(str, "Why the entry is not rated.", True),
}
COSTS = {
    "move_seconds": "time of a move (s)",
    "training_seconds": "time of training (s)",
    "episodes": "episodes of training",
}  # fields of leaderboard rows that are costs, with axis titles


def pairing_rows(pairings: Iterable[Pairing | ExactPairing]) -> Iterator[dict[str, object]]:
    """Yield a row for each pairing, for `PAIRINGS` or `EXACT_PAIRINGS`."""
    for row in pairings:
        found: dict[str, object] = {"first": row.first, "second": row.second, "score": row.score}
        if isinstance(row, ExactPairing):
            found |= {"win_probability": row.wins, "draw_probability": row.draws, "mean_plies": row.plies}
            yield found | {"loss_probability": row.losses, "forfeit_probability": row.forfeits}
            continue
        names = ("matches", "wins", "draws", "losses", "forfeits", "copies")
        found |= {name: getattr(row, name) for name in names}
        if row.score is not None and not row.copies:
            found["score_low"], found["score_high"] = wilson(row.score, row.matches)
        yield found


def pairing_columns(pairings: Sequence[Pairing | ExactPairing]) -> Columns:
    """Return the columns of a frame of pairings: their counts, or the probabilities of exact results."""
    return EXACT_PAIRINGS if any(isinstance(row, ExactPairing) for row in pairings) else PAIRINGS


def leaderboard_rows(board: Leaderboard) -> Iterator[dict[str, object]]:
    """Yield a row for each entry, unrated entries last."""
    for row in board.entered:
        found = {**vars(row), "game": board.game, "entry": row.entry}
        if isinstance(row, Row):
            found |= {"rating_elo": row.rating, "low_elo": row.low, "high_elo": row.high}
            found |= {"spread_elo": row.spread, "training_episodes": row.episodes}
        yield found


def seat_names(row: Pairing | ExactPairing, names: Mapping[str, str]) -> str:
    """Return both players of a pairing by their short names."""
    return f"{names.get(row.first, row.first)} – {names.get(row.second, row.second)}"
