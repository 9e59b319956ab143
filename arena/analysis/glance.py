"""Features of a position one ply ahead: wins, threats of the opponent, captures."""

from __future__ import annotations

import numpy as np

from arena.api.component import Component, compiled
from arena.api.game import Game, State
from arena.api.spec import runners_of

MOVES, WINS, WON, SAFE, KEPT, CAPTURES = range(6)
FACTS = 6
SEEN = 12  # without compiled rules, threats are searched for only up to this number of legal moves


class Glance(Component):
    """Finds wins, threats and captures one or two plies ahead.

    Attributes:
        game: The game.
        cells: Number of cells whose pieces are counted to find captures; 0 without a grid.
        most: Largest number of legal moves for which threats are searched for.
        facts: int64 [6], the findings of the last look: the number of legal moves; the number of moves that
            win at once, and whether the move made is one of them; the number of moves after which the
            opponent cannot win at once, and whether the move made is one of them; the number of captures.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.cells = len(game.cells) if "grid" in game.capabilities else 0
        self.facts = np.zeros(FACTS, np.int64)
        self.most = game.max_moves
        if "look" not in runners_of(self):
            self.most = SEEN

    @compiled
    def look(self, state: State, made: int) -> None:
        """Examine a position with legal moves and the move with index `made`, and write `facts`."""
        moves = self.game.moves(state)
        mover, count, pieces = self.game.to_move(state), len(moves), 0
        if self.cells > 0:
            pieces = self.pieces_on(state)
        for i in range(FACTS):
            self.facts[i] = 0
        self.facts[MOVES] = count
        for i in range(count):
            after = self.game.play(state, moves[i])
            if self.cells > 0 and self.pieces_on(after) < pieces:
                self.facts[CAPTURES] += 1
            if self.wins(after, mover):
                self.facts[WINS] += 1
                if i == made:
                    self.facts[WON] = 1
            if count > self.most or not self.can_win(after, mover):
                self.facts[SAFE] += 1
                if i == made:
                    self.facts[KEPT] = 1

    def pieces_on(self, state: State) -> int:
        """Return the number of pieces on the board."""
        count = 0
        for cell in range(self.cells):
            if self.game.piece(state, cell) != 0:
                count += 1
        return count

    def wins(self, state: State, player: int) -> bool:
        """Return whether the game is over and won by a player."""
        if len(self.game.moves(state)) > 0:
            return False
        value = self.game.value(state)
        return bool(value == (1 if self.game.to_move(state) == player else -1))

    def can_win(self, state: State, player: int) -> bool:
        """Return whether a player's opponent has won, or is to move and can win at once."""
        if self.game.to_move(state) == player:
            return self.wins(state, 1 - player)
        if self.wins(state, 1 - player):
            return True
        for reply in self.game.moves(state):
            if self.wins(self.game.play(state, reply), 1 - player):
                return True
        return False
