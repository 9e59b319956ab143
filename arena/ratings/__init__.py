"""Rating systems, and the leaderboard.

The columns of its tables are in `row.py`; `arena.show.table` prints them.
"""

RATINGS = {
    "maximum-likelihood": "arena.ratings.maximum_likelihood:MaximumLikelihood",
    "elo": "arena.ratings.elo:Elo",
}
