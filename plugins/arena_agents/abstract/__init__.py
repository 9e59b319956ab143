"""Learners that use abstract states: a few numbers instead of a position."""
