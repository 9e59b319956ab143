"""Checks of a game's rules, and the search for whose code failed and where."""
