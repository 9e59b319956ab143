"""Agents that search the tree of moves, and what a search is made of."""
