"""The commands, one folder each: the call from Python, its result, and the command line."""
