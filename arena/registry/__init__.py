"""What is installed, and where it comes from."""
