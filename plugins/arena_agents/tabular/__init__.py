"""Q-learners whose models are tables of values, and agents that play by such tables."""
