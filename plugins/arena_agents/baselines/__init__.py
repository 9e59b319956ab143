"""Baseline agents: random moves, the first move, and the best move by a search of one ply."""
