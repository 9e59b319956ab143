"""Leaderboards in forms that people read."""
