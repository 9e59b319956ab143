"""Openings in which an entry scores less than its rating predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arena.commands.coach.matches import Played
from arena.commands.coach.predicted_scores import predicted_scores, rated_matches
from arena.commands.coach.result import WeakOpening
from arena.ratings import student
from arena.ratings.clustered_share import corrected

PLIES = 4  # length of the opening of matches that started without one
FEWEST = 5  # smallest number of matches of an opening
LIKELY = 0.05  # largest corrected p-value of an opening to report
SEATS = ("first", "second")


def weak_openings(played: Sequence[Played], ratings: Mapping[str, float], entry: str) -> list[WeakOpening]:
    """Return the openings in which an entry scores significantly less than expected, the worst first.

    The expected score depends on the ratings of both players, and on how much more or less the entry scores
    from the same seat than its rating predicts over all openings. The scores of the matches of an opening are
    compared with it by Student's t-test, with the variance of all matches.

    Args:
        played: The entry's matches.
        ratings: Ratings in Elo points, by entry.
        entry: The entry.
    """
    rated = rated_matches(played, ratings, entry)
    if len(rated) < 2 * FEWEST:
        return []
    expected = predicted_scores(rated, ratings, entry)
    scores = np.array([one.score for one in rated])
    rest = scores - expected
    spread = float(rest.std(ddof=1))
    groups: dict[tuple[str, int], list[int]] = {}
    for i, one in enumerate(rated):
        groups.setdefault((opening_of(one), one.seat), []).append(i)
    groups = {key: group for key, group in groups.items() if len(group) >= FEWEST}
    if len(groups) < 2 or not spread:
        return []
    deviates = [float(rest[group].mean()) * len(group) ** 0.5 / spread for group in groups.values()]
    chances = corrected([float(student.cdf(x, float(len(rated) - 1))) for x in deviates])
    found = [
        WeakOpening(text, SEATS[seat], len(group), mean(scores[group]), mean(expected[group]), p)
        for ((text, seat), group), p in zip(groups.items(), chances, strict=True)
        if p <= LIKELY
    ]
    return sorted(found, key=lambda one: (one.score - one.expected) * one.matches)


def mean(numbers: NDArray[np.float64]) -> float:
    """Return the mean of some numbers."""
    return float(numbers.mean())


def opening_of(one: Played) -> str:
    """Return the opening of a match as text: the moves of its opening, or its first moves."""
    record = one.record
    words = record.moves.split()[: record.opening or (0 if record.start else PLIES)]
    return " ".join([*([record.start] if record.start else []), *words]) or "the start"
