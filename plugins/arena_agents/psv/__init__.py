"""Prior State Voting: known moves vote in positions that are unknown to a learner."""
