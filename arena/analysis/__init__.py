"""What is known of a small game by going through all of it: graph, solution, exact results."""
