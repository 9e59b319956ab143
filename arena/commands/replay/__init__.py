"""`arena replay`, `explain` and `debug`: inspect recorded matches and moves."""
