"""Control variates: estimate a score after removing the luck in matches.

If an entry states the probabilities of its moves, the luck in a move is its value minus the expected value
over all moves. Luck has mean 0 for any choice of values. A score minus the luck in its match therefore has
the same mean as the score, and a variance that is smaller the better the values predict results (the
advantage sums of Zinkevich et al. 2006; AIVAT, Burch et al. 2018).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from arena.ratings.student import quantile
from arena.results.decisions import Decisions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FOLDS = 10  # number of folds for cross-fitting; values for each fold are computed from all others
BINS = 32  # maximum number of bins of scores
WIDE, NARROW = 20.0, 4.0  # standard deviations in plies of the two kernels that smooth values
PRIOR = 40.0  # number of decisions at which a mean and its prior have equal weight


@dataclass(frozen=True)
class Estimate:
    """A score over both seats, from 0 to 1, with its 95 % interval.

    Attributes:
        score: The mean score.
        low: Lower end of the interval.
        high: Upper end of the interval.
        variance: Variance of the mean score.
    """

    score: float
    low: float
    high: float
    variance: float

    @classmethod
    def of(cls, scores: Floats) -> Estimate:
        """Return the mean of scores with its interval by Student's t.

        Args:
            scores: float64 [pairs]. Scores of at least two pairs of matches.
        """
        n = len(scores)
        score, variance = float(scores.mean()), float(scores.var(ddof=1)) / n
        half = float(quantile(0.975, n - 1)) * math.sqrt(variance)
        return cls(score, max(score - half, 0.0), min(score + half, 1.0), variance)


@dataclass(frozen=True)
class Controlled:
    """The first entry's score with and without the luck in its matches.

    Attributes:
        control: Name of the source of the values of moves.
        pairs: Number of match pairs: two matches of one round with seats exchanged.
        decisions: Number of random moves whose probabilities are known.
        plain: The score as played.
        controlled: The score minus the luck.
        unsaid: Entries that do not state their move probabilities.
        played_seconds: Time that the matches took.
        asked_seconds: Time that everything else took, mainly the evaluation of moves.
    """

    control: str
    pairs: int
    decisions: int
    plain: Estimate
    controlled: Estimate
    unsaid: Sequence[str]
    played_seconds: float
    asked_seconds: float

    @classmethod
    def of(
        cls,
        control: str,
        decisions: Decisions,
        results: Floats,
        orders: Ints,
        rounds: Ints,
        unsaid: Sequence[str],
        played_seconds: float,
        asked_seconds: float,
    ) -> Controlled | None:
        """Return the scores with and without luck, None if there are fewer than two pairs of matches.

        Args:
            control: Name of the source of the values of moves.
            decisions: The random moves.
            results: float64 [matches]. The first player's score, from 0 to 1.
            orders: int64 [matches]. 0 if the first entry was the first player, else 1.
            rounds: int64 [matches]. The round of each match.
            unsaid: Entries that do not state their move probabilities.
            played_seconds: Time that the matches took.
            asked_seconds: Time that everything else took.
        """
        found = [
            pair_scores(scores, orders, rounds)
            for scores in (results, results - luck(decisions, results, orders, rounds))
        ]
        if len(found[0]) < 2:
            return None
        plain, controlled = map(Estimate.of, found)
        return cls(
            control, len(found[0]), decisions.size, plain, controlled, unsaid, played_seconds, asked_seconds
        )

    @property
    def times(self) -> float | None:
        """How many times more matches plain scores need for this precision; None if all scores are equal."""
        if not self.plain.variance or not self.controlled.variance:
            return None
        return self.plain.variance / self.controlled.variance

    @property
    def sooner(self) -> float | None:
        """The speed-up over reaching the same precision with more matches; below 1 if it is a slow-down."""
        whole = self.played_seconds + self.asked_seconds
        return None if self.times is None or not whole else self.times * self.played_seconds / whole

    def lines(self, first: str) -> Iterator[str]:
        """Yield sentences that describe the result.

        Args:
            first: Name of the first entry, whose score is estimated.
        """
        if not self.decisions:
            yield f"{self.control} found no luck to remove: {self.why()}."
            return
        plain, less = self.plain, self.controlled
        score, low, high = (f"{100 * share:.1f}" for share in (less.score, less.low, less.high))
        yield (
            f"With luck removed by the move scores of {self.control}, {first} scores {score} %, "
            f"95 % from {low} to {high}, instead of {100 * plain.low:.1f} to {100 * plain.high:.1f}."
        )
        if self.unsaid:
            yield f"Only of one entry: {self.why()}."
        if self.times is None or self.sooner is None:
            return
        took = f"It took {self.asked_seconds:.1f} s, the matches {self.played_seconds:.1f} s"
        if self.times <= 1:
            yield f"No gain: equivalent to {self.times:.2f} times the matches. {took}."
        elif self.sooner >= 1:
            yield (
                f"Equivalent to {self.times:.1f} times the matches, "
                f"which would take {self.sooner:.1f} times as long. {took}."
            )
        else:
            yield (
                f"Equivalent to {self.times:.1f} times the matches, which would be "
                f"{1 / self.sooner:.1f} times as fast. {took}."
            )

    def why(self) -> str:
        """Return why there are no decisions with known probabilities."""
        if not self.unsaid:
            return "no move was random"
        names = list(dict.fromkeys(self.unsaid))
        verb = "does" if len(names) == 1 else "do"
        return f"{' and '.join(names)} {verb} not say how likely each move is"

    def to_dict(self) -> dict[str, object]:
        """Return the attributes and both ratios for JSON."""
        return {**asdict(self), "unsaid": list(self.unsaid), "times": self.times, "sooner": self.sooner}


def pair_scores(scores: Floats, orders: Ints, rounds: Ints) -> Floats:
    """Return the first entry's mean score in each round of which both matches exist, float64 [pairs].

    Args:
        scores: float64 [matches]. The first player's score.
        orders: int64 [matches]. 0 if the first entry was the first player, else 1.
        rounds: int64 [matches]. The round of each match.
    """
    own = np.where(orders == 0, scores, 1 - scores)
    numbers, place = np.unique(rounds, return_inverse=True)
    both = np.bincount(place, minlength=len(numbers)) == 2
    found: Floats = np.bincount(place, own, len(numbers))[both] / 2
    return found


def luck(decisions: Decisions, results: Floats, orders: Ints, rounds: Ints) -> Floats:
    """Return the contribution of luck to the first player's score in each match; its mean is 0.

    The value of a move is the mean result of decisions with a similar move score at a similar ply, separately
    for each entry and seat. The values for a match are computed from matches of other rounds (cross-fitting).

    Args:
        decisions: The random moves.
        results: float64 [matches]. The first player's score, from 0 to 1.
        orders: int64 [matches]. 0 if the first entry was the first player, else 1.
        rounds: int64 [matches]. Matches of one round are in the same fold.

    Returns:
        float64 [matches].
    """
    found = np.zeros(len(results))
    if not decisions.size:
        return found
    folds = min(FOLDS, len(np.unique(rounds)))
    if folds < 2:
        return found
    fold = np.unique(rounds, return_inverse=True)[1] % folds
    sizes = np.diff(decisions.first)
    of = np.repeat(np.arange(decisions.size), sizes)  # index of the decision of each move
    groups = 2 * orders[decisions.match] + decisions.seat
    for k in range(folds):
        own = fold[decisions.match] == k
        others = ~own
        if not own.any() or not others.any():
            continue
        bins = Bins(decisions.score[others[of]])
        places = bins.of(decisions.score)
        table = values(
            groups[others], places[decisions.chosen[others]], decisions.ply[others],
            results[decisions.match[others]], bins, int(decisions.ply.max()) + 1,
        )  # fmt: skip
        worth = table[groups[of], places, decisions.ply[of]]
        mean = np.add.reduceat(worth * decisions.probability, decisions.first[:-1])
        gain = worth[decisions.chosen] - mean
        found += np.bincount(decisions.match[own], gain[own], len(found))
    return found


class Bins:
    """Bins of move scores that are treated as equal: one for each score, or quantiles of many scores.

    Attributes:
        edges: float64. The largest score of each bin, except the last bin with scores.
        count: Number of bins. The last bin is for moves without a score.
        near: float64 [count, count]. Weight of each bin in the smoothed mean of another.
    """

    def __init__(self, scores: Floats) -> None:
        known = np.sort(scores[~np.isnan(scores)])
        distinct = np.unique(known)
        many = len(distinct) > BINS
        if many:
            distinct = np.unique(known[len(known) * np.arange(1, BINS + 1) // BINS - 1])
        self.edges = distinct[:-1]
        self.count = len(self.edges) + 2
        self.near = np.eye(self.count)
        if many:
            self.near[:-1, :-1] = density(self.count - 1, 1.0)

    def of(self, scores: Floats) -> Ints:
        """Return the bin of each score, int64 of the same shape."""
        found = np.searchsorted(self.edges, scores)
        return np.where(np.isnan(scores), self.count - 1, found).astype(np.int64)


def values(groups: Ints, places: Ints, plies: Ints, results: Floats, bins: Bins, longest: int) -> Floats:
    """Return smoothed mean results by group, bin and ply.

    The mean over all groups and plies of a bin is the prior of the mean over a wide range of plies, which in
    turn is the prior of the mean over nearby plies. Similar bins and plies are weighted by distance.

    Args:
        groups: int64 [decisions]. Index of the combination of entry to move and seat, from 0 to 3.
        places: int64 [decisions]. Bin of the move that was played.
        plies: int64 [decisions]. Ply of the decision.
        results: float64 [decisions]. Result of the match.
        bins: The bins.
        longest: Number of plies in the table.

    Returns:
        float64 [4, bins, longest].
    """
    shape = 4, bins.count, longest
    index = np.ravel_multi_index((groups, places, plies), shape)
    sums = np.stack(
        [np.bincount(index, minlength=math.prod(shape)), np.bincount(index, results, math.prod(shape))]
    )
    sums = np.einsum("ab,ngbp->ngap", bins.near, sums.reshape(2, *shape))
    found: Floats = np.full((1, 1, 1), results.mean())
    for counts, totals in (
        sums.sum((1, 3))[:, None, :, None],
        sums @ density(longest, WIDE),
        sums @ density(longest, NARROW),
    ):
        found = (totals + PRIOR * found) / (counts + PRIOR)
    return found


def density(size: int, width: float) -> Floats:
    """Return the unnormalised normal density of all distances between indices, float64 [size, size].

    Args:
        size: Number of indices.
        width: Standard deviation.
    """
    apart = np.arange(size)[:, None] - np.arange(size)
    found: Floats = np.exp(-0.5 * (apart / width) ** 2)
    return found
