"""`arena position` and `arena perft`: positions, and counts of lines of play."""
