"""Control variates: what chance did in a match, taken out of its score.

Where an entry moves with known probabilities, what the move it made is worth less what its moves are worth on
average is luck: it is 0 on average, whatever values are used. A score less the luck in its match has the same
mean, and spreads the less, the better the values foretell how matches between the two end (the advantage sums
of Zinkevich et al. 2006; AIVAT, Burch et al. 2018).
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

FOLDS = 10  # values come of the matches of all but one of so many parts, for those of that one
BINS = 32  # of scores, at most
WIDE, NARROW = 20.0, 4.0  # plies, of the normal densities by which decisions count for those of other plies
PRIOR = 40.0  # decisions of which a mean has half its weight, its prior the other half


@dataclass(frozen=True)
class Estimate:
    """A score over both seats, from 0 to 1, with its 95 % interval. variance: of the score."""

    score: float
    low: float
    high: float
    variance: float

    @classmethod
    def of(cls, scores: Floats) -> Estimate:
        """By Student's t, of float64 [pairs], the scores of at least two pairs of matches."""
        n = len(scores)
        score, variance = float(scores.mean()), float(scores.var(ddof=1)) / n
        half = float(quantile(0.975, n - 1)) * math.sqrt(variance)
        return cls(score, max(score - half, 0.0), min(score + half, 1.0), variance)


@dataclass(frozen=True)
class Controlled:
    """The first entry's score less the luck in its matches, and without that, as pairs of matches have it.

    control: who said what moves are worth. pairs: of a round's matches, one from either seat. decisions:
    moves that were left to chance, and of which their entries say how. unsaid: entries that do not say that.
    played_seconds: the matches took; asked_seconds: the rest.
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
        """Of matches as `luck` has them; None unless there are two pairs."""  # fmt: skip
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
        """As how many times the matches; None where scores do not differ."""
        if not self.plain.variance or not self.controlled.variance:
            return None
        return self.plain.variance / self.controlled.variance

    @property
    def sooner(self) -> float | None:
        """How many times as soon an interval of that width comes, beside more matches."""
        whole = self.played_seconds + self.asked_seconds
        return None if self.times is None or not whole else self.times * self.played_seconds / whole

    def lines(self, first: str) -> Iterator[str]:
        """In words. first: the name of the entry whose score it is."""
        if not self.decisions:
            yield f"There is no luck for {self.control} to take out: {self.why()}."
            return
        plain, less = self.plain, self.controlled
        score, low, high = (f"{100 * share:.1f}" for share in (less.score, less.low, less.high))
        yield (
            f"Less the luck in moves, as {self.control} values them, {first} scores {score} %, "
            f"95 % from {low} to {high}, in place of {100 * plain.low:.1f} to {100 * plain.high:.1f}."
        )
        if self.unsaid:
            yield f"Only of one entry: {self.why()}."
        if self.times is None or self.sooner is None:
            return
        took = f"It took {self.asked_seconds:.1f} s, and the matches {self.played_seconds:.1f} s"
        if self.times <= 1:
            yield f"That gains nothing: as {self.times:.2f} times the matches would. {took}."
        elif self.sooner >= 1:
            yield f"As {self.times:.1f} times the matches would, {self.sooner:.1f} times as soon. {took}."
        else:
            yield (
                f"As {self.times:.1f} times the matches would, which would be there "
                f"{1 / self.sooner:.1f} times as soon. {took}."
            )

    def why(self) -> str:
        """Why there are no decisions of an entry."""
        if not self.unsaid:
            return "no move was left to chance"
        names = list(dict.fromkeys(self.unsaid))
        verb = "does" if len(names) == 1 else "do"
        return f"{' and '.join(names)} {verb} not say how likely each move is"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {**asdict(self), "unsaid": list(self.unsaid), "times": self.times, "sooner": self.sooner}


def pair_scores(scores: Floats, orders: Ints, rounds: Ints) -> Floats:
    """The first entry's score in each round that has both its matches: float64 [pairs].

    scores: float64 [matches], the first player's.
    """
    own = np.where(orders == 0, scores, 1 - scores)
    numbers, place = np.unique(rounds, return_inverse=True)
    both = np.bincount(place, minlength=len(numbers)) == 2
    found: Floats = np.bincount(place, own, len(numbers))[both] / 2
    return found


def luck(decisions: Decisions, results: Floats, orders: Ints, rounds: Ints) -> Floats:
    """What chance added to the first player's score in each match: float64 [matches], 0 on average.

    results: float64 [matches], the first player's score, from 0 to 1. orders: int64 [matches], 0 or 1, which
    of the two entries was first. rounds: int64 [matches]; those of one round are in one part.

    Values are mean results, by who is who, a move's score, and the ply. Those used for a match are of others.
    """
    found = np.zeros(len(results))
    if not decisions.size:
        return found
    folds = min(FOLDS, len(np.unique(rounds)))
    if folds < 2:
        return found
    fold = np.unique(rounds, return_inverse=True)[1] % folds
    sizes = np.diff(decisions.first)
    of = np.repeat(np.arange(decisions.size), sizes)  # the decision of each move
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
    """Scores that count as equal: each by itself if they are few, else as many in each bin.

    edges: float64, the greatest score of each bin but the last. near: float64 [count, count], how much each
    has in common with another. What has no score has a bin of its own, the last.
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
        """The bin of each: int64."""
        found = np.searchsorted(self.edges, scores)
        return np.where(np.isnan(scores), self.count - 1, found).astype(np.int64)


def values(groups: Ints, places: Ints, plies: Ints, results: Floats, bins: Bins, longest: int) -> Floats:
    """Mean results by group, bin and ply, those of near bins and plies the more: float64 [4, bins, longest].

    Those of a bin in all groups and plies are the prior of those in wide reach, and these of those nearby.
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
    """The normal density, but for a factor, of how far places are from each other: float64 [size, size]."""
    apart = np.arange(size)[:, None] - np.arange(size)
    found: Floats = np.exp(-0.5 * (apart / width) ** 2)
    return found
