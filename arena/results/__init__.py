"""Results of matches: records, counts and exact expectations."""
