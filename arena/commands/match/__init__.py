"""`arena match`: two entries against each other."""
