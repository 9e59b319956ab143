"""Storage on disk: the database of matches, models and endings."""
