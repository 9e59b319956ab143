"""Processing results in schedule order: Elo ratings, withdrawals and the next stage."""
