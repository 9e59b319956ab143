"""Random matches, to compare with the yardstick's playouts."""

from __future__ import annotations

from arena import Component, Game, Rng, compiled
from arena.rng import derive


class Playouts(Component):
    """Plays random matches.

    Attributes:
        plies: Number of plies of the last matches.
        results: Sum of their results, from the first player's side.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.plies = self.results = 0

    @compiled
    def play(self, matches: int, seed: int, rng: Rng) -> None:
        """Play matches 0, 1, … of a seed, match i with the stream `derive(seed, i)`."""
        self.plies = self.results = 0
        for match in range(matches):
            rng.restart(derive(seed, match))
            self.playout(rng)

    def playout(self, rng: Rng) -> None:
        """Play one match, of at most 10,000 plies."""
        state = self.game.initial()
        moves = self.game.moves(state)
        plies = 0
        while moves and plies < 10_000:
            state = self.game.play(state, rng.choice(moves))
            moves = self.game.moves(state)
            plies += 1
        if not moves:
            value = self.game.value(state)
            self.results += value if self.game.to_move(state) == 0 else -value
        self.plies += plies
