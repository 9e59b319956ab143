"""Code shared by all calls: arguments, execution and results."""
