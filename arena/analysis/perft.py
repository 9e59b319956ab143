"""Perft: counts of lines of play, to test rules against published counts."""

from __future__ import annotations

from collections.abc import Iterator

from arena.api.component import Component, compiled
from arena.api.game import Game, State
from arena.api.rulings import blaming, legal_moves
from arena.compiler import is_compiled

MANY = 50_000  # number of positions above which compiled code that counts each line is faster


class Lines(Component):
    """Counts lines of play one by one."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @compiled
    def count(self, state: State, depth: int) -> int:
        """Return the number of lines of `depth` plies, at least 1, from a position."""
        if depth == 1:
            return len(self.game.moves(state))
        total = 0
        for move in self.game.moves(state):
            total += self.count(self.game.play(state, move), depth - 1)
        return total


def perft(game: Game, state: State, depth: int) -> Iterator[int]:
    """Yield the number of lines of play of 1, 2, … `depth` plies from a position.

    Lines that transpose into the same position are counted together. If there are many positions, and the
    game compiles, compiled code counts each line.

    Raises:
        GameFault: If the rules fail.
    """
    lines = {state: 1}
    for ply in range(1, depth + 1):
        with blaming(game):
            if len(lines) > MANY and is_compiled(counting := Lines(game)):
                yield from (counting.count(state, deeper) for deeper in range(ply, depth + 1))
                return
            after: dict[State, int] = {}
            total = 0
            for position, ways in lines.items():
                moves = legal_moves(game, position)
                total += ways * len(moves)
                for move in moves if ply < depth else ():
                    reached = game.play(position, move)
                    after[reached] = after.get(reached, 0) + ways
            yield total
            lines = after
