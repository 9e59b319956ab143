"""`arena train`, `arena models` and `arena.curve`: learners and their models."""
