"""A player to begin with: copy this file, rename the copy after yourself, and improve it."""

from arena import Agent


class Newcomer(Agent):
    """Moves at random."""

    def choose(self, state, moves, rng):
        return rng.choice(moves)
