"""Matches: playing one, a block in a worker, or an event on many workers."""
