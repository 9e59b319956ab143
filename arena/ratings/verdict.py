"""Is the one better than the other? What their matches against each other say."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from arena.ratings.sprt import SCORES, Counts, root, tilted
from arena.ratings.statistics import POINTS, SURE

UNSEEN = 1e-9  # the share of a score that no pair has had


@dataclass(frozen=True)
class Verdict:
    """How one fared against another over both seats.

    score: of pairs of matches, from 0 to 1. elo: the difference in points that goes with it, elo_low and
    elo_high: its 95 % interval; infinite where all was won or lost. superiority: the likelihood that it is
    the better one, from 0 to 1.
    """

    score: float
    elo: float
    elo_low: float
    elo_high: float
    superiority: float

    @classmethod
    def of_pairs(cls, counts: Counts) -> Verdict:
        """Of at least one pair of matches, counted by scores as in `arena.ratings.sprt`.

        Which match of a pair is won often depends on the opening: it is pairs that are samples. The interval
        has the scores from which theirs differs by less than 1.96 standard errors, as large as these are if
        that score is the true one (Wilson 1927, of shares; Tango 1998, of pairs). So it is wide also where
        all pairs are equal.
        """
        score = score_of(counts)
        low = root(lambda mean: distance(counts, mean) - SURE, 0.0, score) if score > 0 else 0.0
        high = root(lambda mean: SURE + distance(counts, mean), score, 1.0) if score < 1 else 1.0
        superiority = (1 + math.erf(distance(counts, 0.5) / math.sqrt(2))) / 2
        return cls(score, elo_of(score), elo_of(low), elo_of(high), superiority)

    def to_dict(self) -> dict[str, float | None]:
        """For JSON, where what is infinite is null."""
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
    """The mean score of pairs, from 0 to 1."""
    return math.fsum(n * score for n, score in zip(counts, SCORES, strict=True)) / sum(counts)


def distance(counts: Counts, mean: float) -> float:
    """How many standard errors the score of pairs is above a mean, between 0 and 1, if that is the true one.

    The errors are those of the probabilities with this mean under which the counts are the likeliest.
    """
    pairs = sum(counts)
    seen = [n / pairs + UNSEEN for n in counts]
    shares = tilted([n / math.fsum(seen) for n in seen], [score - mean for score in SCORES])
    variance = math.fsum(p * (score - mean) ** 2 for p, score in zip(shares, SCORES, strict=True))
    return (score_of(counts) - mean) / math.sqrt(variance / pairs)


def elo_of(score: float) -> float:
    """The difference in Elo points at which this score is expected; infinite at 0 and 1."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return POINTS * math.log(score / (1 - score))


def likelihood(share: float) -> str:
    """`of 97.7 %`, `over 99.9 %`, `below 0.1 %`."""
    if share > 0.999:
        return "over 99.9 %"
    return "below 0.1 %" if share < 0.001 else f"of {100 * share:.1f} %"


def signed(points: float, digits: int = 0) -> str:
    """`+36`, `−271`."""
    return f"{points:+.{digits}f}".replace("-", "−")
