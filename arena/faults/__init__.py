"""Checks of a game's rules, and finding out whose code failed and where."""
