"""What the commands have in common: entries, executors, results."""
