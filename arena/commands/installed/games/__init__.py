"""`arena games`: list the games that are installed."""
