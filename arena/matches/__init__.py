"""How matches are played: one, a block in a worker, an event over workers."""
