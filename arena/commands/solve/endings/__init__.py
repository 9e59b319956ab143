"""`arena endings`: solve and store all positions with few pieces."""
