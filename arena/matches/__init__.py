"""Playing a single match, a block of matches in a worker, or a tournament on many workers.

Tournaments are created, extended and resumed in `event.py`.
"""
