"""Learners that go by abstract states, a few numbers in place of a position."""
