"""Rating systems, and the leaderboard."""

RATINGS = {
    "maximum-likelihood": "arena.ratings.maximum_likelihood:MaximumLikelihood",
    "elo": "arena.ratings.elo:Elo",
}
