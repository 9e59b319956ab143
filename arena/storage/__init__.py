"""What is kept on disk: the database of matches, and models."""
