"""Checkers on 8 x 8 and 4 x 4 boards, and evaluations for both games."""
