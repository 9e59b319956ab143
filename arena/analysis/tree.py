"""The tree of trials against an entry: bounds of the score after each move, and mean scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.api.game import Move
from arena.rng import Rng

EQUAL = 1e-12  # scores that differ by less are equal
CURIOSITY = 0.5  # exploration constant of UCB1 (Auer, Cesa-Bianchi & Fischer 2002)
PRIOR, OTHERS = 0.6, 0.3  # prior scores of a guide's move, and of other moves


class Node:
    """A position in the tree; either the response or an entry with known move probabilities is to move.

    Attributes:
        moves: The legal moves.
        odds: [moves], the entry's probabilities; None if the response is to move.
        tries: [moves], number of trials.
        sums: [moves], sums of their scores.
        lows: [moves], lower bounds of the response's score after each move if it continues optimally.
        highs: [moves], upper bounds of these scores.
        guided: Index of the move that each guide would make, by guide.
        won: Whether the response wins according to a solver.
    """

    __slots__ = ("guided", "highs", "lows", "moves", "odds", "sums", "tries", "won")

    def __init__(self, moves: Sequence[Move], odds: Sequence[float] | None = None) -> None:
        self.moves, self.odds = moves, odds
        self.tries, self.sums = [0] * len(moves), [0.0] * len(moves)
        self.lows, self.highs = [0.0] * len(moves), [1.0] * len(moves)
        self.guided: dict[int, int] = {}  # the move that each guide would make
        self.won = False

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bounds of the score from this position on."""
        if self.won:
            return 1.0, 1.0
        if self.odds is None:
            return max(self.lows), max(self.highs)
        return self.expected(self.lows), self.expected(self.highs)

    def expected(self, scores: Sequence[float]) -> float:
        """Return the mean of scores, [moves], weighted by the entry's probabilities."""
        return math.fsum(p * score for p, score in zip(self.odds or (), scores, strict=True))

    def open(self, i: int) -> bool:
        """Return whether the bounds after move `i` still differ."""
        return self.highs[i] - self.lows[i] > EQUAL

    def to_try(self, guided: int) -> int:
        """Return the index of the most promising move by UCB1 of those that may improve the lower bound."""
        least, total = self.bounds[0], math.log(2 + sum(self.tries))

        def promise(i: int) -> float:
            if not self.open(i) or self.highs[i] <= least + EQUAL:
                return -1.0
            return self.mean(i, guided) + CURIOSITY * math.sqrt(total / (1 + self.tries[i]))

        return max(range(len(self.moves)), key=promise)

    def mean(self, i: int, guided: int) -> float:
        """Return the mean score of a move's trials, counting its prior score as one trial."""
        mean = (self.sums[i] + (PRIOR if i == guided else OTHERS)) / (1 + self.tries[i])
        return min(max(mean, self.lows[i]), self.highs[i])

    def to_play(self, guided: int) -> int:
        """Return the index of the best known move, by guaranteed score or otherwise by number of trials."""
        tried = max(range(len(self.moves)), key=lambda i: self.tries[i] + 2 * (i == guided))
        sure = max(range(len(self.moves)), key=lambda i: (self.lows[i], i == guided))
        if self.lows[sure] > 0 and self.lows[sure] >= self.mean(tried, guided) - EQUAL:
            return sure
        return tried

    def draw(self, rng: Rng) -> int:
        """Return the index of a move drawn with the entry's probabilities, only open ones if any are."""
        odds = self.odds or ()
        some = [i for i, p in enumerate(odds) if p > 0 and self.open(i)] or [
            i for i, p in enumerate(odds) if p > 0
        ]
        at = rng.random() * math.fsum(odds[i] for i in some) if len(some) > 1 else 0.0
        for i in some:
            at -= odds[i]
            if at < 0:
                return i
        return some[-1]

    def take(self, i: int, score: float, low: float, high: float) -> float:
        """Add a trial after move `i`, and return its score for this node.

        Args:
            i: Index of the move.
            score: The trial's score for the response.
            low: Lower bound of the score after the move.
            high: Upper bound of the score after the move.
        """
        self.lows[i], self.highs[i] = max(self.lows[i], low), min(self.highs[i], high)
        self.tries[i] += 1
        self.sums[i] += score
        if self.odds is None:
            return max(score, self.bounds[0])
        known = [j for j, p in enumerate(self.odds) if p > 0 and j != i and not self.open(j)]
        sure = math.fsum(self.odds[j] for j in known)
        return math.fsum(self.odds[j] * self.lows[j] for j in known) + (1 - sure) * score
