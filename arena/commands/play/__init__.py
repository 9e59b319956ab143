"""`arena play`: play against an entry."""
