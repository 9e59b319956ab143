"""Opponents against which an entry scores less than its rating predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from arena.commands.coach.matches import Played
from arena.commands.coach.predicted_scores import predicted_scores, rated_matches
from arena.commands.coach.result import HardOpponent
from arena.ratings import student
from arena.ratings.clustered_share import corrected, wilson_of

FEWEST = 10  # smallest number of matches against an opponent
LIKELY = 0.05  # largest corrected p-value of an opponent to report


def hard_opponents(played: Sequence[Played], ratings: Mapping[str, float], entry: str) -> list[HardOpponent]:
    """Return the opponents against which an entry scores significantly less than predicted, the worst first.

    The scores of the matches against an opponent are compared with the predicted ones by Student's t-test,
    with the variance of all matches, corrected for the number of opponents. The 95 % interval of the score
    (Wilson's, which is never too narrow if there are draws) must be below the predicted score, too.

    Args:
        played: The entry's matches.
        ratings: Ratings in Elo points, by entry.
        entry: The entry.
    """
    rated = rated_matches(played, ratings, entry)
    groups: dict[str, list[int]] = {}
    for i, one in enumerate(rated):
        groups.setdefault(one.opponent, []).append(i)
    if len(groups) < 2:  # then its rating is that of these matches alone
        return []
    expected = predicted_scores(rated, ratings, entry)
    scores = np.array([one.score for one in rated])
    rest = scores - expected
    spread = float(rest.std(ddof=1))
    groups = {name: group for name, group in groups.items() if len(group) >= FEWEST}
    if not groups or not spread:
        return []
    deviates = [float(rest[group].mean()) * len(group) ** 0.5 / spread for group in groups.values()]
    chances = corrected([float(student.cdf(x, float(len(rated) - 1))) for x in deviates])
    found = []
    for (name, group), chance in zip(groups.items(), chances, strict=True):
        score, predicted = float(scores[group].mean()), float(expected[group].mean())
        low, high = wilson_of(score, len(group))
        if chance <= LIKELY and high < predicted:
            found.append(HardOpponent(name, len(group), score, low, high, predicted, chance))
    return sorted(found, key=lambda one: one.score - one.expected)
