"""Recorded matches held against the exact solution of their game."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from arena.analysis.graph import graph_of
from arena.analysis.solution import solve
from arena.api.game import Game
from arena.ratings.statistics import SURE
from arena.results.record import Record

REMEDY = "leave --blunders out"


@dataclass
class Sums:
    """Over matches: of an entry's moves in each, of those that give away value, of squares and products."""

    moves: int = 0
    blunders: int = 0
    moves_squared: int = 0
    blunders_squared: int = 0
    product: int = 0

    def add(self, moves: int, blunders: int) -> None:
        """One more match."""
        self.moves += moves
        self.blunders += blunders
        self.moves_squared += moves * moves
        self.blunders_squared += blunders * blunders
        self.product += moves * blunders

    @property
    def rate(self) -> float | None:
        """The share of moves that give away value; None if there are no moves."""
        return self.blunders / self.moves if self.moves else None

    @property
    def error(self) -> float | None:
        """Half the 95 % interval of that, matches being independent and the moves of one not."""
        if not self.moves:
            return None
        rate = self.blunders / self.moves
        spread = self.blunders_squared - 2 * rate * self.product + rate * rate * self.moves_squared
        return SURE * math.sqrt(max(spread, 0.0)) / self.moves


def count_blunders(game: Game, records: Iterable[Record], entries: int) -> list[Sums]:
    """Of each entry the moves that it chose itself, and how many of them give away value.

    Matches that the rules do not know, of another version say, count up to there. ArenaError if the game has
    too many positions to be solved.
    """
    graph = graph_of(game, remedy=REMEDY)
    given_away = solve(graph).given_away
    found = [Sums() for _ in range(entries)]
    known: dict[int, dict[str, int]] = {}  # of positions: their moves by text
    for record in records:
        seen = [0, 0], [0, 0]  # of either seat: moves, and blunders
        i = 0
        for ply, text in enumerate(record.moves.split()):
            if i not in known:
                numbers = range(int(graph.first[i]), int(graph.first[i + 1]))
                known[i] = {game.move_text(m): k for m, k in zip(graph.moves_of(i), numbers, strict=True)}
            k = known[i].get(text)
            if k is None:
                break
            if ply >= record.opening:
                own = seen[graph.movers[i]]
                own[0] += 1
                own[1] += bool(given_away[k])
            i = int(graph.after[k])
        found[record.first].add(*seen[0])
        found[record.second].add(*seen[1])
    return found
