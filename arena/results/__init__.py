"""What came of matches: records, counts and exact expectations."""
