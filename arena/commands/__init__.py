"""One folder a command: the call that Python users make, what it returns, and the command line for it."""
