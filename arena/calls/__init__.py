"""What all calls share: entries, where work is done, results."""
