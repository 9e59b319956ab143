"""Learners of a linear evaluation: the weights of a game's features."""
