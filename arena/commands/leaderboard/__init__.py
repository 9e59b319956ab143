"""`arena leaderboard`: leaderboards and pages."""
