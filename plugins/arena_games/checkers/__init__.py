"""Checkers on 8 x 8 and on 4 x 4: what both share, each game, and evaluations for either."""
