"""`arena evaluations`: list the evaluations that are installed."""
