"""A match in an environment, with the same rules for turns and for the end as in tournaments."""

from __future__ import annotations

from arena.api.game import Game, Move
from arena.api.limits import Draws, Limits
from arena.api.rulings import legal_moves, outcome, played, player_to_move


class EnvironmentMatch:
    """A match that begins at the start position of a game.

    Attributes:
        state: The position.
        moves: The legal moves; empty once the match is over.
        player: The player to move.
        result: The result for player 0: 1, 0 or -1.
        is_over: Whether it has ended.
        is_cut: Whether it ended because it reached the maximum number of plies.
    """

    def __init__(self, game: Game) -> None:
        self.game, self.plies = game, 0
        self.limits = Limits(game.max_plies, 0.0, 0.0)
        self.state, self.player = game.initial(), -1
        self.draws = Draws(game, self.state, self.limits)
        self.result, self.is_over, self.is_cut = 0, False, False
        self.moves: list[Move] = []
        self.look()

    def play(self, move: Move) -> None:
        """Play a legal move."""
        before, self.state = self.state, played(self.game, self.state, move)
        self.draws.add_move(before, move, self.state)
        self.plies += 1
        self.look()

    def forfeit(self) -> None:
        """End the match as lost for the player to move."""
        self.result, self.is_over, self.moves = (-1 if self.player == 0 else 1), True, []

    def look(self) -> None:
        """Determine whether the match is over, and otherwise whose turn it is."""
        self.moves = legal_moves(self.game, self.state)
        if not self.moves:
            self.result, self.is_over = outcome(self.game, self.state, self.player), True
        elif reason := self.draws.reason(self.state, self.plies):
            self.is_over, self.is_cut, self.moves = True, reason == "max plies", []
        else:
            self.player = player_to_move(self.game, self.state, self.player)

    def reward(self, player: int) -> int:
        """Return the result for a player: 1 for a win, 0 for a draw or an unfinished match, -1 for a loss."""
        return self.result if player == 0 else -self.result
