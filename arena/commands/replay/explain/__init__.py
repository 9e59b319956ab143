"""`arena explain`: why an agent moves as it does."""
