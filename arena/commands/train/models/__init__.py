"""`arena models`: list, show, copy, import and remove models."""
