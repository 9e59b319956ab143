"""`arena tune`: search for option values that play better."""
