"""Is the one better than the other? What their matches against each other say."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from arena.ratings.statistics import POINTS, wilson


@dataclass(frozen=True)
class Verdict:
    """How one fared against another over both seats.

    score: of the matches, from 0 to 1. elo: the difference in points that goes with it, elo_low and elo_high:
    its 95 % interval; infinite where all was won or lost. superiority: the likelihood that it is the better
    one, from 0 to 1.
    """

    score: float
    elo: float
    elo_low: float
    elo_high: float
    superiority: float

    @classmethod
    def of(cls, wins: int, draws: int, losses: int) -> Verdict:
        """Of at least one match. The interval is that of a share (Wilson 1927), draws being half a win."""
        matches = wins + draws + losses
        score = (wins + draws / 2) / matches
        low, high = wilson(score, matches)
        decided = wins + losses
        z = (wins - losses) / math.sqrt(decided) if decided else 0.0
        superiority = (1 + math.erf(z / math.sqrt(2))) / 2
        return cls(score, elo_of(score), elo_of(low), elo_of(high), superiority)

    def to_dict(self) -> dict[str, float | None]:
        """For JSON, where what is infinite is null."""
        return {name: None if math.isinf(value) else value for name, value in asdict(self).items()}

    def text(self, first: str, second: str) -> str:
        """`a scores 60.0 % against b: Elo +70, 95 % from +1 to +143; better with a likelihood of 97.7 %.`"""
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
