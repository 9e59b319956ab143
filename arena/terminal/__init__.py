"""Whoever sits at the terminal: what is shown, what is typed, and which move that means."""
