"""The state or outcome of a sequential test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from arena.ledger.stages import Stages
from arena.plan.sequential import Sequential, pairs_of, repeats
from arena.ratings.verdict import signed
from arena.texts import argument


@dataclass(frozen=True)
class Tested:
    """The state or outcome of a sequential test of normalised Elo differences; see `arena.ratings.sprt`.

    Attributes:
        low: Difference of the lower hypothesis, in normalised Elo.
        high: Difference of the higher hypothesis, in normalised Elo.
        alpha: Probability of accepting `high` if `low` is true.
        beta: Probability of accepting `low` if `high` is true.
        pairs: Number of match pairs in which the first entry scored 0, 1/2, 1, 3/2 and 2 points.
        ratio: Log-likelihood ratio.
        bounds: Lower and upper bound of the ratio.
        decision: The accepted hypothesis; None while the test is undecided.
        elo: Difference in normalised Elo, once decided.
        elo_low: Lower end of its 95 % interval.
        elo_high: Upper end of its 95 % interval.
        repeats: Whether the test ended without a decision because matches only repeat others.
    """

    low: float
    high: float
    alpha: float
    beta: float
    pairs: tuple[int, int, int, int, int]
    ratio: float
    bounds: tuple[float, float]
    decision: Literal["low", "high"] | None
    elo: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None
    repeats: bool = False

    @classmethod
    def of(cls, stages: Stages) -> Tested:
        """Return the state of the sequential test of a tournament.

        Raises:
            ValueError: If its format is not a sequential test.
        """
        if not isinstance(stages.format, Sequential):
            raise ValueError("there is no test")
        test, standing = stages.format.test, stages.standing()
        (a, b, c, d, e) = counted = pairs_of(standing)
        decision = test.decision(counted)
        repeated = not decision and repeats(standing)
        found = cls(
            test.low, test.high, test.alpha, test.beta, (a, b, c, d, e), test.ratio(counted), test.bounds,
            decision, repeats=repeated,
        )  # fmt: skip
        if not decision:
            return found
        elo, low, high = test.estimate(counted)
        return replace(found, elo=elo, elo_low=low, elo_high=high)

    def lines(self) -> Iterator[str]:
        """Yield sentences that describe the test."""
        a, b, c, d, e = (f"{count:,}" for count in self.pairs)
        lower, upper = self.bounds
        accepted = {"low": self.low, "high": self.high}
        what = f"{accepted[self.decision]:g} accepted" if self.decision else "open"
        yield (
            f"SPRT of {self.low:g} against {self.high:g} normalised Elo: {what} after {sum(self.pairs):,} "
            f"pairs, LLR {signed(self.ratio, 2)} (from {signed(lower, 2)} to {signed(upper, 2)})."
        )
        yield f"Points of a pair: 0 in {a}, 1/2 in {b}, 1 in {c}, 3/2 in {d}, 2 in {e}."
        if self.elo is not None:
            elo, low, high = (signed(number or 0.0, 1) for number in (self.elo, self.elo_low, self.elo_high))
            yield f"Normalised Elo {elo}, 95 % from {low} to {high}."
        if self.repeats:
            yield f"It ended as matches repeat others; {argument('openings', 'random:N')} makes them differ."
