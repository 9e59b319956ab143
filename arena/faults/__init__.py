"""Checks of a game's rules, and detection of whose code failed and where."""
