"""The classes for authors of games, agents and evaluations; most can be imported from `arena`.

Clocks, and draws by repetition, without captures and by length, are in `limits.py`.
"""
