"""The web page of a leaderboard."""
