"""Results of matches: records, counts and exact expected results."""
