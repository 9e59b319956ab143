"""The page of a leaderboard: its content from a database, and the file."""
