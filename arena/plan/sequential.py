"""A match that goes on until a sequential test between its two entries is decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.api.format import Format, Stage, Standing
from arena.api.options import option
from arena.errors import ArenaError
from arena.ratings.sprt import Sprt
from arena.ratings.verdict import signed
from arena.wording import either

FIRST, STEP, GROWTH = 10, 4, 0.05  # pairs before the first look, and until the next: a number, or a share


class Sequential(Format):
    """Play two until a test accepts either difference in normalised Elo; by `arena match --sprt`.

    It is looked at after fixed numbers of pairs, ever more seldom.
    """

    optional_stopping = True
    low: float = option(0.0, "a difference in normalised Elo")
    high: float = option(5.0, "a larger one")
    alpha: float = option(0.05, "how likely it may accept high where low is so")
    beta: float = option(0.05, "how likely it may accept low where high is so")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        Sprt(**options)

    @property
    def test(self) -> Sprt:
        """ArenaError for what is no test."""
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
    """The error where others are to play for a test, too."""
    how = either("'arena match A B --sprt LOW,HIGH'", "arena.match(A, B, sprt=(LOW, HIGH))")
    return ArenaError(f"sprt is a test between two; play {how}")


def pairs_of(standing: Standing) -> list[int]:
    """Pairs by the first entry's score."""
    found: list[int] = standing.pairs[0, 1].tolist()
    return found


def repeats(standing: Standing) -> bool:
    """Whether all matches of the last stage repeat others."""
    return standing.stages > 0 and not standing.fresh.any()
