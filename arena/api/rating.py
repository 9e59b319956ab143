"""What a rating system is: it makes ratings of results."""

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
    """How far apart the ratings of a learner's seeds truly are: their standard deviation in Elo points.

    low, high: its 95 % interval.
    """

    value: float
    low: float
    high: float


class Rating(NamedTuple):
    """Elo points, and the 95 % interval where the system knows one; one end is None where it is open."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass
class Results:
    """What a rating system rates: entries, known by their index, and their matches.

    totals: (first, second, wins, draws, losses) a pairing.
    sequence: call it for (first, second, result) of each match in schedule order; it may be slow.
    exact: the totals are no counts, but expected values for so many matches, without sampling error, and
        there is no sequence of matches.
    openings: None where matches are independent of each other. Else call it for those that are not, as those
        are not that begin with the same opening: int64 [rows, 6], an opening's number from 0, first, second,
        wins, draws, losses. They are part of the totals; the rest of these is independent. It may be slow
        the first time.
    seeds: by entry, of learners that were trained several times, the results of each: int64 [rows, 6], a
        seed's number from 0, first, second, wins, draws, losses. They are part of the totals.
    optional_stopping: whether matches ended once differences were clear, so that these are likely to look
        larger than they are.
    """

    entries: Sequence[str]
    totals: Sequence[tuple[int, int, float, float, float]]
    sequence: Callable[[], Iterator[tuple[int, int, int]]]
    exact: bool = False
    openings: Callable[[], ByOpening] | None = None
    seeds: Mapping[int, ByOpening] = field(default_factory=dict)
    optional_stopping: bool = False


class RatingSystem(Configurable):
    """What a rating system plugin subclasses."""

    name: str = ""  # as registered, with options: set when it is made by name

    def rate(self, results: Results) -> list[Rating]:
        """A rating for each of `results.entries`, in their order."""
        raise NotImplementedError  # the author's to write

    def ranks(self, results: Results) -> Sequence[tuple[int, int]] | None:
        """The best and the worst rank that the results leave open to each entry, if that is known.

        All ranges hold together with a probability of 95 %. A rank is 1 and how many are surely above.
        """
        return None

    def spreads(self, results: Results) -> Mapping[int, Spread]:
        """Of the entries in `results.seeds`, how far their seeds are apart, if that is known."""
        return {}

    def notes(self, results: Results) -> list[str]:
        """What else it found: sentences that are shown below the leaderboard."""
        return []
