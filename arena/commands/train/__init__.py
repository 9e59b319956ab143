"""`arena train`, `arena models` and `arena.curve`: learners and what they learned."""
