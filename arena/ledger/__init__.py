"""Process results in the order of the schedule: Elo, withdrawals, the next stage."""
