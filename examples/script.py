"""An agent of one's own on a leaderboard: python script.py"""

import arena


class Stifler(arena.Agent):
    """Leaves its opponent as few moves as it can."""

    def choose(self, state, moves, rng):
        def replies(move):
            return len(self.game.moves(self.game.play(state, move)))

        return min(moves, key=replies)


print(arena.tournament([Stifler, "random", "greedy", "minimax:depth=2"], game="checkers-4x4", seed=1))
