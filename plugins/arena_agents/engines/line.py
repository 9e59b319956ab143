"""The moves that led to a position, as far as one player can know."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from arena import Game, Move, State

TRIED = 300  # maximum number of positions searched for the moves between two positions


class Line:
    """A match as one player sees it: a first position, and the moves since.

    start: the first position, which is the game's own start if all moves are known. start_text: its text.
    moves: the texts of the moves. The moves of the opening are passed to `begin`. After that, a player only
    sees the positions in which it is to move; the moves between two such positions are found by search. If
    none are found, the line starts again from the current position.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.begin()

    def begin(self, opening: Sequence[Move] = (), start: str | None = None) -> None:
        """Begin a match in the position with this text, with these opening moves."""
        self.start = self.state = self.game.initial() if start is None else self.game.read_position(start)
        self.start_text = self.game.position_text(self.start) if start is None else start
        self.moves: list[str] = []
        for move in opening:
            self.play(move)

    def reach(self, state: State) -> None:
        """Continue the line to a position."""
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
        """Return the shortest moves from one position to another, None if they are not found quickly."""
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
