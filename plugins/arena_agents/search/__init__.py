"""Agents that search the tree of moves, and the components of searches."""
