"""Leaderboards and positions in forms that people read."""
