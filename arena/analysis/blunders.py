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
class BlunderCounts:
    """An entry's moves and blunders, which are moves that give away value, summed over matches.

    moves_squared, blunders_squared, product: sums over matches of moves², blunders² and moves × blunders.
    """

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
        """Half the 95 % interval of `rate`, matches being the samples; None if there are no moves."""
        if not self.moves:
            return None
        rate = self.blunders / self.moves
        spread = self.blunders_squared - 2 * rate * self.product + rate * rate * self.moves_squared
        return SURE * math.sqrt(max(spread, 0.0)) / self.moves


def count_blunders(game: Game, records: Iterable[Record], entries: int) -> list[BlunderCounts]:
    """Of each entry the moves that it chose itself, and how many of them give away value.

    Matches that the rules do not know, of another version say, count up to there. ArenaError if the game has
    too many positions to be solved.
    """
    graph = graph_of(game, remedy=REMEDY)
    given_away = solve(graph).given_away
    totals = [BlunderCounts() for _ in range(entries)]
    moves_by_text: dict[int, dict[str, int]] = {}  # of positions: the numbers of their moves
    for record in records:
        seen = [0, 0], [0, 0]  # of either seat: moves, and blunders
        i = 0
        for ply, text in enumerate(record.moves.split()):
            if i not in moves_by_text:
                numbers = range(int(graph.first[i]), int(graph.first[i + 1]))
                texts = map(game.move_text, graph.moves_of(i))
                moves_by_text[i] = dict(zip(texts, numbers, strict=True))
            k = moves_by_text[i].get(text)
            if k is None:
                break
            if ply >= record.opening:
                counts = seen[graph.movers[i]]
                counts[0] += 1
                counts[1] += bool(given_away[k])
            i = int(graph.after[k])
        totals[record.first].add(*seen[0])
        totals[record.second].add(*seen[1])
    return totals
