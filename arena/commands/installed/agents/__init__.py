"""`arena agents`: list the agents that are installed."""
