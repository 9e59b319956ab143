"""Learners taught, and their learning curves."""
