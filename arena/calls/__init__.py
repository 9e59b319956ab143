"""Code common to all calls: entries, execution, results."""
