"""Agents to compare others with: random moves, the first move, the best by one ply of looking ahead."""
