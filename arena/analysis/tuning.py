"""Values sought by matches, and held against those from which that began on matches of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from arena.analysis.spsa import PAIRS, Spsa
from arena.ratings.sprt import SCORES, Sprt
from arena.rng import derive

SEEK, CONFIRM = 1, 2  # what seeds are for
GROWTH = 0.05  # of the pairs played, that are played before the test is looked at again

Values: TypeAlias = Sequence[float]
Counts: TypeAlias = Sequence[int]  # of pairs, by the score of one: 0, 1/4, 1/2, 3/4, 1
# plays pairs between two by their values, None as it was entered, with a seed, so many
Play: TypeAlias = Callable[[Values | None, Values | None, int, int], Counts]


def score_of(counts: Counts) -> float:
    """From 0 to 1, a half without pairs."""
    pairs = sum(counts)
    return math.fsum(a * n for a, n in zip(SCORES, counts, strict=True)) / pairs if pairs else 0.5


@dataclass
class Confirmation:
    """Pairs of what was found against the start, after so many iterations, until a test decides.

    most: pairs at most. played: pairs that were, of which those count that are not the same.
    """

    test: Sprt
    most: int
    iterations: int
    counts: list[int] = field(default_factory=lambda: [0] * len(SCORES))
    played: int = 0

    @property
    def decision(self) -> Literal["low", "high"] | None:
        """What the test decided, None as long as it has not."""
        return self.test.decision(self.counts)

    @property
    def over(self) -> bool:
        """Whether no more pairs are played."""
        return self.decision is not None or self.played >= self.most

    @property
    def next_pairs(self) -> int:
        """How many are played before the test is looked at again."""
        return min(max(PAIRS, int(GROWTH * self.played)), self.most - self.played)

    def take(self, pairs: int, counts: Counts) -> None:
        """Add pairs that were played, and their scores."""
        self.counts = [a + b for a, b in zip(self.counts, counts, strict=True)]
        self.played += pairs


def seek(spsa: Spsa, play: Play, seed: int, more: Callable[[], bool]) -> Iterator[Counts]:
    """Iterations, so long as there are to be more; gives the pairs of each, once it is done."""
    while more():
        above, below = spsa.two()
        counts = play(above, below, derive(seed, SEEK, spsa.done), PAIRS)
        spsa.take(score_of(counts))
        yield counts


def confirm(
    confirmation: Confirmation, values: Values, play: Play, seed: int, more: Callable[[], bool]
) -> Iterator[tuple[int, Counts]]:
    """Pairs against the start until the test is over, so long as there are to be more; gives each part."""
    while not confirmation.over and more():
        pairs = confirmation.next_pairs
        part = derive(seed, CONFIRM, confirmation.iterations, confirmation.played)
        counts = play(values, None, part, pairs)
        confirmation.take(pairs, counts)
        yield pairs, counts
