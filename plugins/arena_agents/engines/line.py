"""The moves that led to a position, as far as one player can tell."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from arena import Game, Move, State

TRIED = 300  # positions that are looked at for the moves between two


class Line:
    """A match as one player sees it: a first position, and the moves since.

    start: the position; the game's own where the moves from there are known. start_text: its text. moves:
    their texts. The opening is given. Later a player sees the positions where it is to move, and the moves
    between two of them are found by search: if there are none, the line begins anew.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.begin()

    def begin(self, opening: Sequence[Move] = (), start: str | None = None) -> None:
        """Begin a match, whose first moves are these, in the position with this text."""
        self.start = self.state = self.game.initial() if start is None else self.game.read_position(start)
        self.start_text = self.game.position_text(self.start) if start is None else start
        self.moves: list[str] = []
        for move in opening:
            self.play(move)

    def reach(self, state: State) -> None:
        """Set the position on the board."""
        between = self.between(self.state, state)
        if between is None:
            self.start, self.moves = state, []
            self.start_text = self.game.position_text(state)
        else:
            self.moves += map(self.game.move_text, between)
        self.state = state

    def play(self, move: Move) -> None:
        """Add a move."""
        self.moves.append(self.game.move_text(move))
        self.state = self.game.play(self.state, move)

    def between(self, before: State, after: State) -> list[Move] | None:
        """Return the fewest moves that lead from one position to another, None if they are not soon found."""
        paths: deque[tuple[State, list[Move]]] = deque([(before, [])])
        left = TRIED
        if before == after:
            return []
        while paths:
            state, path = paths.popleft()
            for move in self.game.moves(state):
                reached = self.game.play(state, move)
                if reached == after:
                    return [*path, move]
                left -= 1
                if not left:
                    return None
                paths.append((reached, [*path, move]))
        return None
