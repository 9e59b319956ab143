"""`arena new`: a package to start from."""
