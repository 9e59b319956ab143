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

CONFIDENCE = 0.95  # confidence level of each interval, and of all ranges of ranks simultaneously


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
        exact: Whether the totals are expected values without sampling error, instead of counts. There is then
            no sequence of matches.
        openings: None if all matches are independent. Otherwise a function that returns the results of
            matches that are dependent because they share an opening: int64 [rows, 6], index of the opening
            from 0, first, second, wins, draws, losses. These are included in the totals; all other matches
            are independent. The first call may be slow.
        seeds: By entry, for learners that were trained with several seeds, the results of each seed: int64
            [rows, 6], index of the seed from 0, first, second, wins, draws, losses. These are included in the
            totals.
        optional_stopping: Whether play stopped once differences were significant, which biases them upwards.
    """

    entries: Sequence[str]
    totals: Sequence[tuple[int, int, float, float, float]]
    sequence: Callable[[], Iterator[tuple[int, int, int]]]
    exact: bool = False
    openings: Callable[[], ByOpening] | None = None
    seeds: Mapping[int, ByOpening] = field(default_factory=dict)
    optional_stopping: bool = False


class RatingSystem(Configurable):
    """A rating system; subclass it to define your own."""

    name: str = ""  # the registered name with options; set when the system is created by name

    def rate(self, results: Results) -> list[Rating]:
        """Return a rating for each of `results.entries`, in their order."""
        raise NotImplementedError  # subclasses implement it

    def ranks(self, results: Results) -> Sequence[tuple[int, int]] | None:
        """Return the best and the worst plausible rank of each entry, None if unknown.

        All ranges hold simultaneously with a probability of 95 %. A rank is 1 plus the number of entries that
        are significantly stronger.
        """
        return None

    def spreads(self, results: Results) -> Mapping[int, Spread]:
        """Return the spread of ratings over seeds of each entry in `results.seeds`, if known."""
        return {}

    def notes(self, results: Results) -> list[str]:
        """Return sentences to be shown below the leaderboard."""
        return []
