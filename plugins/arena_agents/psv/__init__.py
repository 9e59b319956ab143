"""Prior State Voting: known moves vote in positions that a learner does not know."""
