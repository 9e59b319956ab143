"""`arena endings`: solve and keep all positions with few pieces."""
