"""Dynamic programming over all positions of a game: value iteration and policy iteration."""
