"""`arena tune`: search option values that play better."""
