"""`arena new`: create a package to start from."""
