"""Tune values by matches, and confirm the result against the start values in separate matches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from arena.analysis.spsa import PAIRS, Spsa
from arena.ratings.sprt import SCORES, Sprt
from arena.rng import derive

SEEK, CONFIRM = 1, 2  # streams of seeds
GROWTH = 0.05  # after this fraction of the pairs played so far, the test is evaluated again

Values: TypeAlias = Sequence[float]
Counts: TypeAlias = Sequence[int]  # counts of pairs by score: 0, 1/4, 1/2, 3/4, 1
# plays pairs between agents with two sets of values (None: as entered), given a seed and a number of pairs
Play: TypeAlias = Callable[[Values | None, Values | None, int, int], Counts]


def score_of(counts: Counts) -> float:
    """Return the mean score, from 0 to 1, of pairs counted by score; 1/2 if there are no pairs."""
    pairs = sum(counts)
    return math.fsum(a * n for a, n in zip(SCORES, counts, strict=True)) / pairs if pairs else 0.5


@dataclass
class Confirmation:
    """A sequential test of the tuned values against the start values.

    Attributes:
        test: The test.
        most: Largest number of pairs.
        iterations: Number of iterations of the search that found the values.
        counts: Counts of pairs by score, without repeated pairs.
        played: Pairs played, including repeated ones.
    """

    test: Sprt
    most: int
    iterations: int
    counts: list[int] = field(default_factory=lambda: [0] * len(SCORES))
    played: int = 0

    @property
    def decision(self) -> Literal["low", "high"] | None:
        """The test's decision; None while it is undecided."""
        return self.test.decision(self.counts)

    @property
    def over(self) -> bool:
        """Return whether the test is decided or all pairs are played."""
        return self.decision is not None or self.played >= self.most

    @property
    def next_pairs(self) -> int:
        """The number of pairs to play before the test is evaluated again."""
        return min(max(PAIRS, int(GROWTH * self.played)), self.most - self.played)

    def take(self, pairs: int, counts: Counts) -> None:
        """Add a number of pairs played and their counts by score."""
        self.counts = [a + b for a, b in zip(self.counts, counts, strict=True)]
        self.played += pairs


def seek(spsa: Spsa, play: Play, seed: int, more: Callable[[], bool]) -> Iterator[Counts]:
    """Run iterations of the search while `more` returns True, and yield the counts of pairs of each."""
    while more():
        above, below = spsa.two()
        counts = play(above, below, derive(seed, SEEK, spsa.done), PAIRS)
        spsa.take(score_of(counts))
        yield counts


def confirm(
    confirmation: Confirmation, values: Values, play: Play, seed: int, more: Callable[[], bool]
) -> Iterator[tuple[int, Counts]]:
    """Play pairs against the start values while the test is undecided and `more` returns True.

    Yields:
        The number of pairs played in each batch, and their counts.
    """
    while not confirmation.over and more():
        pairs = confirmation.next_pairs
        part = derive(seed, CONFIRM, confirmation.iterations, confirmation.played)
        counts = play(values, None, part, pairs)
        confirmation.take(pairs, counts)
        yield pairs, counts
