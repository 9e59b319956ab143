"""What authors of games, agents and evaluations write and use; `arena` itself gives most of it."""
