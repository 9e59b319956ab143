"""What `arena` does, called from Python."""
