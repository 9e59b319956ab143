"""`arena tournament`: schedule, play, record and rate."""
