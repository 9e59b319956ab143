"""Playing a single match, a block of matches in a worker, or an event on many workers."""
