"""Ratings of results, and the leaderboard."""
