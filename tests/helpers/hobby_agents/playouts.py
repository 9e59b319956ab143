"""Playouts and a Counter."""

# ruff: noqa
# mypy: ignore-errors

from collections import Counter

from arena import Agent, option


class Playouts(Agent):
    """Flat Monte Carlo: plays each move out at random and counts."""

    n: int = option(10, "playouts per move")

    def playout(self, state, rng):
        player = self.game.to_move(state)
        moves = list(self.game.moves(state))
        while moves:
            state = self.game.play(state, rng.choice(moves))
            moves = list(self.game.moves(state))
        value = self.game.value(state)
        return value if self.game.to_move(state) == player else -value

    def choose(self, state, moves, rng):
        wins = Counter()
        for move in moves:
            after = self.game.play(state, move)
            for _ in range(self.n):
                wins[move] -= self.playout(after, rng)
        return wins.most_common(1)[0][0]
