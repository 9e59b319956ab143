"""What follows from results, in the order of the schedule."""
