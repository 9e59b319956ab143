"""Learners of linear evaluations: weights of a game's features."""
