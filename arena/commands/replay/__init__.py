"""`arena replay`, `explain` and `debug`: look at recorded matches and moves."""
