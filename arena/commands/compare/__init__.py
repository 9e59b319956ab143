"""`arena compare`: compare learners over training seeds."""
