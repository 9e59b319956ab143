"""Training of learners, and their learning curves."""
