"""`arena leaderboard`: rated tables of what was played, and pages."""
