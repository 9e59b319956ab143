"""`arena verify`: check recorded results."""
