"""Decide which of two entries is stronger, from their matches against each other."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from arena.ratings.sprt import SCORES, Counts, root, tilted
from arena.ratings.statistics import POINTS, SURE

UNSEEN = 1e-9  # added to the share of each score so that no share is 0


@dataclass(frozen=True)
class Verdict:
    """The result of an entry against another over both seats.

    Attributes:
        score: Mean score of the pairs of matches, from 0 to 1.
        elo: Difference in Elo points that corresponds to the score; infinite if all matches were won or lost.
        elo_low: Lower end of its 95 % interval.
        elo_high: Upper end of its 95 % interval.
        superiority: Likelihood that the entry is the stronger one, from 0 to 1.
    """

    score: float
    elo: float
    elo_low: float
    elo_high: float
    superiority: float

    @classmethod
    def of_pairs(cls, counts: Counts) -> Verdict:
        """Return the verdict on at least one pair of matches.

        The two matches of a pair share an opening, which often decides their results, so pairs are the
        independent samples. The interval contains all hypothetical true scores from which the mean score
        differs by less than 1.96 standard errors, where the standard error is computed under that hypothesis
        (Wilson 1927 for shares; Tango 1998 for pairs). It therefore has a positive width even if all pairs
        are equal.

        Args:
            counts: Number of pairs with each of the scores in `arena.ratings.sprt.SCORES`.
        """
        score = score_of(counts)
        low = root(lambda mean: distance(counts, mean) - SURE, 0.0, score) if score > 0 else 0.0
        high = root(lambda mean: SURE + distance(counts, mean), score, 1.0) if score < 1 else 1.0
        superiority = (1 + math.erf(distance(counts, 0.5) / math.sqrt(2))) / 2
        return cls(score, elo_of(score), elo_of(low), elo_of(high), superiority)

    def to_dict(self) -> dict[str, float | None]:
        """Return the attributes for JSON, with infinite values replaced by None."""
        return {name: None if math.isinf(value) else value for name, value in asdict(self).items()}

    def text(self, first: str, second: str) -> str:
        """Return a sentence such as `a scores 60.0 % against b: Elo +70, 95 % from +1 to +143`."""
        if math.isinf(self.elo_high):
            elo = f"95 % from {signed(self.elo_low)} up"
        elif math.isinf(self.elo_low):
            elo = f"95 % up to {signed(self.elo_high)}"
        else:
            elo = f"{signed(self.elo)}, 95 % from {signed(self.elo_low)} to {signed(self.elo_high)}"
        return (
            f"{first} scores {100 * self.score:.1f} % against {second}: Elo {elo}; "
            f"better with a likelihood {likelihood(self.superiority)}."
        )


def score_of(counts: Counts) -> float:
    """Return the mean score of pairs, from 0 to 1."""
    return math.fsum(n * score for n, score in zip(counts, SCORES, strict=True)) / sum(counts)


def distance(counts: Counts, mean: float) -> float:
    """Return the number of standard errors by which the mean score exceeds a hypothetical true mean.

    The standard error is computed from the score probabilities that have this mean and make the counts most
    likely.

    Args:
        counts: Number of pairs with each score.
        mean: The hypothetical mean, above 0 and below 1.
    """
    pairs = sum(counts)
    seen = [n / pairs + UNSEEN for n in counts]
    shares = tilted([n / math.fsum(seen) for n in seen], [score - mean for score in SCORES])
    variance = math.fsum(p * (score - mean) ** 2 for p, score in zip(shares, SCORES, strict=True))
    return (score_of(counts) - mean) / math.sqrt(variance / pairs)


def elo_of(score: float) -> float:
    """Return the difference in Elo points that corresponds to an expected score; infinite at 0 and 1."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return POINTS * math.log(score / (1 - score))


def likelihood(share: float) -> str:
    """Return a likelihood as text: `of 97.7 %`, `over 99.9 %`, `below 0.1 %`."""
    if share > 0.999:
        return "over 99.9 %"
    return "below 0.1 %" if share < 0.001 else f"of {100 * share:.1f} %"


def signed(points: float, digits: int = 0) -> str:
    """Return points with their sign as text: `+36`, `−271`."""
    return f"{points:+.{digits}f}".replace("-", "−")
