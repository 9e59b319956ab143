"""Playing a single match, a block of matches in a worker, or a tournament on many workers."""
