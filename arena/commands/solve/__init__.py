"""`arena solve` and `arena endings`: perfect play."""
