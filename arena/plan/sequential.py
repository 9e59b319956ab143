"""The format of a match that is played until a sequential test between its two entries is decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.api.format import Format, Stage, Standing
from arena.api.options import option
from arena.errors import ArenaError
from arena.ratings.sprt import Sprt
from arena.ratings.verdict import signed
from arena.texts import either

# pairs of matches before the first test; then at least STEP pairs, or this share of those already played
FIRST, STEP, GROWTH = 10, 4, 0.05


class Sequential(Format):
    """Play two entries until a test accepts one of two differences in normalised Elo.

    Used by `arena match --sprt`. The test is evaluated at fixed numbers of pairs, at growing intervals.
    """

    optional_stopping = True
    low: float = option(0.0, "a difference in normalised Elo")
    high: float = option(5.0, "a larger one")
    alpha: float = option(0.05, "probability of accepting high if low is true")
    beta: float = option(0.05, "probability of accepting low if high is true")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        Sprt(**options)

    @property
    def test(self) -> Sprt:
        """The test; raises ArenaError if the options define none."""
        return Sprt(self.low, self.high, self.alpha, self.beta)

    def check_entries(self, entries: int) -> None:
        raise of_two_alone()

    def next_stage(self, standing: Standing) -> Stage | None:
        if self.test.decision(pairs_of(standing)) or repeats(standing):
            return None
        pairs = standing.matches // 2
        return Stage(((0, 1), (1, 0)), max(STEP, int(GROWTH * pairs)) if pairs else FIRST)

    def progress(self, standing: Standing) -> str:
        low, high = self.test.bounds
        ratio = self.test.ratio(pairs_of(standing))
        return f"LLR {signed(ratio, 2)}, from {signed(low, 2)} to {signed(high, 2)}"


def of_two_alone() -> ArenaError:
    """Return the error for a sequential test among more than two entries."""
    how = either("'arena match A B --sprt LOW,HIGH'", "arena.match(A, B, sprt=(LOW, HIGH))")
    return ArenaError(f"sprt is a test between two entries; play {how}")


def pairs_of(standing: Standing) -> list[int]:
    """Return the number of pairs by the first entry's score, from 0 to 4 half points."""
    found: list[int] = standing.pairs[0, 1].tolist()
    return found


def repeats(standing: Standing) -> bool:
    """Return whether all matches of the last stage repeat others."""
    return standing.stages > 0 and not standing.fresh.any()
