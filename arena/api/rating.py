"""The base class of rating systems, which compute ratings from results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from arena.api.options import Configurable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    ByOpening: TypeAlias = NDArray[np.int64]

CONFIDENCE = 0.95  # of each interval, and of all ranges of ranks together


class Spread(NamedTuple):
    """The standard deviation of the true ratings of a learner's seeds, in Elo points.

    Attributes:
        value: The estimate.
        low: The lower end of the 95 % interval.
        high: The upper end of the 95 % interval.
    """

    value: float
    low: float
    high: float


class Rating(NamedTuple):
    """A rating in Elo points.

    Attributes:
        value: The rating.
        low: The lower end of the 95 % interval; None if open or unknown.
        high: The upper end of the 95 % interval; None if open or unknown.
    """

    value: float
    low: float | None = None
    high: float | None = None


@dataclass
class Results:
    """The input of a rating system: entries, identified by index, and their matches.

    Attributes:
        entries: Names of the entries.
        totals: (first, second, wins, draws, losses) for each pairing.
        sequence: Function that yields (first, second, result) for each match in the order of the schedule; it
            may be slow.
        exact: Whether the totals are expected values instead of counts, without sampling error. There is no
            sequence of matches then.
        openings: None if matches are independent. Otherwise a function that returns those that are not,
            because they begin with the same opening: int64 [rows, 6], number of the opening from 0, first,
            second, wins, draws, losses. They are part of the totals; the rest of these is independent. May be
            slow at first.
        seeds: By entry, for learners that were trained several times, the results of each: int64 [rows, 6],
            number of the seed from 0, first, second, wins, draws, losses. They are part of the totals.
        optional_stopping: Whether matches ended once differences were clear, which makes them look larger.
    """

    entries: Sequence[str]
    totals: Sequence[tuple[int, int, float, float, float]]
    sequence: Callable[[], Iterator[tuple[int, int, int]]]
    exact: bool = False
    openings: Callable[[], ByOpening] | None = None
    seeds: Mapping[int, ByOpening] = field(default_factory=dict)
    optional_stopping: bool = False


class RatingSystem(Configurable):
    """A rating system; subclass it for one of your own."""

    name: str = ""  # as registered, with options; set when it is created by name

    def rate(self, results: Results) -> list[Rating]:
        """Return a rating for each of `results.entries`, in their order."""
        raise NotImplementedError  # subclasses implement it

    def ranks(self, results: Results) -> Sequence[tuple[int, int]] | None:
        """Return the best and the worst rank that the results leave open for each entry, None if unknown.

        All ranges hold together with a probability of 95 %. A rank is 1 plus the number of entries surely
        above.
        """
        return None

    def spreads(self, results: Results) -> Mapping[int, Spread]:
        """Return how much the seeds of each entry in `results.seeds` differ, if known."""
        return {}

    def notes(self, results: Results) -> list[str]:
        """Return sentences to be shown below the leaderboard."""
        return []
