"""`arena position` and `arena perft`: positions, and counts of move sequences."""
