"""`arena.exact`: expected results without playing."""
